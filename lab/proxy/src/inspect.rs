//! The facts of a request about its call, without a value that could be a secret.

use host::{Purpose, SeedKey};
use http::{
    HeaderMap, HeaderName, Uri,
    header::{IF_MATCH, IF_NONE_MATCH, IF_UNMODIFIED_SINCE},
};
use wire::ValueHash;

use crate::ProxyRequest;

/// The headers that carry an idempotency key.
const KEYS: [&str; 2] = ["idempotency-key", "x-idempotency-key"];

/// The header in which an AWS SDK names a call.
const AWS: &str = "amz-sdk-invocation-id";

/// The header in which a Google SDK names a call, after this word.
const GOOGLE: (&str, &str) = ("x-goog-api-client", "gccl-invocation-id/");

/// The headers that count attempts, and the word before the number.
const ATTEMPTS: [(&str, &str); 2] = [
    ("x-stainless-retry-count", ""),
    ("amz-sdk-request", "attempt="),
];

/// The header in which Envoy counts the attempts of its own retries.
const ENVOY: &str = "x-envoy-attempt-count";

/// The headers with which a request fails if it was done before (RFC 9110 §13.1).
const PRECONDITIONS: [HeaderName; 3] = [IF_MATCH, IF_NONE_MATCH, IF_UNMODIFIED_SINCE];

/// The facts in the head of a request. Values of these headers name a call, too.
pub(super) fn inspect(
    key: &SeedKey,
    uri: &Uri,
    headers: &HeaderMap,
    call_headers: &[HeaderName],
) -> ProxyRequest {
    let hash = |value: &[u8]| key.hash(Purpose::Call, value);
    let key_header = KEYS.iter().find_map(|name| headers.get(*name));
    let idempotency_key = key_header.map(|value| hash(value.as_bytes()));
    let named = call_headers
        .iter()
        .filter_map(|name| Some((name.as_str(), headers.get(name)?)))
        .chain(headers.get(AWS).map(|value| (AWS, value)))
        // With its name, since equal values of two headers are no tie.
        .map(|(name, value)| hash(&[name.as_bytes(), b": ", value.as_bytes()].concat()));
    let google = part(headers, GOOGLE.0, GOOGLE.1).map(|id| hash(id.as_bytes()));
    let calls: Vec<ValueHash> = idempotency_key
        .into_iter()
        .chain(named)
        .chain(google)
        .collect();
    let attempts = ATTEMPTS
        .iter()
        .filter_map(|(name, word)| part(headers, name, word));
    let target = uri.path_and_query().map_or("/", |target| target.as_str());
    ProxyRequest {
        target: key.hash(Purpose::Target, target.as_bytes()),
        idempotency_key,
        calls,
        attempt: attempts.filter_map(|attempt| attempt.parse().ok()).next(),
        is_repeated_by_a_hop: part(headers, ENVOY, "")
            .and_then(|part| part.parse::<u64>().ok())
            .is_some_and(|attempt| attempt > 1),
        has_precondition: PRECONDITIONS.iter().any(|name| headers.contains_key(name)),
        ..ProxyRequest::default()
    }
}

/// The part of a header that follows a word, up to a separator.
fn part<'a>(headers: &'a HeaderMap, name: &str, word: &str) -> Option<&'a str> {
    let value = headers.get(name).and_then(|value| value.to_str().ok())?;
    let parts = value.split([' ', ';', ',']);
    parts.filter_map(|part| part.strip_prefix(word)).next()
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn of(uri: &str, lines: &[(&'static str, &str)]) -> ProxyRequest {
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            let value = HeaderValue::from_str(value).expect("a value");
            headers.append(HeaderName::from_static(name), value);
        }
        let own = [HeaderName::from_static("x-call")];
        inspect(
            &SeedKey::new(7),
            &uri.parse().expect("a target"),
            &headers,
            &own,
        )
    }

    #[test]
    fn equal_values_of_one_header_name_one_call() {
        let tied = |one: (&'static str, &str), other: (&'static str, &str)| {
            let (one, other) = (of("/", &[one]), of("/", &[other]));
            one.calls.iter().any(|call| other.calls.contains(call))
        };
        let google = "gl-python/3.11 gccl-invocation-id/4f-1 gccl/2.1";

        assert!(tied(("idempotency-key", "a"), ("x-idempotency-key", "a")));
        assert!(tied(
            ("amz-sdk-invocation-id", "a"),
            ("amz-sdk-invocation-id", "a")
        ));
        assert!(tied(
            ("x-goog-api-client", google),
            ("x-goog-api-client", "gccl-invocation-id/4f-1")
        ));
        assert!(tied(("x-call", "a"), ("x-call", "a")));
        assert!(!tied(("idempotency-key", "a"), ("idempotency-key", "b")));
        assert!(!tied(("x-call", "a"), ("amz-sdk-invocation-id", "a")));
        assert!(!tied(("traceparent", "a"), ("traceparent", "a")));
        assert!(!tied(("x-request-id", "a"), ("x-request-id", "a")));
    }

    #[test]
    fn attempts_are_counted_as_clients_and_hops_say() {
        for (line, attempt, by_hop) in [
            (("x-stainless-retry-count", "2"), Some(2), false),
            (("amz-sdk-request", "attempt=3; max=5"), Some(3), false),
            (("x-envoy-attempt-count", "1"), None, false),
            (("x-envoy-attempt-count", "2"), None, true),
        ] {
            let request = of("/", &[line]);
            assert_eq!(
                (request.attempt, request.is_repeated_by_a_hop),
                (attempt, by_hop)
            );
        }
    }

    #[test]
    fn preconditions_are_noticed() {
        for (line, expected) in [
            (("if-none-match", "*"), true),
            (("if-match", "\"a\""), true),
            (
                ("if-unmodified-since", "Sun, 06 Nov 1994 08:49:37 GMT"),
                true,
            ),
            (
                ("if-modified-since", "Sun, 06 Nov 1994 08:49:37 GMT"),
                false,
            ),
        ] {
            assert_eq!(of("/", &[line]).has_precondition, expected, "{line:?}");
        }
    }
}
