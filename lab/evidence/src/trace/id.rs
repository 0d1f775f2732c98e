//! The ids of traces and spans, in the formats of W3C Trace Context.

use std::{
    fmt,
    num::{NonZeroU64, NonZeroU128},
};

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

/// The id of a trace: 16 bytes, shown as 32 lower-case hex digits.
///
/// It cannot be all zeros, which W3C Trace Context calls invalid.
#[derive(Clone, Copy, PartialEq, Eq, Hash, JsonSchema)]
#[schemars(transparent)]
pub struct TraceId(
    #[schemars(with = "String", regex(pattern = "^(?!0+$)[0-9a-f]{32}$"))] pub NonZeroU128,
);

/// The id of a span within its trace: 8 bytes, shown as 16 lower-case hex digits.
///
/// It cannot be all zeros, which W3C Trace Context calls invalid.
#[derive(Clone, Copy, PartialEq, Eq, Hash, JsonSchema)]
#[schemars(transparent)]
pub struct SpanId(
    #[schemars(with = "String", regex(pattern = "^(?!0+$)[0-9a-f]{16}$"))] pub NonZeroU64,
);

impl TraceId {
    /// Parses exactly 32 lower-case hex digits that are not all zero.
    #[must_use]
    pub fn from_hex(hex: &str) -> Option<Self> {
        let hex = lower_hex(hex, 32)?;
        NonZeroU128::new(u128::from_str_radix(hex, 16).ok()?).map(Self)
    }

    /// The 16 bytes in network order, as OTLP carries them.
    #[must_use]
    pub fn to_bytes(self) -> [u8; 16] {
        self.0.get().to_be_bytes()
    }
}

impl SpanId {
    /// Parses exactly 16 lower-case hex digits that are not all zero.
    #[must_use]
    pub fn from_hex(hex: &str) -> Option<Self> {
        let hex = lower_hex(hex, 16)?;
        NonZeroU64::new(u64::from_str_radix(hex, 16).ok()?).map(Self)
    }

    /// The 8 bytes in network order, as OTLP carries them.
    #[must_use]
    pub fn to_bytes(self) -> [u8; 8] {
        self.0.get().to_be_bytes()
    }
}

/// `from_str_radix` alone would accept a sign and upper-case digits, which the header must
/// not have.
fn lower_hex(hex: &str, digits: usize) -> Option<&str> {
    let valid = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    (hex.len() == digits && hex.bytes().all(valid)).then_some(hex)
}

impl fmt::Display for TraceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl fmt::Display for SpanId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl fmt::Debug for TraceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TraceId({self})")
    }
}

impl fmt::Debug for SpanId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SpanId({self})")
    }
}

impl Serialize for TraceId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Serialize for SpanId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The position of a span: the contents of a `traceparent` header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct SpanContext {
    /// The id of its trace.
    pub trace_id: TraceId,
    /// The id of the span.
    pub span_id: SpanId,
}
