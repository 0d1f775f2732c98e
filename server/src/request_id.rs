//! `X-Request-Id`: the name under which a request can be found again.
//!
//! It is taken over from the request, or made. A header that is taken as it came would
//! let any text into logs and responses, so that there is a rule which ids are.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use http::{HeaderMap, HeaderName, HeaderValue};

use crate::header_lines::single;
use crate::seed_key::{Purpose, SeedKey};

/// The header's name.
pub(crate) const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The longest id that is taken over from a request.
const MAX_LENGTH: usize = 128;

/// What an id begins with that was made here; sixteen hexadecimal digits follow.
const PREFIX: &[u8; 4] = b"req-";

/// The id of a request: 1 to 128 ASCII letters, digits, dots, hyphens and underscores. The
/// default is that of no request, and empty.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct RequestId(Source);

/// Ids that are made need no memory of their own: the ledger keeps thousands.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Source {
    Made([u8; 20]),
    Taken(Box<str>),
}

impl RequestId {
    /// The header of a response.
    pub(crate) fn to_header(&self) -> HeaderValue {
        #[expect(clippy::expect_used, reason = "no other text is taken over or made")]
        HeaderValue::from_bytes(self.as_bytes()).expect("it is ASCII without control characters")
    }

    fn as_bytes(&self) -> &[u8] {
        match &self.0 {
            Source::Made(id) => id,
            Source::Taken(id) => id.as_bytes(),
        }
    }

    fn made(number: u64) -> Self {
        let mut id = [0; 20];
        let (prefix, digits) = id.split_at_mut(PREFIX.len());
        prefix.copy_from_slice(PREFIX);
        for (position, digit) in digits.iter_mut().rev().enumerate() {
            let value = (number >> (4 * position)) as u8 & 0xf;
            *digit = value + if value < 10 { b'0' } else { b'a' - 10 };
        }
        Self(Source::Made(id))
    }
}

impl Default for RequestId {
    fn default() -> Self {
        Self(Source::Taken(Box::default()))
    }
}

impl Deref for RequestId {
    type Target = str;

    fn deref(&self) -> &str {
        str::from_utf8(self.as_bytes()).unwrap_or_default()
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&**self, f)
    }
}

impl fmt::Debug for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl PartialEq<str> for RequestId {
    fn eq(&self, other: &str) -> bool {
        **self == *other
    }
}

impl PartialEq<&str> for RequestId {
    fn eq(&self, other: &&str) -> bool {
        **self == **other
    }
}

/// Makes ids from the seed, so that a run repeats to the letter. Clones never make the
/// same one.
///
/// An id keeps no secret, so that it takes no digest: the ids are the numbers of
/// SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014),
/// of which no two are alike.
#[derive(Clone)]
pub(crate) struct SeededIds(Arc<AtomicU64>);

impl SeededIds {
    pub(crate) fn new(key: &SeedKey) -> Self {
        let first = key.hash(Purpose::RequestId, &[]);
        Self(Arc::new(AtomicU64::new(first.into())))
    }

    /// The id of a request: its own `X-Request-Id` if that is exactly one token of the
    /// allowed characters, else a new one.
    pub(crate) fn of(&self, headers: &HeaderMap) -> RequestId {
        let line = single(headers, &X_REQUEST_ID).and_then(|line| line.to_str().ok());
        match line.filter(|line| is_token(line.as_bytes())) {
            Some(line) => RequestId(Source::Taken(line.into())),
            None => self.make(),
        }
    }

    fn make(&self) -> RequestId {
        const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
        RequestId::made(scramble(self.0.fetch_add(STEP, Ordering::Relaxed)))
    }
}

/// The output function of SplitMix64.
fn scramble(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

fn is_token(id: &[u8]) -> bool {
    (1..=MAX_LENGTH).contains(&id.len())
        && id
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(byte))
}

#[cfg(test)]
mod tests {
    use super::{RequestId, is_token};

    #[test]
    fn an_id_is_made_of_sixteen_digits() {
        let made = RequestId::made(0x0123_4567_89ab_cdef);

        assert_eq!(made, "req-0123456789abcdef");
        assert_eq!(RequestId::made(0xf), "req-000000000000000f");
    }

    #[test]
    fn a_token_of_allowed_characters_is_taken_over() {
        for id in ["a", "req-1", "0af7.b_c-D", &"x".repeat(128)] {
            assert!(is_token(id.as_bytes()), "{id}");
        }
    }

    #[test]
    fn anything_else_is_not() {
        for id in ["", "two words", "a/b", "a\"b", "a\u{e9}", &"x".repeat(129)] {
            assert!(!is_token(id.as_bytes()), "{id}");
        }
    }
}
