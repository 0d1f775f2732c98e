//! Routes of scenarios that fail a number of times and then succeed.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use axum::{
    Extension, Json, Router,
    response::{IntoResponse, Response},
    routing::{MethodRouter, any},
};
use host::{ExpectedRoute, FaultLabel, Routes, problems};
use http::{HeaderValue, Method, StatusCode, header::RETRY_AFTER};
use serde_json::json;

/// The most failures in a row from which the labels of a route's counters are made.
const FORESEEN: usize = 10;

/// A route for GETs. The response to call *n*, from 0, is `failure(n)`, or an empty object
/// once that is `None`.
pub(super) fn fails_first(
    path: &'static str,
    fault: FaultLabel,
    failure: impl Fn(usize) -> Option<Response> + Clone + Send + Sync + 'static,
) -> Routes {
    let failures: Vec<_> = (0..FORESEEN).map_while(&failure).collect();
    let mut statuses: Vec<_> = failures.iter().map(Response::status).collect();
    if failures.len() < FORESEEN {
        statuses.push(StatusCode::OK);
    }
    let calls = Arc::new(AtomicUsize::new(0));
    let respond = async move || match failure(calls.fetch_add(1, Ordering::Relaxed)) {
        Some(failure) => (Extension(fault), failure).into_response(),
        None => Json(json!({})).into_response(),
    };
    let mut served = faulty(path, any(respond), statuses, fault);
    let has_retry_after = |response: &Response| response.headers().contains_key(RETRY_AFTER);
    for route in &mut served.expected {
        route.has_retry_after = failures.iter().any(has_retry_after);
    }
    served
}

/// A route for GETs, whose responses have these statuses, and name this fault or none.
pub(super) fn faulty(
    path: &'static str,
    handler: MethodRouter,
    statuses: Vec<StatusCode>,
    fault: FaultLabel,
) -> Routes {
    Routes {
        router: Router::new().route(path, handler),
        expected: vec![ExpectedRoute {
            path,
            method: Method::GET,
            statuses,
            faults: vec![fault],
            has_retry_after: false,
        }],
    }
}

/// The same routes, for POSTs.
pub(super) fn for_posts(mut routes: Routes) -> Routes {
    for route in &mut routes.expected {
        route.method = Method::POST;
    }
    routes
}

problems! { pub(super),
UNAVAILABLE = SERVICE_UNAVAILABLE, "unavailable", "the service is unavailable on purpose";
}

/// A 503 on purpose.
pub(super) fn unavailable() -> Response {
    UNAVAILABLE.into_response()
}

/// A 503 with a `Retry-After` of this value.
pub(super) fn unavailable_until(retry_after: HeaderValue) -> Response {
    let mut response = unavailable();
    response.headers_mut().insert(RETRY_AFTER, retry_after);
    response
}
