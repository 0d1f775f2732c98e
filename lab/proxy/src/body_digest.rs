//! The hash of a body, in which the boundary of a multipart body does not count: many libraries draw
//! it anew for each attempt, and it is no part of the content.

use host::KeyedDigest;
use http::{HeaderMap, header::CONTENT_TYPE};
use wire::ValueHash;

/// Hashes a body that comes in pieces.
pub(super) struct BodyDigest {
    digest: KeyedDigest,
    boundary: Option<Vec<u8>>,
    /// The last bytes that may be the beginning of a boundary.
    tail: Vec<u8>,
}

impl BodyDigest {
    /// Hashes the body of a request with these headers.
    pub(super) fn new(digest: KeyedDigest, headers: &HeaderMap) -> Self {
        Self {
            digest,
            boundary: boundary(headers),
            tail: Vec::new(),
        }
    }

    /// Adds bytes.
    pub(super) fn update(&mut self, data: &[u8]) {
        let Some(boundary) = &self.boundary else {
            self.digest.update(data);
            return;
        };
        self.tail.extend_from_slice(data);
        let mut rest = &*self.tail;
        let is_boundary = |part: &[u8]| part == boundary;
        while let Some(start) = rest.windows(boundary.len()).position(is_boundary) {
            let (content, after) = rest.split_at(start);
            self.digest.update(content);
            rest = after.split_at(boundary.len()).1;
        }
        // What is shorter than a boundary may be the beginning of one.
        let undecided = rest.len().min(boundary.len() - 1);
        let (content, tail) = rest.split_at(rest.len() - undecided);
        self.digest.update(content);
        self.tail = tail.to_vec();
    }

    /// The hash.
    pub(super) fn finish(mut self) -> ValueHash {
        self.digest.update(&self.tail);
        self.digest.to_hash()
    }
}

/// The boundary of a multipart body (RFC 2046 §5.1.1).
fn boundary(headers: &HeaderMap) -> Option<Vec<u8>> {
    let value = headers.get(CONTENT_TYPE)?.to_str().ok()?;
    let mut parts = value.split(';').map(str::trim);
    let (kind, _) = parts.next()?.split_once('/')?;
    let mut parameters = parts.filter_map(|part| part.split_once('='));
    let (_, boundary) = parameters.find(|(name, _)| name.eq_ignore_ascii_case("boundary"))?;
    let boundary = boundary.trim_matches('"');
    let is_multipart = kind.eq_ignore_ascii_case("multipart") && !boundary.is_empty();
    is_multipart.then(|| boundary.as_bytes().to_vec())
}

#[cfg(test)]
mod tests {
    use host::{Purpose, SeedKey};
    use http::HeaderValue;
    use proptest::prelude::*;

    use super::*;

    /// The hash of a body that comes in pieces of this length.
    fn hash(content_type: &str, body: &str, piece: usize) -> ValueHash {
        let value = HeaderValue::from_str(content_type).expect("a value");
        let headers = HeaderMap::from_iter([(CONTENT_TYPE, value)]);
        let mut digest = BodyDigest::new(SeedKey::new(7).digest(Purpose::Body), &headers);
        body.as_bytes()
            .chunks(piece)
            .for_each(|piece| digest.update(piece));
        digest.finish()
    }

    /// A form with this boundary and these parts.
    fn form(boundary: &str, parts: &[String]) -> String {
        let part = |part: &String| format!("--{boundary}\r\n\r\n{part}\r\n");
        let parts: String = parts.iter().map(part).collect();
        format!("{parts}--{boundary}--\r\n")
    }

    proptest! {
        #[test]
        fn a_form_with_another_boundary_is_the_same_form(
            parts in prop::collection::vec("[a-z-]{0,9}", 1..4),
            other in prop::collection::vec("[a-z-]{0,9}", 1..4),
            (one_boundary, other_boundary) in ("-{0,2}[0-9]{1,9}", "-{0,2}[0-9]{1,9}"),
            (one_piece, other_piece) in (1_usize..40, 1_usize..40),
        ) {
            let form_data = |boundary: &str| format!("multipart/form-data; boundary={boundary}");
            let one = hash(&form_data(&one_boundary), &form(&one_boundary, &parts), one_piece);
            let again =
                hash(&form_data(&other_boundary), &form(&other_boundary, &parts), other_piece);
            let differs =
                hash(&form_data(&other_boundary), &form(&other_boundary, &other), other_piece);

            prop_assert_eq!(one, again);
            prop_assert_eq!(one == differs, parts == other);
        }
    }

    #[test]
    fn only_the_boundary_of_a_multipart_body_does_not_count() {
        let is_ignored = |one: &str, other: &str| {
            let text = |boundary: &str| format!("--{boundary}--");
            hash(one, &text("a"), 9) == hash(other, &text("b"), 9)
        };

        for (one, other, expected) in [
            (
                "multipart/form-data; boundary=a",
                "multipart/form-data; boundary=b",
                true,
            ),
            (
                "Multipart/Related; type=x; Boundary=\"a\"",
                "multipart/related;boundary=\"b\"",
                true,
            ),
            ("text/plain; boundary=a", "text/plain; boundary=b", false),
            ("multipart/mixed", "multipart/mixed", false),
            (
                "multipart/mixed; boundary=",
                "multipart/mixed; boundary=",
                false,
            ),
        ] {
            assert_eq!(is_ignored(one, other), expected, "{one}");
        }
    }
}
