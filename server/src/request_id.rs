//! `X-Request-Id`: the name under which a request can be found again.
//!
//! tower-http carries it from request to response; what is added here is the rule
//! for whom to believe, since a header taken as it came would let any text into
//! logs and answers.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::extract::Request;
use http::{Extensions, HeaderName, HeaderValue};
use tower_http::request_id::{MakeRequestId, RequestId};

use crate::seed_key::SeedKey;

/// The header's name.
pub(crate) const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The longest id that is taken over from a request.
const MAX_LENGTH: usize = 128;

/// The id that the layers gave to a request.
pub(crate) fn of(extensions: &Extensions) -> String {
    extensions
        .get::<RequestId>()
        .and_then(|id| id.header_value().to_str().ok())
        .unwrap_or_default()
        .to_owned()
}

/// Removes an `X-Request-Id` that is not exactly one sane token.
pub(crate) async fn distrust(mut request: Request) -> Request {
    let mut lines = request.headers().get_all(X_REQUEST_ID).iter();
    let is_sane = match (lines.next(), lines.next()) {
        (Some(line), None) => is_token(line.as_bytes()),
        _ => false,
    };
    if !is_sane {
        request.headers_mut().remove(X_REQUEST_ID);
    }
    request
}

fn is_token(id: &[u8]) -> bool {
    (1..=MAX_LENGTH).contains(&id.len())
        && id
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(byte))
}

/// Makes ids from the seed, so that a run repeats to the letter.
#[derive(Clone)]
pub(crate) struct SeededIds {
    key: SeedKey,
    made: Arc<AtomicU64>,
}

impl SeededIds {
    pub(crate) fn new(key: SeedKey) -> Self {
        Self {
            key,
            made: Arc::default(),
        }
    }
}

impl MakeRequestId for SeededIds {
    fn make_request_id<B>(&mut self, _: &http::Request<B>) -> Option<RequestId> {
        let number = self.made.fetch_add(1, Ordering::Relaxed);
        let id = self.key.fingerprint("request id", &number.to_be_bytes());
        HeaderValue::try_from(format!("req-{id}"))
            .ok()
            .map(RequestId::new)
    }
}

#[cfg(test)]
mod tests {
    use super::is_token;

    #[test]
    fn a_sane_token_is_believed() {
        for id in ["a", "req-1", "0af7.b_c-D", &"x".repeat(128)] {
            assert!(is_token(id.as_bytes()), "{id}");
        }
    }

    #[test]
    fn anything_else_is_not() {
        for id in ["", "two words", "a/b", "a\"b", "a\u{e9}", &"x".repeat(129)] {
            assert!(!is_token(id.as_bytes()), "{id}");
        }
    }
}
