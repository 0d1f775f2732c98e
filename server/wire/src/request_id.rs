//! The id of a request: the name under which it can be found again.
//!
//! The service makes it. An `X-Request-Id` that a client sends is a value of the client's,
//! and is neither read nor kept.

use std::fmt;
use std::ops::Deref;

use http::HeaderValue;
use serde::{Serialize, Serializer};

/// The start of every id; sixteen hexadecimal digits follow.
const PREFIX: &[u8; 4] = b"req-";

/// The id of a request, which needs no memory of its own: a record keeps thousands.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct RequestId([u8; 20]);

impl RequestId {
    /// The header of a response.
    #[must_use]
    pub fn to_header(&self) -> HeaderValue {
        #[expect(clippy::expect_used, reason = "it is made of a prefix and digits")]
        HeaderValue::from_bytes(&self.0).expect("it is ASCII without control characters")
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
        Self(id)
    }
}

/// The id with the number zero.
impl Default for RequestId {
    fn default() -> Self {
        Self::made(0)
    }
}

impl Deref for RequestId {
    type Target = str;

    fn deref(&self) -> &str {
        str::from_utf8(&self.0).unwrap_or_default()
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

#[cfg(test)]
mod tests {
    use super::RequestId;

    #[test]
    fn an_id_is_made_of_sixteen_digits() {
        let made = RequestId::made(0x0123_4567_89ab_cdef);

        assert_eq!(&*made, "req-0123456789abcdef");
        assert_eq!(&*RequestId::made(0xf), "req-000000000000000f");
    }
}
