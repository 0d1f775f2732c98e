//! Waits that double and are the same for every client.

use std::sync::Arc;

use client::Backoff;
use evidence::Defence;

use super::{super::reliable, Without};
use crate::storm::Exponential;

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
        let policy = Exponential {
            base: connection.policy.backoff,
            cap: Backoff::DEFAULT_CAP,
            clock: Arc::clone(&connection.clock),
        };
        let client = reliable::client(connection, |builder| builder.policy(policy))?;
        Ok(Box::new(client))
    },
};
