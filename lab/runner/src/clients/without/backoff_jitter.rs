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
        instead: "It always waits for the full ceiling of the backoff, as does every client that \
                  failed at the same moment.",
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
        let policy = WholeCeiling {
            clock: Arc::clone(&connection.clock),
            base: connection.policy.backoff,
        };
        let client = reliable::client(connection, |builder| builder.policy(policy))?;
        Ok(Box::new(client))
    },
};

/// A backoff without a random part.
struct WholeCeiling {
    clock: Arc<dyn Clock>,
    base: Duration,
}

impl RetryPolicy for WholeCeiling {
    fn should_retry(&self, _start: SystemTime, past_retries: u32) -> RetryDecision {
        let factor = 2_u32.saturating_pow(past_retries);
        let ceiling = self.base.saturating_mul(factor);
        let wait: Duration = ceiling.min(Backoff::DEFAULT_CAP);
        RetryDecision::Retry {
            execute_after: self.clock.wall() + wait,
        }
    }
}
