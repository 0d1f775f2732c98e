//! The wire record: what happened on the wire, request by request and connection by
//! connection.
//!
//! It is the one account of a run that no client can colour: whoever runs fills it
//! from what the service saw, and nothing in it is a client's own word. Of cursors,
//! keys and bodies it holds a [`ValueHash`], never the value.
//!
//! Moments are counted from the start of the run, on its clock.

mod connection;
mod correlation;
mod exchange;
mod facts;
mod hash;
mod names;
mod request;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

pub use connection::{ClosedBy, ConnectionEnd, WireConnection};
pub use correlation::Wait;
pub use exchange::{Delivery, Exchange, Header, Message};
pub use facts::Facts;
pub use hash::ValueHash;
pub use names::Names;
pub use request::{
    BodyState, IssuedCursor, JobResult, RecordedHeader, RetryAfter, RetryAfterForm, WireRequest,
};

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
    /// The newest connections in order of acceptance, those without a request included.
    pub connections: Vec<WireConnection>,
    /// How many connections were dropped to stay within bounds.
    pub connections_dropped: u64,
    /// What was refused at its connection, and is in no entry and no count.
    pub refused: Vec<WireRefusal>,
    /// The requests and responses themselves, as far as they can be shown, in the order
    /// of `seq`; none where they were not recorded.
    pub exchanges: Vec<Exchange>,
    /// Whether one caller sent all of it, one request after the other: then requests
    /// on one route belong together without a trace or a key that says so.
    pub one_caller: bool,
}

/// How many requests were refused for one reason, before a route was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WireRefusal {
    /// The status with which they were refused.
    pub status: u16,
    /// The code of the problem in the response.
    pub code: &'static str,
    /// What was wrong, in words.
    pub detail: &'static str,
    /// How many there were.
    pub requests: u64,
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

impl WireRecord {
    /// What was refused at its connection, and why; none if nothing was.
    #[must_use]
    pub fn refusals_in_words(&self) -> Option<String> {
        let refused = self.refused.iter().map(|it| {
            let requests = match it.requests {
                1 => "1 request was".to_owned(),
                several => format!("{several} requests were"),
            };
            format!(
                "{requests} refused with {} {}: {}",
                it.status, it.code, it.detail
            )
        });
        refused.reduce(|one, other| format!("{one}; {other}"))
    }

    /// How many jobs were created.
    #[must_use]
    pub fn jobs_created(&self) -> u64 {
        let created = |it: &&WireRequest| it.job == Some(JobResult::Created);
        self.entries.iter().filter(created).count() as u64
    }

    /// How many requests came before a Retry-After allowed them.
    #[must_use]
    pub fn early(&self) -> u64 {
        self.waits()
            .filter(|wait| !wait.early_by().is_zero())
            .count() as u64
    }
}
