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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_in_all_its_spellings() {
        for value in [
            "application/json",
            "application/json; charset=utf-8",
            "application/json;charset=utf-8",
            "Application/JSON",
            "application/json ; charset=utf-8",
            "application/problem+json",
            "application/vnd.api+JSON; v=1",
            "image/svg+json",
        ] {
            assert!(names_json(value), "{value}");
        }
    }

    #[test]
    fn everything_else_is_not_json() {
        for value in [
            "",
            "json",
            "text/json",
            "text/plain; charset=utf-8",
            "application/jsonp",
            "application/json-seq",
            "application/+json",
            "application/x+json+xml",
            "text/plain; note=application/json",
            "application/json, text/plain",
            "a b/c+json",
        ] {
            assert!(!names_json(value), "{value}");
        }
    }

    #[test]
    fn no_content_type_is_not_json() {
        assert!(!is_json(&HeaderMap::new()));
    }
}
