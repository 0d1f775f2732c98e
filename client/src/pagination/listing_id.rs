//! The identity of the listing that a checkpoint belongs to.

use std::fmt;

use url::Url;

use crate::target::Target;

/// A listing's identity: the template of its endpoint, and fingerprints of its base URL,
/// of its path values and of its query.
///
/// Its text may be kept and printed, since it contains neither a URL nor a value:
/// `/items@85944171f73967e8.cbf29ce484222325.cbf29ce484222325`. A fingerprint is 64-bit
/// FNV-1a, the same in every run. It distinguishes listings, but does not protect against
/// forgery. Credentials are not part of it: if a listing differs between accounts, use a
/// separate store for each account.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct ListingId(Box<str>);

impl ListingId {
    pub(super) fn new(target: &Target, base_url: &Url) -> Self {
        let base_url = base_url.as_str().trim_end_matches('/');
        let template = target.endpoint().template();
        let [base_url, values, query] = [
            base_url.as_bytes(),
            &target.path_values(),
            target.query_text().as_bytes(),
        ]
        .map(fingerprint);
        Self(format!("{template}@{base_url:016x}.{values:016x}.{query:016x}").into())
    }

    /// Creates an identity from a stored text. A text of any other form matches no
    /// listing.
    #[must_use]
    pub fn from_text(text: impl Into<Box<str>>) -> Self {
        Self(text.into())
    }

    /// The text for a store to keep.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text for an error, if it has the form of an identity: a stored text may be any
    /// other, and hold anything.
    pub(super) fn printable(&self) -> &str {
        let fingerprints = self.0.rsplit_once('@').map(|(_, text)| text.split('.'));
        let is_an_identity = fingerprints.is_some_and(|mut fingerprints| {
            fingerprints.clone().count() == 3
                && fingerprints.all(|text| u64::from_str_radix(text, 16).is_ok())
        });
        if is_an_identity { &self.0 } else { "…" }
    }
}

/// Hides the text, because a stored text may come from anywhere.
impl fmt::Debug for ListingId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ListingId(…)")
    }
}

/// FNV-1a: the hashes of the standard library may change with its release.
pub(super) fn fingerprint(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endpoint::Endpoint;

    /// The vectors that the authors of FNV publish.
    #[test]
    fn the_fingerprint_is_the_published_one() {
        for (text, hash) in [
            ("", 0xcbf2_9ce4_8422_2325),
            ("a", 0xaf63_dc4c_8601_ec8c),
            ("foobar", 0x8594_4171_f739_67e8),
        ] {
            assert_eq!(fingerprint(text.as_bytes()), hash, "{text}");
        }
    }

    const LINES: Endpoint = Endpoint::new("lines", "/orders/{id}/lines/{kind}");

    fn id(base_url: &str, target: impl Into<Target>) -> ListingId {
        let base_url = Url::parse(base_url).expect("a URL");
        ListingId::new(&target.into(), &base_url)
    }

    #[test]
    fn each_part_alone_makes_another_listing() {
        const OTHER: Endpoint = Endpoint::new("lines", "/orders/{id}/rows/{kind}");
        let of = |base_url, endpoint: Endpoint, number: u32, kind: &str, state: &str| {
            let target = endpoint.path("id", number).path("kind", kind);
            id(base_url, target.query("state", state))
        };
        let here = "http://h4.invalid/v1";
        let ours = of(here, LINES, 1, "a", "open");
        for (theirs, is_the_same) in [
            (of(here, LINES, 1, "a", "open"), true),
            (of("http://H4.invalid:80/v1/", LINES, 1, "a", "open"), true),
            (of(here, OTHER, 1, "a", "open"), false),
            (of("http://h4.invalid/v2", LINES, 1, "a", "open"), false),
            (of("https://h4.invalid/v1", LINES, 1, "a", "open"), false),
            (of("http://h4.invalid:81/v1", LINES, 1, "a", "open"), false),
            (of(here, LINES, 2, "a", "open"), false),
            (of(here, LINES, 1, "b", "open"), false),
            (of(here, LINES, 1, "a", "all"), false),
        ] {
            assert_eq!(ours == theirs, is_the_same, "{}", theirs.as_str());
            assert_eq!(ListingId::from_text(theirs.as_str()), theirs);
            assert_eq!(theirs.printable(), theirs.as_str());
        }
        for stored in ["/orders", "secret@1.2", "secret@1.2.secret", "@..", ""] {
            assert_eq!(ListingId::from_text(stored).printable(), "…");
        }
    }

    #[test]
    fn values_count_by_their_names_and_not_by_their_order() {
        let base_url = "http://h4.invalid/";
        let target = |one: (&'static str, &str), other: (&'static str, &str)| {
            Target::from(LINES)
                .path(one.0, one.1)
                .path(other.0, other.1)
        };
        let ours = id(base_url, target(("id", "1"), ("kind", "a")));

        assert_eq!(ours, id(base_url, target(("kind", "a"), ("id", "1"))));
        assert_ne!(ours, id(base_url, target(("id", "a"), ("kind", "1"))));
        assert_ne!(ours, id(base_url, target(("id", "1kind"), ("kind", ""))));
        assert_eq!(format!("{ours:?}"), "ListingId(…)");
        assert!(!ours.as_str().contains("h4.invalid"));
    }
}
