//! `X-Request-Id`: the name under which a request can be found again.
//!
//! tower-http carries it from request to response; what is added here is the rule
//! which ids are taken over: a header taken as it came would let any text into logs and
//! responses.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::extract::Request;
use http::{Extensions, HeaderMap, HeaderName, HeaderValue};
use tower_http::request_id::{MakeRequestId, RequestId};

use crate::seed_key::SeedKey;
use crate::single::single;

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

/// Removes an `X-Request-Id` that is not [`valid`].
pub(crate) async fn remove_invalid(mut request: Request) -> Request {
    if valid(request.headers()).is_none() {
        request.headers_mut().remove(X_REQUEST_ID);
    }
    request
}

/// The id of a request that never comes to the layers.
pub(crate) fn outside_the_layers(headers: &HeaderMap, ids: &SeededIds) -> HeaderValue {
    valid(headers).cloned().unwrap_or_else(|| ids.make())
}

/// An `X-Request-Id` that is exactly one token of the allowed characters.
fn valid(headers: &HeaderMap) -> Option<&HeaderValue> {
    single(headers, X_REQUEST_ID).filter(|line| is_token(line.as_bytes()))
}

fn is_token(id: &[u8]) -> bool {
    (1..=MAX_LENGTH).contains(&id.len())
        && id
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(byte))
}

/// Makes ids from the seed, so that a run repeats to the letter. Clones never make the
/// same one.
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

    fn make(&self) -> HeaderValue {
        let number = self.made.fetch_add(1, Ordering::Relaxed);
        let id = self.key.hash("request id", &number.to_be_bytes());
        #[expect(clippy::expect_used, reason = "it is made here")]
        HeaderValue::try_from(format!("req-{id}")).expect("it is hexadecimal")
    }
}

impl MakeRequestId for SeededIds {
    fn make_request_id<B>(&mut self, _: &http::Request<B>) -> Option<RequestId> {
        Some(RequestId::new(self.make()))
    }
}

#[cfg(test)]
mod tests {
    use super::is_token;

    #[test]
    fn a_token_of_allowed_characters_is_taken_over() {
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
