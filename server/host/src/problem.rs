//! The Problem object (RFC 9457): the body of every error response.
//!
//! A handler returns a [`Problem`] and has no access to the request id; the host
//! writes the body on the way out. All texts are `&'static str`, so that nothing
//! of a request can find its way into a response.

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use http::header::CONTENT_TYPE;
use http::{HeaderValue, StatusCode};
use serde::Serialize;

use crate::request_ids::X_REQUEST_ID;
use wire::RequestId;

/// The media type of a problem.
pub const PROBLEM_JSON: &str = "application/problem+json";

/// An error response: a status, a machine-readable code and a sentence for people.
///
/// Returned by a handler it becomes an `application/problem+json` body that also carries
/// the request id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Problem {
    /// The status of the response.
    pub status: StatusCode,
    /// The machine-readable code: what a client may branch on.
    pub code: &'static str,
    /// The reason, for people. It never repeats a part of the request.
    pub detail: &'static str,
    /// The part of the request that is at fault, as `query.limit`,
    /// `header.Idempotency-Key` or `body`; `None` where no single part is.
    pub field: Option<&'static str>,
}

/// Declares problems as constants: name, status, code, the part at fault, and detail.
#[macro_export]
macro_rules! problems {
    (@field) => { None };
    (@field $field:literal) => { Some($field) };
    ($vis:vis, $(
        $name:ident = $status:ident, $code:literal $(of $field:literal)?, $detail:literal;
    )+) => {
        $(
            #[doc = concat!("`", $code, "`: ``", $detail, "``.")]
            $vis const $name: $crate::Problem = $crate::Problem {
                status: ::http::StatusCode::$status,
                code: $code,
                detail: $detail,
                field: $crate::problems!(@field $($field)?),
            };
        )+
    };
}

impl Problem {
    problems! { pub,
    INVALID_HOST = BAD_REQUEST, "invalid_host" of "header.Host", "HTTP/1.1 asks for exactly one Host header, and that it names a host (RFC 9112 section 3.2)";
    HOST_NOT_ALLOWED = MISDIRECTED_REQUEST, "host_not_allowed" of "header.Host", "the Host must be a name of loopback: 127.0.0.1, localhost or [::1]; for /metrics also host.docker.internal";
    CROSS_SITE = FORBIDDEN, "cross_site", "no other web site may call the service; call it from a terminal, a program, or the address bar";
    NOT_FOUND = NOT_FOUND, "not_found", "no such path";
    METHOD_NOT_ALLOWED = METHOD_NOT_ALLOWED, "method_not_allowed", "the path does not serve this method; see Allow";
    INTERNAL_ERROR = INTERNAL_SERVER_ERROR, "internal_error", "the service failed in a way it did not plan to";
    }

    /// The problems of requests that are not admitted to the router.
    pub(crate) const REFUSALS: [Self; 3] =
        [Self::INVALID_HOST, Self::HOST_NOT_ALLOWED, Self::CROSS_SITE];
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = self.status.into_response();
        response.extensions_mut().insert(self);
        response
    }
}

/// An error, after RFC 9457.
#[derive(Debug, Serialize)]
struct ProblemBody<'a> {
    // RFC 9457 §4.2.1: with "about:blank" the title is the status phrase, and the
    // meaning beyond the status is carried by `code`.
    /// Always `about:blank`: the code says what the status does not.
    r#type: &'static str,
    /// The phrase of the status.
    title: &'static str,
    /// The status code.
    status: u16,
    /// The reason, for people.
    detail: &'static str,
    /// The reason, for programs.
    code: &'static str,
    /// The `X-Request-Id` of the response.
    request_id: &'a str,
    /// The part of the request at fault: `body`, or a parameter of the query or a
    /// header with its name, as `query.limit`. Absent where no single part is.
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<&'static str>,
}

/// The response to a request that never comes to the router.
pub(crate) fn refuse(problem: Problem, request_id: &RequestId) -> Response {
    let mut response = problem.into_response();
    write(problem, request_id, &mut response);
    response
        .headers_mut()
        .insert(X_REQUEST_ID, request_id.to_header());
    response
}

/// Gives the response its body if it is a problem.
pub(crate) fn render(request_id: &RequestId, response: &mut Response) {
    if let Some(problem) = response.extensions().get::<Problem>().copied() {
        write(problem, request_id, response);
    }
}

/// Gives a problem its body.
fn write(problem: Problem, request_id: &str, response: &mut Response) {
    let body = ProblemBody {
        r#type: "about:blank",
        title: problem.status.canonical_reason().unwrap_or_default(),
        status: problem.status.as_u16(),
        detail: problem.detail,
        code: problem.code,
        request_id,
        field: problem.field,
    };
    #[expect(clippy::expect_used, reason = "the keys of a struct are text")]
    let body = serde_json::to_vec(&body).expect("a struct of strings and a number is JSON");
    *response.body_mut() = Body::from(body);
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static(PROBLEM_JSON));
}
