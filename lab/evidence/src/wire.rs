//! The wire record: what happened on the wire, request by request.
//!
//! It is the one account of a run that no client can colour: whoever plays fills it
//! from what the service saw, and nothing in it is a client's own word. Of cursors,
//! keys and bodies it holds a [`ValueHash`], never the value.

use std::{collections::BTreeMap, fmt, time::Duration};

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::nanoseconds;

/// What the wire saw of one run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct WireRecord {
    /// The newest requests in order of arrival.
    pub entries: Vec<WireRequest>,
    /// How many requests arrived in all: the entries and the dropped ones.
    pub total: u64,
    /// How many entries were dropped to stay within bounds.
    pub dropped: u64,
    /// Counts of each route that was asked for.
    pub routes: BTreeMap<String, RouteTotals>,
}

/// One request, as the service saw it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct WireRequest {
    /// Its place in the order of arrival; the first is 1.
    pub seq: u64,
    /// When it arrived, on the clock of the run.
    #[serde(rename = "arrived_ns", serialize_with = "nanoseconds::one")]
    #[schemars(with = "u64")]
    pub arrived: Duration,
    /// Its method, or `_OTHER` for one that HTTP does not define.
    pub method: &'static str,
    /// The path of the route that it matched, or `other`.
    pub route: String,
    /// The cursor it carried, as a hash of the percent-decoded value.
    pub cursor: Option<ValueHash>,
    /// The idempotency key it carried.
    pub idempotency_key: Option<ValueHash>,
    /// The bytes of its body; none if it was empty or not read to its end.
    pub body: Option<ValueHash>,
    /// The status of its response; none if its connection ended before that, or
    /// before the end of its body: then nobody is known to have received a response.
    pub status: Option<u16>,
    /// The wait that the response asked for by Retry-After. A date is counted from
    /// the moment of the response, in whole seconds, rounded up.
    pub retry_after_seconds: Option<u64>,
    /// How much sooner it came than an earlier response had asked for. Claimed only
    /// where both requests are known to belong together.
    #[serde(rename = "early_ns", serialize_with = "nanoseconds::optional")]
    #[schemars(with = "Option<u64>")]
    pub early: Option<Duration>,
    /// The trace that a valid `traceparent` named, in hexadecimal.
    pub trace_id: Option<String>,
    /// The request id of its response.
    pub request_id: String,
}

/// Counts of one route. They stay when entries go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RouteTotals {
    /// How many requests arrived.
    pub requests: u64,
    /// How many of them got a response: those whose entry has a status.
    pub responses: u64,
    /// How many of them came earlier than a Retry-After allowed.
    pub early: u64,
}

/// A short hash of a value that must not be kept. Equal values of one run have
/// equal hashes, and the value cannot be read back.
#[derive(Clone, Copy, PartialEq, Eq, Hash, JsonSchema)]
#[schemars(transparent)]
pub struct ValueHash(#[schemars(with = "String", regex(pattern = "^[0-9a-f]{16}$"))] pub u64);

impl fmt::Display for ValueHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl fmt::Debug for ValueHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for ValueHash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
