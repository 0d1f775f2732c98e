//! Waits that double and are the same for every client.

use std::{sync::Arc, time::SystemTime};

use client::{Backoff, Clock, SeededRandom};
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
    jitter: "no jitter",
    allowed: |policy| policy,
    connect: |connection| {
        let clock = Arc::clone(&connection.clock);
        let random = Arc::new(SeededRandom::new(connection.seed));
        let backoff = Backoff::new(
            connection.policy.backoff,
            Backoff::DEFAULT_CAP,
            Arc::clone(&clock),
            random,
        )?;
        let policy = Ceiling { backoff, clock };
        let client = reliable::client(connection, |builder| builder.policy(policy))?;
        Ok(Box::new(client))
    },
};

/// The ceilings of a backoff, without a draw.
struct Ceiling {
    backoff: Backoff,
    clock: Arc<dyn Clock>,
}

impl RetryPolicy for Ceiling {
    fn should_retry(&self, _: SystemTime, past_retries: u32) -> RetryDecision {
        RetryDecision::Retry {
            execute_after: self.clock.wall() + self.backoff.ceiling(past_retries),
        }
    }
}
