//! The ids of traces and spans, in the formats of W3C Trace Context.

use std::{
    fmt,
    num::{NonZeroU64, NonZeroU128},
};

use serde::{Serialize, Serializer};

/// Defines an id of so many hex digits.
macro_rules! id {
    ($(#[$doc:meta])* $name:ident($number:ident, $whole:ident, $digits:literal)) => {
        $(#[$doc])*
        ///
        /// It cannot be all zeros, which W3C Trace Context calls invalid.
        #[derive(Clone, Copy, PartialEq, Eq, Hash)]
        pub struct $name(pub $number);

        impl $name {
            /// Parses lower-case hex digits: exactly as many as it has, and not all zero.
            #[must_use]
            pub fn from_hex(hex: &str) -> Option<Self> {
                let hex = lower_hex(hex, $digits)?;
                $number::new($whole::from_str_radix(hex, 16).ok()?).map(Self)
            }

            /// Its bytes in network order, as OTLP carries them.
            #[must_use]
            pub fn to_bytes(self) -> [u8; $digits / 2] {
                self.0.get().to_be_bytes()
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{:0digits$x}", self.0, digits = $digits)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({self})", stringify!($name))
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }
    };
}

id! {
    /// The id of a trace: 16 bytes, shown as 32 lower-case hex digits.
    TraceId(NonZeroU128, u128, 32)
}

id! {
    /// The id of a span within its trace: 8 bytes, shown as 16 lower-case hex digits.
    SpanId(NonZeroU64, u64, 16)
}

/// `from_str_radix` alone would accept a sign and upper-case digits, which the header must
/// not have.
fn lower_hex(hex: &str, digits: usize) -> Option<&str> {
    let valid = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    (hex.len() == digits && hex.bytes().all(valid)).then_some(hex)
}

/// The position of a span: the contents of a `traceparent` header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct SpanContext {
    /// The id of its trace.
    pub trace_id: TraceId,
    /// The id of the span.
    pub span_id: SpanId,
}
