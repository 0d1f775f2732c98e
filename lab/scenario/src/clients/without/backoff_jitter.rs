//! Waits that double and are the same for every client.

use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

use client::{Backoff, Clock};
use judge::rules::backoff_jitter;
use reqwest_retry::{RetryDecision, RetryPolicy};

use super::{super::reliable, Without};
use crate::Defence;

pub(super) const WITHOUT: Without = Without {
    name: "without-backoff-jitter",
    defence: &Defence {
        id: backoff_jitter::RULE.id,
        instead: "It always waits for the full ceiling of the backoff, as does every client that \
                  failed at the same moment.",
        file: "client/src/retry/backoff.rs",
        // One run has too few waits to show that they are not random.
        breaks: &[],
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
        let policy = Exponential {
            base: connection.policy.backoff,
            cap: Backoff::DEFAULT_CAP,
            clock: Arc::clone(&connection.clock),
        };
        let client = reliable::client(connection, |builder| builder.policy(policy))?;
        Ok(Box::new(client))
    },
};

/// Each wait is twice as long as the one before, up to the longest.
struct Exponential {
    base: Duration,
    cap: Duration,
    clock: Arc<dyn Clock>,
}

impl RetryPolicy for Exponential {
    fn should_retry(&self, _: SystemTime, past_retries: u32) -> RetryDecision {
        let doubled = 2_u32.checked_pow(past_retries);
        let wait = doubled.and_then(|factor| self.base.checked_mul(factor));
        RetryDecision::Retry {
            execute_after: self.clock.wall() + wait.map_or(self.cap, |wait| wait.min(self.cap)),
        }
    }
}
