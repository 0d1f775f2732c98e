//! What stands in the record for a request and for a value that must not be kept.

use std::{fmt, ops::Deref};

use http::HeaderValue;
use serde::{Serialize, Serializer};

/// The id of a request: the name under which it can be found again.
///
/// The service makes it. An `X-Request-Id` that a client sends is a value of the client's,
/// and is neither read nor kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct RequestId(Box<str>);

impl RequestId {
    /// The id with this number, in hexadecimal.
    #[must_use]
    pub fn made(number: u64) -> Self {
        Self(format!("req-{number:016x}").into())
    }

    /// The header of a response.
    #[must_use]
    pub fn to_header(&self) -> HeaderValue {
        #[expect(clippy::expect_used, reason = "it is made of a prefix and digits")]
        HeaderValue::from_str(&self.0).expect("it is ASCII without control characters")
    }
}

impl Deref for RequestId {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
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
