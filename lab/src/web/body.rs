//! Reads the body of a request, if it has the expected media type.

use axum::{body::Bytes, extract::Request};
use host::request_body::{self, BodyError, MAX_BODY};
use http::{StatusCode, header::CONTENT_TYPE};

use super::problem::Problem;

/// The body of a request with this media type. `what` begins a sentence about it, as in "a run is
/// asked for".
pub(crate) async fn received(
    request: Request,
    media_type: &str,
    what: &str,
) -> Result<Bytes, Problem> {
    let given = request.headers().get(CONTENT_TYPE);
    let is_it = given.is_some_and(|given| {
        let given = given.to_str().unwrap_or_default();
        let essence = given.split(';').next().unwrap_or_default().trim();
        essence.eq_ignore_ascii_case(media_type)
    });
    if !is_it {
        let detail = format!("{what} as {media_type}");
        let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
        return Err(Problem::new(status, "unsupported_media_type", detail));
    }
    let body = request_body::read(request.into_body()).await;
    body.map_err(|error| match error {
        BodyError::TooLarge => {
            let detail = format!("the body is longer than {MAX_BODY} bytes");
            Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "payload_too_large", detail)
        }
        BodyError::BrokeOff | BodyError::Malformed => {
            let detail = "the body broke off, or its chunks cannot be read";
            Problem::new(StatusCode::BAD_REQUEST, "incomplete_body", detail)
        }
        BodyError::TimedOut => {
            let detail = "the body did not come in time";
            Problem::new(StatusCode::REQUEST_TIMEOUT, "body_timeout", detail)
        }
    })
}
