//! Reads the `traceparent` header of W3C Trace Context (§3.2).
//!
//! Strict on purpose: a header that breaks a rule is treated as absent, since a
//! wrong parent would hang a request into somebody else's trace.

use http::{HeaderMap, HeaderName};

use wire::header_lines::single;

/// The header's name.
pub(crate) const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");

/// The caller's position in a trace, as lower-case hexadecimal text.
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
        Self::parse(single(headers, &TRACEPARENT)?.to_str().ok()?)
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
    use proptest::prelude::*;
    use testkit::nearly;

    use super::{TRACEPARENT, TraceParent};

    const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
    const PARENT: &str = "b7ad6b7169203331";

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

    fn any_header() -> impl Strategy<Value = String> {
        let version = prop_oneof![Just("00"), Just("ff"), Just("01"), Just("cc")];
        let fields = ("[0-9a-f]{32}", "[0-9a-f]{16}", "[0-9a-f]{2}");
        let later = prop_oneof![Just(""), Just("-"), Just("-what-comes-later")];
        (version, fields, later).prop_map(|(version, (trace, parent, flags), later)| {
            format!("{version}-{trace}-{parent}-{flags}{later}")
        })
    }

    proptest! {
        /// The ids that are read stand in the header, letter for letter, at the places that every
        /// version shares.
        #[test]
        fn whatever_is_read_has_the_form_that_all_versions_share(
            header in nearly(any_header(), &["", "-", "0", "F", "g", " ", "00-", "\u{e9}"]),
        ) {
            let read = TraceParent::parse(&header);

            if let Some(TraceParent { trace_id, parent_id }) = read {
                let (version, flags) = (&header[..2], &header[53..55]);
                let shared = format!("{version}-{trace_id}-{parent_id}-{flags}");
                let lower = |sign: char| matches!(sign, '0'..='9' | 'a'..='f' | '-');
                prop_assert_eq!(&header[..55], &shared);
                prop_assert!(shared.chars().all(lower) && shared.matches('-').count() == 3);
                prop_assert!(version != "ff" && (version != "00" || header.len() == 55));
            }
        }

        #[test]
        fn a_header_of_the_form_is_read_unless_its_version_forbids_it(header in any_header()) {
            let is_plain = header.len() == 55;
            let has_zeros = header.contains(&"0".repeat(16));
            let is_allowed = match &header[..2] {
                "ff" => false,
                "00" => is_plain,
                _ => true,
            };

            prop_assert_eq!(TraceParent::parse(&header).is_some(), is_allowed && !has_zeros);
        }
    }
}
