//! The id of a request: the name under which it can be found again.
//!
//! It is taken over from the request, or made. An id that is taken over unchecked would
//! let any text into logs and responses.

use std::fmt;
use std::ops::Deref;

use http::HeaderValue;
use serde::{Serialize, Serializer};

/// The longest id that is taken over from a request.
const MAX_LENGTH: usize = 128;

/// The start of an id that was made here; sixteen hexadecimal digits follow.
const PREFIX: &[u8; 4] = b"req-";

/// The id of a request: 1 to 128 ASCII letters, digits, dots, hyphens and underscores. The
/// default is that of no request, and empty.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct RequestId(Source);

/// Ids that are made need no memory of their own: a record keeps thousands.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Source {
    Made([u8; 20]),
    Taken(Box<str>),
}

impl RequestId {
    /// The id that a request brought, if it is one.
    #[must_use]
    pub fn taken(id: &str) -> Option<Self> {
        is_token(id.as_bytes()).then(|| Self(Source::Taken(id.into())))
    }

    /// The header of a response.
    #[must_use]
    pub fn to_header(&self) -> HeaderValue {
        #[expect(clippy::expect_used, reason = "no other text is taken over or made")]
        HeaderValue::from_bytes(self.as_bytes()).expect("it is ASCII without control characters")
    }

    fn as_bytes(&self) -> &[u8] {
        match &self.0 {
            Source::Made(id) => id,
            Source::Taken(id) => id.as_bytes(),
        }
    }

    /// The id with this number.
    #[must_use]
    pub fn made(number: u64) -> Self {
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

impl Serialize for RequestId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
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

        assert_eq!(&*made, "req-0123456789abcdef");
        assert_eq!(&*RequestId::made(0xf), "req-000000000000000f");
    }

    #[test]
    fn only_a_token_of_allowed_characters_is_taken_over() {
        for id in ["a", "req-1", "0af7.b_c-D", &"x".repeat(128)] {
            assert!(is_token(id.as_bytes()), "{id}");
        }
        for id in ["", "two words", "a/b", "a\"b", "a\u{e9}", &"x".repeat(129)] {
            assert!(!is_token(id.as_bytes()), "{id}");
        }
    }
}
