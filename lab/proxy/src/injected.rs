//! The response that a fault sends in place of the upstream's: JSON as many APIs send it, or what
//! the user gives for clients that read their API's own errors.

use std::time::Duration;

use axum::response::{IntoResponse, Response};
use http::{
    HeaderValue, StatusCode,
    header::{CONTENT_TYPE, RETRY_AFTER},
};
use serde_json::json;

use super::ProxyFault;
use crate::fault::Delivery;

/// The user's choices for the response.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Injected {
    /// Its body; JSON with the status if there is none.
    pub body: Option<Vec<u8>>,
    /// Its status, for the faults that it fits: 400 and 422 for `refused`, and 429 or a 5xx
    /// for `unavailable` and `retry-after`.
    pub status: Option<StatusCode>,
}

impl Injected {
    /// The event of a fault, in a phrase.
    #[must_use]
    pub fn words(&self, fault: ProxyFault) -> String {
        match fault.delivery() {
            Delivery::Late => "a late response".to_owned(),
            Delivery::Lost => "lost response".to_owned(),
            Delivery::Silent => "silence".to_owned(),
            Delivery::Injected(of_fault) => {
                let status = self.status(of_fault).as_u16();
                if fault == ProxyFault::RetryAfter {
                    format!("{status} with Retry-After")
                } else {
                    status.to_string()
                }
            }
        }
    }

    /// The status of a fault that has this one by default.
    fn status(&self, of_fault: StatusCode) -> StatusCode {
        let is_refusal = |status: StatusCode| matches!(status.as_u16(), 400 | 422);
        let fits = |status: &StatusCode| is_refusal(*status) == is_refusal(of_fault);
        self.status.filter(fits).unwrap_or(of_fault)
    }

    /// The response of a fault that has this status by default.
    pub(super) fn response(
        &self,
        fault: ProxyFault,
        of_fault: StatusCode,
        lasts: Duration,
    ) -> Response {
        let status = self.status(of_fault);
        let body = self.body.clone().unwrap_or_else(|| error(status));
        let of_body = [(CONTENT_TYPE, media_type(&body))];
        let mut response = (status, of_body, body).into_response();
        let headers = response.headers_mut();
        if fault == ProxyFault::RetryAfter {
            headers.insert(RETRY_AFTER, HeaderValue::from(lasts.as_secs()));
        }
        response
    }
}

/// The media type of a body: an error of an API is JSON or XML.
fn media_type(body: &[u8]) -> &'static str {
    if body.trim_ascii_start().starts_with(b"<") {
        "application/xml"
    } else {
        "application/json"
    }
}

/// An error with the members that many APIs use.
fn error(status: StatusCode) -> Vec<u8> {
    let reason = status.canonical_reason().unwrap_or("error");
    let code = reason.replace(' ', "");
    let error = json!({"code": code, "message": reason, "status": status.as_u16()});
    json!({"error": error}).to_string().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_of_the_user_is_for_the_faults_that_it_fits() {
        let wait = Duration::from_secs(2);
        for (status, unavailable, refused) in [(429, 429, 400), (500, 500, 400), (422, 503, 422)] {
            let injected = Injected {
                status: StatusCode::from_u16(status).ok(),
                ..Injected::default()
            };
            let of = |fault, by_default| {
                let response = injected.response(fault, by_default, wait);
                response.status().as_u16()
            };

            let failed = of(ProxyFault::Unavailable, StatusCode::SERVICE_UNAVAILABLE);
            let wrong = of(ProxyFault::Refused, StatusCode::BAD_REQUEST);
            assert_eq!((failed, wrong), (unavailable, refused));
            let faults = [
                ProxyFault::Unavailable,
                ProxyFault::RetryAfter,
                ProxyFault::Refused,
            ];
            let words = faults.map(|fault| injected.words(fault));
            let with_a_wait = format!("{unavailable} with Retry-After");
            let expected = [unavailable.to_string(), with_a_wait, refused.to_string()];
            assert_eq!(words, expected);
        }
    }
}
