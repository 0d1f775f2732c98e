//! The problem object of an error response: machine code, request id and field location.

use std::fmt;

use http::HeaderMap;

use super::response::JsonType;
use crate::response_checks::{Member, is_json, members};

/// The longest text of a problem that is retained, in bytes.
const LONGEST: usize = 1024;

/// The longest text of a problem that is printed, in bytes.
const LONGEST_PRINTED: usize = 64;

/// The description of an error, from the body or the headers of its response.
#[derive(Clone, Default, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) code: Option<Box<str>>,
    pub(crate) request_id: Option<Box<str>>,
    pub(crate) field: Option<Box<str>>,
}

impl Problem {
    /// Reads the members that are present. An error response may have any body or none, so
    /// this never fails.
    pub(crate) fn read(headers: &HeaderMap, body: &[u8]) -> Self {
        let mut problem = Self::default();
        if is_json(headers) {
            // Bytes that are not Unicode stand in a text that nothing reads, or make one that
            // is no identifier.
            let text = String::from_utf8_lossy(body);
            if let Ok(members) = members(text.as_bytes(), ["code", "request_id", "field"]) {
                [problem.code, problem.request_id, problem.field] = members.map(text_of);
            }
        }
        problem.request_id = problem.request_id.or_else(|| {
            let id = headers.get("x-request-id")?.to_str().ok()?;
            retained(id)
        });
        problem
    }
}

/// The text of a member of a problem object, or the digits of a number.
fn text_of(member: Member<'_>) -> Option<Box<str>> {
    let value = member.required().ok()?;
    match JsonType::of(value) {
        JsonType::String => retained(&serde_json::from_str::<String>(value.get()).ok()?),
        JsonType::Number => retained(value.get()),
        _ => None,
    }
}

/// Prints each part that [may be printed](printable).
impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            ("code", &self.code),
            ("field", &self.field),
            ("request", &self.request_id),
        ];
        let parts = parts.into_iter().filter_map(|(name, text)| {
            let text = printable(text.as_deref()?)?;
            Some(format!("{name} {text}"))
        });
        match &*parts.collect::<Vec<_>>().join(", ") {
            "" => Ok(()),
            parts => write!(f, " ({parts})"),
        }
    }
}

/// The texts come from the service and may contain anything. A text that may not be
/// printed appears as `…`.
impl fmt::Debug for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |text: &Option<Box<str>>| {
            let text = text.as_deref()?;
            Some(printable(text).unwrap_or("…").to_owned())
        };
        f.debug_struct("Problem")
            .field("code", &shown(&self.code))
            .field("request_id", &shown(&self.request_id))
            .field("field", &shown(&self.field))
            .finish()
    }
}

/// Keeps a text unchanged, unless it is empty or too long.
fn retained(text: &str) -> Option<Box<str>> {
    (1..=LONGEST).contains(&text.len()).then(|| text.into())
}

/// Keeps a text that looks like an identifier: no log may contain an address, a query
/// or a credential that a service sends in its place.
pub(super) fn printable(text: &str) -> Option<&str> {
    let identifier = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    let looks_like_one = text.len() <= LONGEST_PRINTED && text.bytes().all(identifier);
    looks_like_one.then_some(text)
}

#[cfg(test)]
mod tests {
    use proptest::{prelude::*, sample::Index};

    use super::*;

    fn headers(content_type: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert("content-type", content_type.parse().expect("a value"));
        headers.insert("x-request-id", "from-header".parse().expect("a value"));
        headers
    }

    fn read(body: impl AsRef<[u8]>) -> Problem {
        Problem::read(&headers("application/problem+json"), body.as_ref())
    }

    #[test]
    fn retains_code_request_id_and_field_unchanged() {
        let longest = "x".repeat(LONGEST);
        for text in [
            "not_found",
            "some code",
            "conflit_clé",
            "https://internal.example/users?id=42",
            "tab\there",
            &longest,
        ] {
            let body = serde_json::json!({ "code": text, "request_id": text, "field": text });

            let problem = read(body.to_string());

            let texts = [problem.code, problem.request_id, problem.field];
            assert_eq!(texts.each_ref().map(Option::as_deref), [Some(text); 3]);
        }
        let number = read(r#"{"code":40901,"request_id":-1.50e400}"#);
        assert_eq!(number.code.as_deref(), Some("40901"));
        assert_eq!(number.request_id.as_deref(), Some("-1.50e400"));
    }

    #[test]
    fn an_invalid_member_does_not_affect_the_others() {
        for odd in [
            br#""n":1e999"#.as_slice(),
            br#""text":"\ud800""#,
            br#""\udc00":1"#,
            b"\"bytes\":\"\xff\"",
            b"\"\xff\":1",
            br#""field":"\ud800""#,
            br#""field":{"deep":[1e999]}"#,
            br#""field":null"#,
            [br#""n":"#.as_slice(), &[b'['; 30_000], &[b']'; 30_000]]
                .concat()
                .as_slice(),
        ] {
            for body in [
                [b"{", odd, br#","code":"c","request_id":"r"}"#].concat(),
                [br#"{"code":"c","request_id":"r","#, odd, b"}"].concat(),
            ] {
                let problem = read(&body);

                let text = String::from_utf8_lossy(&body);
                assert_eq!(problem.code.as_deref(), Some("c"), "{text}");
                assert_eq!(problem.request_id.as_deref(), Some("r"), "{text}");
                assert_eq!(problem.field, None, "{text}");
            }
        }
    }

    #[test]
    fn falls_back_to_the_header_where_the_body_has_no_request_id() {
        let too_long = format!(r#"{{"request_id":"{}"}}"#, "x".repeat(LONGEST + 1));
        for (content_type, body) in [
            ("text/html", r#"{"code":"x","request_id":"y"}"#),
            ("application/json", "not json"),
            ("application/json", r#"["code"]"#),
            ("application/json", r#"{"code":true,"request_id":null}"#),
            ("application/json", r#"{"code":"","request_id":""}"#),
            ("application/json", &too_long),
            ("application/json", r#"{"code":"x"} and more"#),
            ("application/json", r#"{"code":"x","request_id":"y""#),
        ] {
            let problem = Problem::read(&headers(content_type), body.as_bytes());

            assert_eq!(problem.code, None, "{body}");
            assert_eq!(problem.request_id.as_deref(), Some("from-header"), "{body}");
        }
    }

    #[test]
    fn prints_only_texts_that_look_like_identifiers() {
        let problem = |text: &str| Problem {
            code: Some(text.into()),
            ..Problem::default()
        };
        for text in ["not_found", "header.Idempotency-Key", &"x".repeat(64)] {
            assert_eq!(problem(text).to_string(), format!(" (code {text})"));
            assert!(format!("{:?}", problem(text)).contains(text));
        }
        for text in [
            "internal.example/users/42",
            "127.0.0.1:8765/items",
            "some code",
            "clé",
            &"x".repeat(65),
        ] {
            assert_eq!(problem(text).to_string(), "");
            assert!(!format!("{:?}", problem(text)).contains(text));
        }
        let all = read(r#"{"code":"c","request_id":"r","field":"query.limit"}"#);
        assert_eq!(all.to_string(), " (code c, field query.limit, request r)");
    }

    proptest! {
        /// Of a truncated body only the header's request id is left.
        #[test]
        fn a_truncated_body_leaves_the_problem_out(
            code in "[a-z?:/ \\\\\"\u{e9}]{1,6}", cut: Index,
        ) {
            let body = serde_json::json!({ "code": code, "request_id": "r", "field": 7 });
            let body = body.to_string();
            let json = headers("application/json");

            let whole = Problem::read(&json, body.as_bytes());
            let part = Problem::read(&json, &body.as_bytes()[..cut.index(body.len())]);

            prop_assert_eq!(whole.code.as_deref(), Some(&*code));
            prop_assert_eq!(part.request_id.as_deref(), Some("from-header"));
            prop_assert_eq!((part.code, part.field), (None, None));
        }
    }
}
