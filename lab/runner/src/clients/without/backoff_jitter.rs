//! Waits that double and are the same for every client.

use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

use client::{Backoff, Clock};
use evidence::Defence;
use reqwest_retry::{RetryDecision, RetryPolicy};

use super::{super::reliable, Without};

pub(super) const WITHOUT: Without = Without {
    name: "without-backoff-jitter",
    defence: &Defence {
        id: "backoff-jitter",
        instead: "It always waits for the full ceiling (200 ms, then 400 ms), as does every client \
                  that failed at the same moment.",
        file: "client/src/retry/backoff.rs",
        breaks: &["backoff-jitter"],
        shows_in: &[
            "flaky",
            "flaky-gives-up",
            "retry-after-unusable",
            "lost-response",
            "read-timeout",
            "reset",
            "connection-refused",
            "retry-budget",
            "too-many-requests",
        ],
    },
    allowed: |policy| policy,
    connect: |connection| {
        let clock = Arc::clone(&connection.clock);
        let client = reliable::client(connection, |builder| builder.policy(WholeCeiling(clock)))?;
        Ok(Box::new(client))
    },
};

/// A backoff without a random part.
struct WholeCeiling(Arc<dyn Clock>);

impl RetryPolicy for WholeCeiling {
    fn should_retry(&self, _start: SystemTime, past_retries: u32) -> RetryDecision {
        let factor = 2_u32.saturating_pow(past_retries);
        let ceiling = Backoff::DEFAULT_BASE.saturating_mul(factor);
        let wait: Duration = ceiling.min(Backoff::DEFAULT_CAP);
        RetryDecision::Retry {
            execute_after: self.0.wall() + wait,
        }
    }
}
