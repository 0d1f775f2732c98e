//! The identity of the listing that a checkpoint belongs to.

use std::fmt;

use url::Url;

use crate::endpoint::Endpoint;

/// A listing's identity: the template of its endpoint, and a fingerprint of its
/// URL.
///
/// Its text, such as `/items@85944171f73967e8`, may be kept and printed: it contains no
/// URL. The fingerprint is 64-bit FNV-1a, the same in every run. It distinguishes
/// services, but does not protect against forgery. Credentials are not part of it: if a
/// listing differs between accounts, use a separate store for each account.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct ListingId(Box<str>);

impl ListingId {
    pub(super) fn new(endpoint: Endpoint, url: &Url) -> Self {
        let fingerprint = fingerprint(url.as_str());
        Self(format!("{}@{fingerprint:016x}", endpoint.template()).into())
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

    /// The template of the endpoint.
    pub(super) fn template(&self) -> &str {
        let parts = self.0.rsplit_once('@');
        parts.map_or(&self.0, |(template, _)| template)
    }
}

/// Hides the text, because a stored text may come from anywhere.
impl fmt::Debug for ListingId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ListingId(…)")
    }
}

/// FNV-1a: the hashes of the standard library may change with its release.
fn fingerprint(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::teaching::endpoint::ITEMS;

    /// The vectors that the authors of FNV publish.
    #[test]
    fn the_fingerprint_is_the_published_one() {
        for (text, hash) in [
            ("", 0xcbf2_9ce4_8422_2325),
            ("a", 0xaf63_dc4c_8601_ec8c),
            ("foobar", 0x8594_4171_f739_67e8),
        ] {
            assert_eq!(fingerprint(text), hash, "{text}");
        }
    }

    #[test]
    fn the_text_does_not_contain_the_url_and_restores_the_id() {
        let url = Url::parse("http://h4.example/prefix/items").expect("a URL");
        let id = ListingId::new(ITEMS, &url);

        let again = ListingId::from_text(id.as_str());

        let (template, hash) = id.as_str().split_once('@').expect("two parts");
        assert_eq!((template, hash.len()), ("/items", 16));
        assert_eq!((again.template(), &again), ("/items", &id));
        assert_eq!(ListingId::from_text("secret").template(), "secret");
        assert_eq!(format!("{id:?}"), "ListingId(…)");
    }
}
