//! The service responded with a status that is no success.

use std::{fmt, time::Duration};

use http::{HeaderMap, StatusCode};
use serde::de::{Deserializer as _, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;

use super::{Attempts, RequestName};
use crate::{
    media_type,
    retry::{FailureKind, StopReason},
};

/// A response with a status outside 2xx.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ApiHttpError {
    /// Which request it was.
    pub request: RequestName,
    /// The status of the last response. Its class is the first thing to branch on.
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
    /// Why the rest of the body is missing, if it is: then `code` and
    /// `request_id` may be missing as well. The status and the headers were
    /// complete, so the other fields are reliable.
    pub incomplete_body: Option<FailureKind>,
}

impl ApiHttpError {
    /// A response with this status, after one attempt; its other fields can be
    /// set.
    ///
    /// ```
    /// use client::{ApiHttpError, Endpoint, RequestName};
    /// use http::{Method, StatusCode};
    ///
    /// let request = RequestName::new(&Method::GET, Endpoint::FLAKY);
    /// let mut error = ApiHttpError::new(request, StatusCode::NOT_FOUND);
    /// error.code = Some("not_found".into());
    ///
    /// assert!(error.to_string().contains("not_found"));
    /// ```
    #[must_use]
    pub fn new(request: RequestName, status: StatusCode) -> Self {
        Self {
            request,
            status,
            code: None,
            request_id: None,
            retry_after: None,
            attempts: 1,
            stopped: None,
            incomplete_body: None,
        }
    }
}

impl fmt::Display for ApiHttpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} returned {} after {}",
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
        if let Some(kind) = self.incomplete_body {
            write!(f, ", with a body that {}", what_ended_the_body(kind))?;
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
            (None, Some(wait)) => write!(
                f,
                ": the server asks for a wait of {} s; call again after it",
                whole_seconds(wait)
            ),
            (None, None) => write!(f, ": {}", advice(self.status)),
        }
    }
}

impl std::error::Error for ApiHttpError {}

/// Rounded up: whoever waits for as long as is printed must not come early.
fn whole_seconds(wait: Duration) -> u64 {
    wait.as_secs()
        .saturating_add(u64::from(wait.subsec_nanos() > 0))
}

/// What kept the rest of an error's body away.
fn what_ended_the_body(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::BodyTooLarge => "was too long to be read whole",
        FailureKind::ReadTimeout => "did not end in time",
        _ => "broke off",
    }
}

/// What a caller can do about a status that is not retried.
fn advice(status: StatusCode) -> &'static str {
    match status.as_u16() {
        300..=399 => "redirects are not followed; decide whether to call the new location",
        401 => "supply valid credentials",
        403 => "ask for the permission that is missing",
        404 => "check the path and the identifier",
        409 => "it conflicts with the present state; look at that before sending anything again",
        429 => "the clients ask for too much together; ask for less, and call again later",
        500 | 502..=504 => "it may pass; call again later",
        408 | 425 => "the moment was wrong, not the request; call again later",
        400..=499 => "correct the request; sent again as it is, it would fail again",
        _ => "the service cannot serve this request; sent again, it would fail again",
    }
}

/// What an error response says about itself, in its body or its headers.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ProblemDetails {
    pub(crate) code: Option<Box<str>>,
    pub(crate) request_id: Option<Box<str>>,
}

impl ProblemDetails {
    /// Reads what is there. An error response may have any body or none, so
    /// nothing here can fail. If the body is not `complete`, every member that
    /// arrived in full is used.
    pub(crate) fn read(headers: &HeaderMap, body: &[u8], complete: bool) -> Self {
        let mut details = Self::default();
        if media_type::is_json(headers) {
            let mut json = serde_json::Deserializer::from_slice(body);
            let end = json
                .deserialize_map(Members(&mut details))
                .and_then(|()| json.end());
            if complete && end.is_err() {
                details = Self::default();
            }
        }
        details.request_id = details.request_id.or_else(|| {
            headers
                .get("x-request-id")
                .and_then(|value| value.to_str().ok())
                .and_then(identifier)
        });
        details
    }
}

/// Takes the members of a problem object as they come, so that what was read
/// stays when the object breaks off.
struct Members<'a>(&'a mut ProblemDetails);

impl<'de> Visitor<'de> for Members<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a problem object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key::<String>()? {
            let member = match name.as_str() {
                "code" => &mut self.0.code,
                "request_id" => &mut self.0.request_id,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                    continue;
                }
            };
            *member = map.next_value::<Value>()?.as_str().and_then(identifier);
        }
        Ok(())
    }
}

/// The longest code or request id that is kept, in bytes.
const LONGEST_IDENTIFIER: usize = 256;

/// Keeps a text only if it could be an identifier, such as a URN, a trace header
/// or base64: visible ASCII of a bounded length. The text comes from the service
/// and will be printed, so a URL is not kept: no log may hold its query.
fn identifier(text: &str) -> Option<Box<str>> {
    let fits = (1..=LONGEST_IDENTIFIER).contains(&text.len());
    let visible = text.bytes().all(|byte| byte.is_ascii_graphic());
    let url = text.contains('?') || text.contains("://");
    (fits && visible && !url).then(|| text.into())
}

#[cfg(test)]
mod tests {
    use http::Method;
    use proptest::{collection::vec, prelude::*, sample::Index};

    use super::*;
    use crate::endpoint::Endpoint;

    fn error(status: StatusCode) -> ApiHttpError {
        ApiHttpError::new(RequestName::new(&Method::GET, Endpoint::FLAKY), status)
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
            "GET /flaky returned 503 Service Unavailable after 3 attempts \
             (code unavailable, request r-1): all attempts were used; \
             call again later, or allow more attempts"
        );
        assert_eq!(
            later.to_string(),
            "GET /flaky returned 503 Service Unavailable after 1 attempt: the server asks \
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

        let details = ProblemDetails::read(&headers("application/problem+json"), body, true);

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
                r#"{"code":"tab\there","request_id":"two words"}"#,
            ),
            ("application/json", r#"{"code":"é","request_id":""}"#),
            (
                "application/json",
                r#"{"code":"https://host/","request_id":"/path?query"}"#,
            ),
            (
                "application/json",
                r#"{"code":"x","request_id":"y"} and more"#,
            ),
            ("application/json", r#"{"code":"x","request_id":"y""#),
        ] {
            let details = ProblemDetails::read(&headers(content_type), body.as_bytes(), true);

            assert_eq!(details.code, None, "{body}");
            assert_eq!(details.request_id.as_deref(), Some("from-header"), "{body}");
        }
    }

    #[test]
    fn keeps_an_identifier_of_any_usual_shape() {
        for id in [
            "urn:uuid:3f2b",
            "Root=1-67891233-abcdef012345678912345678",
            "q83v/+4=",
            "<b>",
            &"x".repeat(LONGEST_IDENTIFIER),
        ] {
            let body = serde_json::json!({ "code": id, "request_id": id }).to_string();

            let details = ProblemDetails::read(&headers("application/json"), body.as_bytes(), true);

            assert_eq!(details.code.as_deref(), Some(id));
            assert_eq!(details.request_id.as_deref(), Some(id));
        }
        assert_eq!(identifier(&"x".repeat(LONGEST_IDENTIFIER + 1)), None);
    }

    #[test]
    fn of_a_body_that_broke_off_the_members_count_that_came_whole() {
        let body = br#"{"code":"unavailable","request_id":"abc-1","detail":"later"}"#;
        let code_at = br#"{"code":"unavailable""#.len();
        let id_at = br#"{"code":"unavailable","request_id":"abc-1""#.len();
        for cut in 0..body.len() {
            let details = ProblemDetails::read(&headers("application/json"), &body[..cut], false);

            let code = (cut >= code_at).then_some("unavailable");
            let id = if cut >= id_at { "abc-1" } else { "from-header" };
            assert_eq!(details.code.as_deref(), code, "cut at {cut}");
            assert_eq!(details.request_id.as_deref(), Some(id), "cut at {cut}");
        }
    }

    proptest! {
        /// Of a body that broke off nothing is kept that the whole would not say, and what
        /// is kept is short, visible and no address.
        #[test]
        fn a_part_says_nothing_that_the_whole_does_not(
            members in vec(("[a-c]{0,2}", "[a-z?:/ \\\\\"\u{e9}\t]{0,6}"), 0..4),
            code in "[a-z?:/ \\\\\"\u{e9}]{0,6}", id in "[a-z_]{1,6}", at: Index, cut: Index,
        ) {
            let mut members: Vec<_> = members.iter().map(|(name, text)| (&**name, &**text)).collect();
            members.insert(at.index(members.len() + 1), ("code", &code));
            members.push(("request_id", &id));
            let members = members.iter().map(|(name, text)| {
                format!("{}:{}", serde_json::json!(name), serde_json::json!(text))
            });
            let body = format!("{{{}}}", members.collect::<Vec<_>>().join(", "));
            let json = headers("application/json");

            let whole = ProblemDetails::read(&json, body.as_bytes(), true);
            let part = ProblemDetails::read(&json, &body.as_bytes()[..cut.index(body.len())], false);

            prop_assert_eq!(whole.request_id.as_deref(), Some(&*id));
            prop_assert_eq!(whole.code.is_some(), identifier(&code).is_some());
            prop_assert!(part.code.is_none() || part.code == whole.code);
            let of_header = part.request_id.as_deref() == Some("from-header");
            prop_assert!(of_header || part.request_id == whole.request_id);
            for kept in [&whole.code, &part.code].into_iter().flatten() {
                prop_assert!(kept.bytes().all(|byte| byte.is_ascii_graphic()) && !kept.contains('?'));
            }
        }

        #[test]
        fn any_body_is_read_without_a_panic(body: Vec<u8>, start in "[{\\[\"]{0,3}", complete: bool) {
            let body = [start.as_bytes(), &body].concat();

            let details = ProblemDetails::read(&headers("application/json"), &body, complete);

            prop_assert_eq!(details.code, None);
        }
    }
}
