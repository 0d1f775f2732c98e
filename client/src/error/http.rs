//! The service answered, and the answer was not a success.

use std::{fmt, time::Duration};

use http::{HeaderMap, StatusCode};
use serde_json::Value;

use super::{Attempts, RequestName};
use crate::{media_type, retry::StopReason};

/// An answer with a status outside 2xx.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ApiHttpError {
    /// Which request it was.
    pub request: RequestName,
    /// The status of the last answer. Its class is the first thing to branch on.
    pub status: StatusCode,
    /// The machine code that the body gave, such as `idempotency_conflict`.
    pub code: Option<Box<str>>,
    /// The request id that the body or the `X-Request-Id` header gave: what to
    /// quote to the owner of the service.
    pub request_id: Option<Box<str>>,
    /// How long the server asked to wait, if it sent a `Retry-After` that can
    /// be followed; [`Duration::MAX`] if longer than can be represented.
    pub retry_after: Option<Duration>,
    /// Requests put on the wire.
    pub attempts: u32,
    /// What forbade another attempt, if a retry rule did.
    pub stopped: Option<StopReason>,
}

impl fmt::Display for ApiHttpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} answered {} after {}",
            self.request,
            self.status,
            Attempts(self.attempts)
        )?;
        match (&self.code, &self.request_id) {
            (Some(code), Some(id)) => write!(f, " (code {code}, request {id})")?,
            (Some(code), None) => write!(f, " (code {code})")?,
            (None, Some(id)) => write!(f, " (request {id})")?,
            (None, None) => {}
        }
        match (self.stopped, self.retry_after) {
            (Some(StopReason::RetryAfterOverBudget), Some(wait)) => write!(
                f,
                ": the server asks for a wait of {} s, longer than this client may wait; \
                 call again after it",
                whole_seconds(wait)
            ),
            (Some(StopReason::Deadline), Some(wait)) => write!(
                f,
                ": the server asks for a wait of {} s, and {}",
                whole_seconds(wait),
                StopReason::Deadline.advice()
            ),
            (Some(why), _) => write!(f, ": {}", why.advice()),
            (None, _) => write!(f, ": {}", advice(self.status)),
        }
    }
}

impl std::error::Error for ApiHttpError {}

/// Rounded up: whoever waits for as long as is printed must not come early.
fn whole_seconds(wait: Duration) -> u64 {
    wait.as_secs()
        .saturating_add(u64::from(wait.subsec_nanos() > 0))
}

/// What a caller can do about a status that is not retried.
fn advice(status: StatusCode) -> &'static str {
    match status.as_u16() {
        300..=399 => "redirects are not followed; decide whether to call the new location",
        401 => "supply valid credentials",
        403 => "ask for the permission that is missing",
        404 => "check the path and the identifier",
        409 => "it conflicts with the present state; look at that before sending anything again",
        408 | 425 => "the moment was wrong, not the request; call again later",
        400..=499 => "correct the request; sent again as it is, it would fail again",
        _ => "the service cannot serve this request; sent again, it would fail again",
    }
}

/// What an error answer says about itself, in its body or its headers.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ProblemDetails {
    pub(crate) code: Option<Box<str>>,
    pub(crate) request_id: Option<Box<str>>,
}

impl ProblemDetails {
    /// Reads what is there. An error answer may have any body or none, so
    /// nothing here can fail.
    pub(crate) fn read(headers: &HeaderMap, body: &[u8]) -> Self {
        let problem = media_type::is_json(headers)
            .then(|| serde_json::from_slice::<Value>(body).ok())
            .flatten();
        let member = |name| problem.as_ref()?.get(name)?.as_str().and_then(identifier);
        let header = || {
            headers
                .get("x-request-id")?
                .to_str()
                .ok()
                .and_then(identifier)
        };
        Self {
            code: member("code"),
            request_id: member("request_id").or_else(header),
        }
    }
}

/// Keeps a text only if it looks like an identifier: it is about to be printed
/// in logs, and whoever wrote the answer chose it.
fn identifier(text: &str) -> Option<Box<str>> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    ((1..=128).contains(&text.len()) && text.bytes().all(plain)).then(|| text.into())
}

#[cfg(test)]
mod tests {
    use http::Method;

    use super::*;
    use crate::endpoint::Endpoint;

    fn error(status: StatusCode) -> ApiHttpError {
        ApiHttpError {
            request: RequestName::new(&Method::GET, Endpoint::FLAKY),
            status,
            code: None,
            request_id: None,
            retry_after: None,
            attempts: 1,
            stopped: None,
        }
    }

    #[test]
    fn says_what_happened_and_what_to_do() {
        let exhausted = ApiHttpError {
            code: Some("unavailable".into()),
            request_id: Some("r-1".into()),
            attempts: 3,
            stopped: Some(StopReason::AttemptsExhausted),
            ..error(StatusCode::SERVICE_UNAVAILABLE)
        };
        let later = ApiHttpError {
            // What is left until an HTTP date is seldom a whole second.
            retry_after: Some(Duration::from_millis(119_001)),
            stopped: Some(StopReason::RetryAfterOverBudget),
            ..error(StatusCode::SERVICE_UNAVAILABLE)
        };

        assert_eq!(
            exhausted.to_string(),
            "GET /flaky answered 503 Service Unavailable after 3 attempts \
             (code unavailable, request r-1): all attempts were used; \
             call again later, or allow more attempts"
        );
        assert_eq!(
            later.to_string(),
            "GET /flaky answered 503 Service Unavailable after 1 attempt: the server asks \
             for a wait of 120 s, longer than this client may wait; call again after it"
        );
        assert!(
            error(StatusCode::NOT_FOUND)
                .to_string()
                .ends_with("after 1 attempt: check the path and the identifier")
        );
    }

    fn headers(content_type: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert("content-type", content_type.parse().expect("a value"));
        headers.insert("x-request-id", "from-header".parse().expect("a value"));
        headers
    }

    #[test]
    fn keeps_code_and_request_id_of_a_problem() {
        let body = br#"{"code":"not_found","request_id":"abc-1","detail":"secret"}"#;

        let details = ProblemDetails::read(&headers("application/problem+json"), body);

        assert_eq!(details.code.as_deref(), Some("not_found"));
        assert_eq!(details.request_id.as_deref(), Some("abc-1"));
    }

    #[test]
    fn falls_back_to_the_header_and_ignores_what_is_no_identifier() {
        for (content_type, body) in [
            ("text/html", r#"{"code":"x","request_id":"y"}"#),
            ("application/json", "not json"),
            ("application/json", r#"["code"]"#),
            ("application/json", r#"{"code":7,"request_id":null}"#),
            (
                "application/json",
                r#"{"code":"<b>","request_id":"two words"}"#,
            ),
        ] {
            let details = ProblemDetails::read(&headers(content_type), body.as_bytes());

            assert_eq!(details.code, None, "{body}");
            assert_eq!(details.request_id.as_deref(), Some("from-header"), "{body}");
        }
    }
}
