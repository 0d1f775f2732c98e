//! Which media types are JSON.

use http::{HeaderMap, header::CONTENT_TYPE};

/// Whether the `Content-Type` says JSON: `application/json`, or any type with
/// the structured suffix `+json` (RFC 6839 §3.1).
///
/// Parameters such as a charset, and letter case, do not matter (RFC 9110 §8.3.1). A
/// subtype that consists only of the suffix is accepted, because the contract requires
/// only the ending. A body without a `Content-Type` does not count as JSON.
#[must_use]
pub(crate) fn is_json(headers: &HeaderMap) -> bool {
    headers
        .get(CONTENT_TYPE)
        .is_some_and(|value| names_json(value.as_bytes()))
}

/// The parameters may hold any byte but control characters (RFC 9110 §5.6.4).
fn names_json(value: &[u8]) -> bool {
    let essence = value.split(|byte| *byte == b';').next();
    let essence = str::from_utf8(essence.unwrap_or_default()).unwrap_or_default();
    let essence = essence.trim_matches([' ', '\t']);
    if essence.eq_ignore_ascii_case("application/json") {
        return true;
    }
    let parts = essence.split_once('/');
    parts.is_some_and(|(kind, subtype)| {
        let suffix = subtype.rsplit('+').next().unwrap_or_default();
        let has_suffix = suffix.len() < subtype.len() && suffix.eq_ignore_ascii_case("json");
        has_suffix && is_token(kind) && is_token(subtype)
    })
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
    use proptest::prelude::*;

    use super::*;

    const TOKEN: &str = "[a-z0-9!#$%&'*+.^_`|~-]{1,8}";

    proptest! {
        #[test]
        fn case_white_space_and_parameters_do_not_matter(
            kind in TOKEN, name in TOKEN, suffix in "(\\+json)?", upper: u64,
            before in "[ \t]{0,2}", after in "[ \t]{0,2}(; ?[ -~\u{e9}]{0,12})?",
        ) {
            let plain = format!("{kind}/{name}{suffix}");
            let mixed = plain.chars().enumerate().map(|(at, sign)| {
                match upper >> (at % 64) & 1 {
                    1 => sign.to_ascii_uppercase(),
                    _ => sign,
                }
            });
            let mixed: String = mixed.collect();

            let is_json = names_json(format!("{before}{mixed}{after}").as_bytes());

            prop_assert_eq!(is_json, names_json(plain.as_bytes()));
            prop_assert_eq!(is_json, plain.ends_with("+json"));
        }

        /// A type is one token, a slash and another token, and has nothing around it.
        #[test]
        fn nothing_else_is_json(value in "[a/+; \"=\u{e9}]{0,4}(application|a)?/?(json|a\\+json)[a/ ,]{0,2}") {
            let essence = value.split(';').next().unwrap_or_default().trim();
            let signs = essence.chars().all(|sign| sign.is_ascii_lowercase() || "+/".contains(sign));
            let json = essence == "application/json" || essence.ends_with("+json");
            let (kind, name) = essence.split_once('/').unwrap_or_default();
            let two_parts = !kind.is_empty() && !name.is_empty() && essence.matches('/').count() == 1;

            prop_assert_eq!(names_json(value.as_bytes()), signs && json && two_parts);
        }
    }
}
