//! Routes that a scenario puts beside the service's own: they fail as often as
//! they are told to, and then answer.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use axum::{
    Extension, Json, Router,
    response::{IntoResponse, Response},
    routing::any,
};
use http::{HeaderValue, StatusCode, header::RETRY_AFTER};
use serde_json::json;
use server::{Fault, Problem};

/// A route whose call number *n*, from 0, answers with `failure(n)`, and with
/// an empty object once that is `None`.
pub(super) fn fails_first(
    path: &'static str,
    fault: &'static str,
    failure: impl Fn(usize) -> Option<Response> + Clone + Send + Sync + 'static,
) -> Router {
    let calls = Arc::new(AtomicUsize::new(0));
    let answer = async move || match failure(calls.fetch_add(1, Ordering::Relaxed)) {
        Some(failure) => (Extension(Fault(fault)), failure).into_response(),
        None => Json(json!({})).into_response(),
    };
    Router::new().route(path, any(answer))
}

/// A 503, as a problem object.
pub(super) fn unavailable() -> Response {
    let problem = Problem {
        status: StatusCode::SERVICE_UNAVAILABLE,
        code: "unavailable",
        detail: "the service is unavailable on purpose",
    };
    problem.into_response()
}

/// A 503 with a `Retry-After` of this value.
pub(super) fn unavailable_until(retry_after: HeaderValue) -> Response {
    let mut response = unavailable();
    response.headers_mut().insert(RETRY_AFTER, retry_after);
    response
}
