//! The responses that cases are made of.

use axum::{
    Extension, Json,
    body::Bytes,
    response::{IntoResponse, Response},
};
use host::{ConnectionFault, FaultLabel, NextCursor, Problem, fault_injection, problems};
use http::{
    HeaderValue, StatusCode,
    header::{CONNECTION, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE},
};
use serde_json::{Value, json};
use wire::{JobResult, UnusableValue};

problems! { pub(crate),
BAD_GATEWAY = BAD_GATEWAY, "bad_gateway", "the gateway fails on purpose";
UNAVAILABLE = SERVICE_UNAVAILABLE, "unavailable", "the service is unavailable on purpose";
}

/// 200 with this object.
pub(super) fn ok(value: &Value) -> Response {
    Json(value).into_response()
}

/// A page of so many records, and the cursor of the next one.
pub(super) fn page(records: impl IntoIterator<Item = Value>, next: Option<String>) -> Response {
    let items: Vec<_> = records.into_iter().collect();
    let body = ok(&json!({"items": items, "next_cursor": next}));
    (Extension(NextCursor(next)), body).into_response()
}

/// Refuses a cursor that the listing did not issue.
pub(super) fn unknown_cursor() -> Response {
    let detail = "this listing did not issue the cursor";
    refused(StatusCode::BAD_REQUEST, "invalid_cursor", detail)
}

/// A 503 on purpose.
pub(super) fn unavailable() -> Response {
    (Extension(FaultLabel::UNAVAILABLE), UNAVAILABLE).into_response()
}

/// A 502 on purpose.
pub(super) fn bad_gateway() -> Response {
    (Extension(FaultLabel::BAD_GATEWAY), BAD_GATEWAY).into_response()
}

/// A 503 that asks for a wait.
pub(super) fn unavailable_for(retry_after: &str) -> Response {
    with_wait(unavailable(), retry_after)
}

/// A 503 whose Retry-After has this value, which is neither seconds nor a date.
pub(super) fn unavailable_with(value: UnusableValue) -> Response {
    (Extension(value), unavailable_for(value.0)).into_response()
}

/// A 429 that asks for a wait.
pub(super) fn too_many_for(retry_after: &str) -> Response {
    with_wait(too_many(), retry_after)
}

/// A 429: the service has no room for another request at the same time.
pub(super) fn too_many() -> Response {
    let detail = "the service has no room for another request at once";
    let refusal = refused(StatusCode::TOO_MANY_REQUESTS, "too_many_requests", detail);
    (Extension(FaultLabel::TOO_MANY_REQUESTS), refusal).into_response()
}

/// A 503 that asks for a wait, and whose body breaks off.
pub(super) fn unavailable_for_cut(retry_after: &str) -> Response {
    let body = r#"{"type": "about:blank", "title": "Service Unavailable", "status": 503}"#;
    let status = StatusCode::SERVICE_UNAVAILABLE;
    with_wait(cut(status, "application/problem+json", body), retry_after)
}

fn with_wait(mut response: Response, retry_after: &str) -> Response {
    #[expect(clippy::expect_used, reason = "each task writes its own")]
    let value = HeaderValue::from_str(retry_after).expect("visible ASCII");
    response.headers_mut().insert(RETRY_AFTER, value);
    response
}

/// 200 with the length of this JSON, and the first half of it.
pub(super) fn cut_ok(body: &str) -> Response {
    cut(StatusCode::OK, "application/json", body)
}

/// A response whose connection breaks in the middle of its body.
fn cut(status: StatusCode, media_type: &'static str, body: &str) -> Response {
    let response = (status, [(CONTENT_TYPE, media_type)]).into_response();
    fault_injection::cut(response, Bytes::copy_from_slice(body.as_bytes()))
}

/// The response for a client that cannot be broken off fairly: its connection was used before,
/// so that its transport may send the request again by itself. The next one is fresh.
pub(super) fn asks_for_a_fresh_connection() -> Response {
    let mut response = unavailable();
    let close = HeaderValue::from_static("close");
    response.headers_mut().insert(CONNECTION, close);
    response
}

/// Nothing: the connection is closed, or silent.
pub(super) fn withheld(how: ConnectionFault, fault: FaultLabel) -> Response {
    (Extension(how), Extension(fault)).into_response()
}

/// The result of a job, beside a response.
pub(super) fn job(result: JobResult, response: Response) -> Response {
    (Extension(result), response).into_response()
}

/// A request without the token that it was to bring.
pub(super) fn unauthorized() -> Response {
    let detail = "the token in LAB_TOKEN is to be sent as a bearer token";
    refused(StatusCode::UNAUTHORIZED, "unauthorized", detail)
}

/// Refuses a request; a 401 says what it wants, as RFC 9110 §15.5.2 asks for, with a
/// parameter, as RFC 6750 §3 does. Some libraries need both.
pub(super) fn refused(status: StatusCode, code: &'static str, detail: &'static str) -> Response {
    let problem = Problem {
        status,
        code,
        detail,
        field: None,
    };
    let mut response = problem.into_response();
    if status == StatusCode::UNAUTHORIZED {
        let bearer = HeaderValue::from_static("Bearer realm=\"lab\"");
        response.headers_mut().insert(WWW_AUTHENTICATE, bearer);
    }
    response
}
