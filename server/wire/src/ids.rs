//! What stands in the record for a request and for a value that must not be kept.

use std::{fmt, ops::Deref};

use http::HeaderValue;
use serde::{Serialize, Serializer};

/// The id of a request: the name under which it can be found again.
///
/// The service makes it. An `X-Request-Id` that a client sends is a value of the client's,
/// and is neither read nor kept.
///
/// Its digits are written by hand into a place of their own: with `format!` and an allocation
/// for each request, the service is below its bound of requests per second.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct RequestId([u8; 20]);

impl RequestId {
    /// The id with this number, in hexadecimal.
    #[must_use]
    pub fn made(number: u64) -> Self {
        let mut id = *b"req-0000000000000000";
        for (position, digit) in id.iter_mut().rev().take(16).enumerate() {
            let value = (number >> (4 * position)) as u8 & 0xf;
            *digit = value + if value < 10 { b'0' } else { b'a' - 10 };
        }
        Self(id)
    }

    /// The header of a response.
    #[must_use]
    pub fn to_header(&self) -> HeaderValue {
        #[expect(clippy::expect_used, reason = "it is made of a prefix and digits")]
        HeaderValue::from_bytes(&self.0).expect("it is ASCII without control characters")
    }
}

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

/// A short hash of a value that must not be kept. Equal values of one run have
/// equal hashes, and the value cannot be read back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ValueHash(pub u64);

impl fmt::Display for ValueHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl Serialize for ValueHash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
