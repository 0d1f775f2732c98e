//! Reads the `traceparent` header of W3C Trace Context (§3.2).
//!
//! Strict on purpose: a header that breaks a rule is treated as absent, since a
//! wrong parent would hang a request into somebody else's trace.

use http::HeaderMap;

use crate::single::single;

/// The header's name.
pub(crate) const TRACEPARENT: &str = "traceparent";

/// The caller's place in a trace, as lower-case hexadecimal text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TraceParent {
    /// 32 digits, not all zero.
    pub(crate) trace_id: String,
    /// 16 digits, not all zero.
    pub(crate) parent_id: String,
}

impl TraceParent {
    /// The parent that the headers name; none if they name it twice.
    pub(crate) fn from_headers(headers: &HeaderMap) -> Option<Self> {
        Self::parse(single(headers, TRACEPARENT)?.to_str().ok()?)
    }

    fn parse(header: &str) -> Option<Self> {
        let mut fields = header.splitn(5, '-');
        let (version, trace_id, parent_id, flags) = (
            fields.next()?,
            fields.next()?,
            fields.next()?,
            fields.next()?,
        );
        // Version 00 ends with the flags. A later version may append fields, and is
        // read by the prefix it must share; ff is never a version.
        let version_is_valid =
            is_hex(version, 2) && version != "ff" && (version != "00" || fields.next().is_none());

        let is_valid =
            version_is_valid && is_id(trace_id, 32) && is_id(parent_id, 16) && is_hex(flags, 2);
        is_valid.then(|| Self {
            trace_id: trace_id.to_owned(),
            parent_id: parent_id.to_owned(),
        })
    }
}

fn is_id(text: &str, length: usize) -> bool {
    is_hex(text, length) && text.bytes().any(|byte| byte != b'0')
}

fn is_hex(text: &str, length: usize) -> bool {
    text.len() == length
        && text
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, HeaderValue};

    use super::{TRACEPARENT, TraceParent};

    const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
    const PARENT: &str = "b7ad6b7169203331";

    #[test]
    fn reads_each_valid_form() {
        let forms = [
            format!("00-{TRACE}-{PARENT}-01"),
            format!("00-{TRACE}-{PARENT}-00"),
            format!("00-{TRACE}-{PARENT}-ff"),
            format!("cc-{TRACE}-{PARENT}-01"),
            format!("cc-{TRACE}-{PARENT}-01-"),
            format!("cc-{TRACE}-{PARENT}-01-what-comes-later"),
        ];

        for form in forms {
            let parsed = TraceParent::parse(&form);

            let expected = TraceParent {
                trace_id: TRACE.into(),
                parent_id: PARENT.into(),
            };
            assert_eq!(parsed, Some(expected), "{form}");
        }
    }

    #[test]
    fn refuses_each_invalid_form() {
        let zeros = "0".repeat(32);
        let forms = [
            String::new(),
            format!("ff-{TRACE}-{PARENT}-01"),
            format!("00-{TRACE}-{PARENT}-01-"),
            format!("00-{TRACE}-{PARENT}-01-more"),
            format!("cc-{TRACE}-{PARENT}-01.more"),
            format!("00-{TRACE}-{PARENT}"),
            format!("00-{TRACE}-{PARENT}-1"),
            format!("00-{TRACE}-{PARENT}-0g"),
            format!("0-{TRACE}-{PARENT}-01"),
            format!("00-{zeros}-{PARENT}-01"),
            format!("00-{TRACE}-{}-01", &zeros[..16]),
            format!("00-{}-{PARENT}-01", TRACE.to_uppercase()),
            format!("00-{TRACE}-{}-01", PARENT.to_uppercase()),
            format!("00-{}-{PARENT}-01", &TRACE[1..]),
            format!(" 00-{TRACE}-{PARENT}-01"),
        ];

        for form in forms {
            assert_eq!(TraceParent::parse(&form), None, "{form}");
        }
    }

    #[test]
    fn two_headers_count_as_none() {
        let line = HeaderValue::from_str(&format!("00-{TRACE}-{PARENT}-01")).unwrap();
        let mut headers = HeaderMap::new();
        headers.append(TRACEPARENT, line.clone());
        let once = TraceParent::from_headers(&headers);
        headers.append(TRACEPARENT, line);

        let twice = TraceParent::from_headers(&headers);

        assert!(once.is_some());
        assert_eq!(twice, None);
    }
}
