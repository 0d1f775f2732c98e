//! The policies that meet in a storm: settings of the client, and no code of their own.

use client::{Builder, NoWait, RetryBudget};

/// How the clients of a storm are set up.
#[derive(Clone, Copy, Debug)]
pub struct Policy {
    /// In a few words.
    pub name: &'static str,
    /// The most requests of one call.
    pub attempts: u32,
    /// Whether there is a wait before a retry: the client's own backoff.
    pub waits: bool,
    /// Whether each client has a budget for its retries: the client's own.
    pub has_budget: bool,
}

/// The policies of the first picture.
pub const POLICIES: [Policy; 4] = [
    Policy {
        name: "1 attempt",
        attempts: 1,
        waits: false,
        has_budget: false,
    },
    Policy {
        name: "3, at once",
        attempts: 3,
        waits: false,
        has_budget: false,
    },
    Policy {
        name: "3, jitter",
        attempts: 3,
        waits: true,
        has_budget: false,
    },
    Policy {
        name: "3, jitter+budget",
        attempts: 3,
        waits: true,
        has_budget: true,
    },
];

impl Policy {
    /// Sets a client up. Without a limit on concurrency: that is a policy of its own.
    pub(super) fn apply(&self, client: Builder) -> Builder {
        let budget = self
            .has_budget
            .then(|| RetryBudget::new(RetryBudget::DEFAULT_CAPACITY));
        let client = client
            .max_attempts(self.attempts)
            .retry_budget(budget)
            .concurrency_limit(None);
        match self.waits {
            true => client,
            false => client.policy(NoWait),
        }
    }
}
