//! The wire record: what happened on the wire, request by request and connection by
//! connection.
//!
//! It is the one account of a run that no client can colour: whoever plays fills it
//! from what the service saw, and nothing in it is a client's own word. Of cursors,
//! keys and bodies it holds a [`ValueHash`], never the value.
//!
//! Moments are counted from the start of the run, on its clock.

mod connection;
mod hash;
mod request;

use std::{collections::BTreeMap, time::Duration};

use schemars::JsonSchema;
use serde::Serialize;

pub use connection::{ClosedBy, ConnectionEnd, WireConnection};
pub use hash::ValueHash;
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
    /// Whether one caller sent all of it, one request after the other: then requests
    /// on one route belong together without a trace or a key that says so.
    pub one_caller: bool,
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

/// A wait that the service asked for, and the request that came next.
#[derive(Clone, Copy, Debug)]
pub struct Wait<'a> {
    /// The request whose response asked for it.
    pub asked_by: &'a WireRequest,
    /// The Retry-After of that response.
    pub retry_after: RetryAfter,
    /// The first request on the same route that came after the head of that response.
    pub next: &'a WireRequest,
    /// From the moment before that head was written to the arrival of the next
    /// request: always in the client's favour.
    pub waited: Duration,
}

impl Wait<'_> {
    /// By how much the next request came too early; zero if it did not.
    #[must_use]
    pub fn early_by(&self) -> Duration {
        self.retry_after.wait().saturating_sub(self.waited)
    }
}

impl WireRecord {
    /// Every Retry-After that was followed by a request of the same caller, in order.
    pub fn waits(&self) -> impl Iterator<Item = Wait<'_>> {
        self.entries.iter().filter_map(|next| {
            let asked_by = self.responded_before(next)?;
            Some(Wait {
                asked_by,
                retry_after: asked_by.retry_after?,
                next,
                waited: next.arrived.saturating_sub(asked_by.head?),
            })
        })
    }

    /// Every request that repeats one which had ended: the same method, route, cursor
    /// and body. First the one that is repeated, then the next one like it.
    pub fn repetitions(&self) -> impl Iterator<Item = (&WireRequest, &WireRequest)> {
        self.entries.iter().enumerate().filter_map(|(at, next)| {
            let mut before = self.entries[..at].iter().rev();
            let repeated = before.find(|it| {
                it.repeats(next) && self.belong_together(it, next) && it.is_over_at(next.arrived)
            })?;
            Some((repeated, next))
        })
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

    /// The newest response to a request that belongs together with this one, of those
    /// that were there when it came. A response without a wait ends an older wait.
    fn responded_before(&self, next: &WireRequest) -> Option<&WireRequest> {
        let before = self.entries.iter().filter(|it| {
            it.seq < next.seq
                && it.head.is_some_and(|head| head <= next.arrived)
                && self.belong_together(it, next)
        });
        before.max_by_key(|it| it.head)
    }

    /// Whether two requests are known to come from one caller with one purpose.
    fn belong_together(&self, one: &WireRequest, other: &WireRequest) -> bool {
        let same = |one: Option<&str>, other| one.is_some() && one == other;
        one.route == other.route
            && (self.one_caller
                || same(one.trace_id.as_deref(), other.trace_id.as_deref())
                || one.idempotency_key.is_some() && one.idempotency_key == other.idempotency_key)
    }
}
