//! Which media types are JSON.

/// Whether a media type is JSON: `application/json`, or any type with the structured
/// suffix `+json` (RFC 6839 §3.1). Letter case and parameters do not matter (RFC 9110
/// §8.3.1), and a parameter may hold any byte but control characters (§5.6.4).
#[must_use]
pub fn is_json(media_type: &[u8]) -> bool {
    let essence = media_type.split(|byte| *byte == b';').next();
    let essence = essence.unwrap_or_default().trim_ascii();
    if essence.eq_ignore_ascii_case(b"application/json") {
        return true;
    }
    let suffix = essence.len().checked_sub(b"+json".len());
    let has_suffix = suffix
        .and_then(|at| essence.get(at..))
        .is_some_and(|suffix| suffix.eq_ignore_ascii_case(b"+json"));
    let mut parts = essence.splitn(2, |byte| *byte == b'/');
    has_suffix && parts.next().is_some_and(is_token) && parts.next().is_some_and(is_token)
}

/// `token = 1*tchar` (RFC 9110 §5.6.2).
fn is_token(text: &[u8]) -> bool {
    let is_tchar = |byte: &u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte);
    !text.is_empty() && text.iter().all(is_tchar)
}

#[cfg(test)]
mod tests {
    use super::is_json;

    #[test]
    fn json_is_application_json_or_a_type_with_the_suffix() {
        let table = [
            ("application/json", true),
            ("a/b/c+json", false),
            ("two words/x+json", false),
            ("Application/JSON ; charset=utf-8", true),
            ("application/problem+json", true),
            ("text/x+json", true),
            ("application/+json", true),
            ("text/json", false),
            ("application/jsonx", false),
            ("text/plain", false),
            ("json", false),
            ("+json", false),
            ("/+json", false),
            ("/json", false),
            ("", false),
        ];

        for (value, expected) in table {
            assert_eq!(is_json(value.as_bytes()), expected, "{value}");
        }
        assert!(is_json(b"application/json; by=\"\xc3\xa9\xff\""));
    }
}
