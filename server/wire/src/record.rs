//! The record of one run: its requests, its connections, and counts that stay when both go.
//!
//! Moments are counted from the start of the run, on its clock.

use std::{collections::BTreeMap, time::Duration};

use serde::Serialize;

use crate::{Exchange, JobResult, WireConnection, WireRequest, nanoseconds};

/// The requests and connections of one run.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
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
    /// The requests that were refused at their connections. No entry and no other count has
    /// them.
    pub refused: Vec<WireRefusal>,
    /// The requests and responses themselves, as far as they can be shown, in the order
    /// of `seq`; none where they were not recorded.
    pub exchanges: Vec<Exchange>,
    /// Whether all of it is one call: then requests belong together without a trace or a
    /// key that says so.
    pub one_call: bool,
    /// The longer delays of the recorder's own timer, if it was measured.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub delays: Vec<TimerDelay>,
}

/// A timer of the recorder that fired late: the machine was busy, and a client on it may have
/// been late as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct TimerDelay {
    /// When it was to fire.
    #[serde(rename = "due_ns", with = "nanoseconds")]
    pub due: Duration,
    /// How late it was.
    #[serde(rename = "late_ns", with = "nanoseconds")]
    pub late: Duration,
}

/// How many requests were refused for one reason, before a route was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WireRefusal {
    /// The status with which they were refused.
    pub status: u16,
    /// The code of the problem in the response.
    pub code: &'static str,
    /// The reason, in words.
    pub detail: &'static str,
    /// How many there were.
    pub requests: u64,
}

/// Counts of one route. They stay when entries go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RouteTotals {
    /// How many requests arrived.
    pub requests: u64,
    /// How many of them got a response: those whose entry has a status.
    pub responses: u64,
    /// How many of them came earlier than a Retry-After allowed.
    pub early: u64,
}

impl WireRecord {
    /// The requests that were refused at their connections, and the reasons, in words; none
    /// if there were none.
    #[must_use]
    pub fn refusals_in_words(&self) -> Option<String> {
        let refused = self.refused.iter().map(|refusal| {
            let requests = match refusal.requests {
                1 => "1 request was".to_owned(),
                several => format!("{several} requests were"),
            };
            format!(
                "{requests} refused with {} {}: {}",
                refusal.status, refusal.code, refusal.detail
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

    /// The exchange of the request with this number, if it was recorded.
    #[must_use]
    pub fn exchange(&self, seq: u64) -> Option<&Exchange> {
        let position = self
            .exchanges
            .partition_point(|exchange| exchange.seq < seq);
        self.exchanges
            .get(position)
            .filter(|exchange| exchange.seq == seq)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exchange_is_that_of_its_request() {
        let exchange = |seq| Exchange {
            seq,
            ..Exchange::default()
        };
        let wire = WireRecord {
            exchanges: vec![exchange(1), exchange(3)],
            ..WireRecord::default()
        };

        let found = [0, 1, 2, 3, 4].map(|seq| wire.exchange(seq).map(|exchange| exchange.seq));

        assert_eq!(found, [None, Some(1), None, Some(3), None]);
    }
}
