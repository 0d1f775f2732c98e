//! Which media types are JSON.

use http::{HeaderMap, header::CONTENT_TYPE};

/// Whether the `Content-Type` says JSON: `application/json`, or any type with
/// the structured suffix `+json` (RFC 6839 §3.1).
///
/// Parameters such as a charset, and letter case, do not matter (RFC 9110
/// §8.3.1). A body without a `Content-Type` does not count as JSON.
#[must_use]
pub(crate) fn is_json(headers: &HeaderMap) -> bool {
    headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .is_some_and(names_json)
}

fn names_json(value: &str) -> bool {
    let essence = value.split(';').next().unwrap_or_default();
    let essence = essence.trim_matches([' ', '\t']).to_ascii_lowercase();
    match essence.split_once('/') {
        Some(("application", "json")) => true,
        Some((kind, subtype)) => {
            is_token(kind)
                && is_token(subtype)
                && subtype
                    .strip_suffix("+json")
                    .is_some_and(|name| !name.is_empty())
        }
        None => false,
    }
}

/// `token = 1*tchar` (RFC 9110 §5.6.2).
fn is_token(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}
