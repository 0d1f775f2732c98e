//! The response that a fault sends in place of the upstream's: it looks like an error of the
//! API itself, because clients read the media type and the body of an error.

use std::time::Duration;

use axum::{
    body::Body,
    response::{IntoResponse, Response},
};
use http::{
    HeaderValue, StatusCode,
    header::{CONTENT_TYPE, RETRY_AFTER},
};
use serde_json::json;

use super::ProxyFault;

/// The media type of an API that is not known to use another.
const JSON: &str = "application/json";

/// The longest media type that is taken from a response.
const LONGEST: usize = 80;

/// The user's choices for the response.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Injected {
    /// Its body; else one that fits its media type.
    pub body: Option<Vec<u8>>,
    /// Its status, for the faults that it fits: 400 and 422 for `refused`, and 429 or a 5xx
    /// for `unavailable` and `retry-after`.
    pub status: Option<StatusCode>,
}

impl Injected {
    /// The response of a fault, in the media type of the API's responses; none if the fault
    /// has no response of its own.
    pub(super) fn response(
        &self,
        fault: ProxyFault,
        lasts: Duration,
        media_type: Option<&str>,
    ) -> Option<Response> {
        let of_fault = match fault {
            ProxyFault::Unavailable | ProxyFault::RetryAfter => StatusCode::SERVICE_UNAVAILABLE,
            ProxyFault::Refused => StatusCode::BAD_REQUEST,
            ProxyFault::Hold | ProxyFault::LostResponse | ProxyFault::Silence => return None,
        };
        let is_refusal = |status: StatusCode| matches!(status.as_u16(), 400 | 422);
        let fits = |status: &StatusCode| is_refusal(*status) == is_refusal(of_fault);
        let status = self.status.filter(fits).unwrap_or(of_fault);
        let media_type = media_type.unwrap_or(JSON);
        let body = self
            .body
            .clone()
            .map_or_else(|| like(media_type, status), Body::from);
        let mut response = (status, body).into_response();
        let headers = response.headers_mut();
        let media_type = HeaderValue::from_str(media_type);
        headers.insert(
            CONTENT_TYPE,
            media_type.unwrap_or(HeaderValue::from_static(JSON)),
        );
        if fault == ProxyFault::RetryAfter {
            headers.insert(RETRY_AFTER, HeaderValue::from(lasts.as_secs()));
        }
        Some(response)
    }
}

/// An error in a media type. JSON and XML have the members that many APIs use.
fn like(media_type: &str, status: StatusCode) -> Body {
    let reason = status.canonical_reason().unwrap_or("error");
    let code = reason.replace(' ', "");
    if media_type.ends_with("json") {
        let error = json!({"code": code, "message": reason, "status": status.as_u16()});
        json!({"error": error}).to_string().into()
    } else if media_type.ends_with("xml") {
        let head = r#"<?xml version="1.0" encoding="UTF-8"?>"#;
        format!("{head}<Error><Code>{code}</Code><Message>{reason}</Message></Error>").into()
    } else {
        reason.into()
    }
}

/// The media type in a `Content-Type`, without its parameters; none if it is not one.
pub(super) fn essence(content_type: &HeaderValue) -> Option<String> {
    let text = content_type.to_str().ok()?;
    let essence = text.split(';').next()?.trim().to_ascii_lowercase();
    let (kind, subtype) = essence.split_once('/')?;
    let is_token = |part: &str| {
        let signs = part.bytes();
        let mut others =
            signs.filter(|sign| !sign.is_ascii_alphanumeric() && !b"+-._".contains(sign));
        !part.is_empty() && others.next().is_none()
    };
    (essence.len() <= LONGEST && is_token(kind) && is_token(subtype)).then_some(essence)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_media_type_is_two_tokens() {
        for (value, expected) in [
            ("application/json; charset=utf-8", Some("application/json")),
            ("Application/VND.api+JSON", Some("application/vnd.api+json")),
            ("json", None),
            ("a/", None),
            ("a/b c", None),
            ("", None),
        ] {
            let found = essence(&HeaderValue::from_static(value));
            assert_eq!(found.as_deref(), expected, "{value}");
        }
    }

    #[test]
    fn a_status_of_the_user_is_for_the_faults_that_it_fits() {
        let wait = Duration::from_secs(2);
        for (status, unavailable, refused) in [(429, 429, 400), (500, 500, 400), (422, 503, 422)] {
            let injected = Injected {
                status: StatusCode::from_u16(status).ok(),
                ..Injected::default()
            };
            let of = |fault| {
                injected
                    .response(fault, wait, None)
                    .map(|response| response.status().as_u16())
            };

            assert_eq!(of(ProxyFault::Unavailable), Some(unavailable));
            assert_eq!(of(ProxyFault::RetryAfter), Some(unavailable));
            assert_eq!(of(ProxyFault::Refused), Some(refused));
            assert_eq!(of(ProxyFault::Silence), None);
        }
    }
}
