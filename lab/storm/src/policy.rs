//! The policies that a storm compares: settings of a client, and of its service.

use std::time::Duration;

use serde::Serialize;
use smol_str::SmolStr;

use super::{
    parameter::{Parameter, Parameters, Value, Values, choice, parameters},
    settings::RetryAfter,
};

/// A policy: the setup of the clients and the service of one part of a storm.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StormPolicy {
    /// Its name, in a few words.
    pub name: SmolStr,
    /// The setup of its clients and of its service.
    pub setup: Setup,
}

/// How many calls earn one retry in a budget, as in the reference client.
pub const CALLS_PER_RETRY: u32 = 10;

parameters! {
    /// The setup of a client and of its service.
    Setup

    /// Three attempts with the client's backoff, without budget, limit or deadline.
    DEFAULT {
        client "client": choice(ClientKind) = ClientKind::Reliable,
            "The reference client (reliable), or a typical first version (naive)";
        attempts "attempts": whole(1..=20) = 3,
            "The most attempts of one call";
        backoff "backoff": choice(Backoff) = Backoff::Jitter,
            "The wait before a retry: up to a ceiling that doubles (jitter), the ceiling itself (exponential), or none";
        base "base_seconds": seconds(0.001..=60.0) = Duration::from_millis(200),
            "The longest first wait";
        cap "cap_seconds": seconds(0.001..=600.0) = Duration::from_secs(5),
            "The longest wait of all";
        budget "budget": whole(0..=10_000) = 0,
            "The tokens of each client's retry budget; 0 for no budget";
        concurrency "concurrency": whole(0..=10_000) = 0,
            "The most attempts that a client has in flight; 0 for no limit";
        deadline "deadline_seconds": seconds(0.0..=600.0) = Duration::ZERO,
            "The most time that a call may take, including waits; 0 for no deadline";
        spread "spread_seconds": seconds(0.0..=600.0) = Duration::ZERO,
            "The most that is added to a Retry-After at random";
        order "order": choice(Order) = Order::Oldest,
            "The request that its service takes next from the queue";
        abandoned "abandoned": choice(Abandoned) = Abandoned::Worked,
            "A queued request whose attempt has timed out is worked on, or dropped";
        rate_limit "rate_limit": whole(0..=10_000) = 0,
            "The requests per second beyond which its service sends a 429; 0 for no limit";
        // The last is the one with a queue and workers.
        layers "layers": whole(1..=3) = 1,
            "The number of services in a row, each of which calls the next and retries like the client";
    }

    OF_STORIES {
        clients "own_clients": whole(0..=2_000) = 0,
            "The number of clients of this policy; 0 for as many as the others";
        queue "own_queue": whole(0..=100_000) = 0,
            "The number of requests that its service queues; 0 for as many as the others";
        retry_after_429 "retry_after_429": choice(RetryAfter) = RetryAfter::None,
            "The form of the Retry-After of each 429";
        retrying "retries_in": choice(Retrying) = Retrying::EachLayer,
            "The layers that retry";
    }
}

choice! {
    /// The layers that retry.
    Retrying {
        /// The client and each service that calls another one.
        EachLayer = "each layer",
        /// The client alone.
        Client = "client",
    }
}

choice! {
    /// The request that a service takes next from its queue.
    Order {
        /// The one that has waited for the longest time.
        Oldest = "oldest",
        /// The one that came last.
        Newest = "newest",
    }
}

choice! {
    /// The treatment of a queued request whose attempt has timed out.
    Abandoned {
        /// A worker works on it.
        Worked = "worked",
        /// No worker works on it.
        Dropped = "dropped",
    }
}

choice! {
    /// The client.
    ClientKind {
        /// The reference client, with its real middleware.
        Reliable = "reliable",
        /// A typical first version: it retries at once and ignores every Retry-After.
        Naive = "naive",
    }
}

choice! {
    /// How the wait before a retry is chosen.
    Backoff {
        /// By the client's own backoff: evenly between zero and a ceiling that doubles.
        Jitter = "jitter",
        /// By a custom policy: the ceiling itself.
        Exponential = "exponential",
        /// No wait.
        None = "none",
    }
}

impl Setup {
    /// The same with at most this many requests of one call.
    #[must_use]
    pub const fn attempts(self, attempts: u32) -> Self {
        Self { attempts, ..self }
    }

    /// The same with a budget of this many tokens.
    #[must_use]
    pub const fn budget(self, budget: u32) -> Self {
        Self { budget, ..self }
    }

    /// The same with this deadline.
    #[must_use]
    pub const fn deadline(self, deadline: Duration) -> Self {
        Self { deadline, ..self }
    }

    /// The same with this spread.
    #[must_use]
    pub const fn spread(self, spread: Duration) -> Self {
        Self { spread, ..self }
    }

    /// The most requests per call that reach the last service, on average: the product of
    /// the attempts of each layer that retries, or of fewer if a budget limits them.
    #[must_use]
    pub fn most_requests(&self) -> f64 {
        let attempts = f64::from(self.attempts);
        let with_budget = 1.0 + 1.0 / f64::from(CALLS_PER_RETRY);
        let of_one_layer = if self.budget == 0 {
            attempts
        } else {
            attempts.min(with_budget)
        };
        let retrying = match self.retrying {
            Retrying::EachLayer => self.layers,
            Retrying::Client => 1,
        };
        (0..retrying).map(|_| of_one_layer).product()
    }
}

impl StormPolicy {
    /// A policy with this name.
    #[must_use]
    pub const fn new(name: &'static str, setup: Setup) -> Self {
        Self {
            name: SmolStr::new_static(name),
            setup,
        }
    }

    /// Its name as one word for the command line: `3-jitter` for `3, jitter`.
    #[must_use]
    pub fn word(&self) -> String {
        let parts = self.name.split([' ', ',']);
        let parts: Vec<_> = parts.filter(|part| !part.is_empty()).collect();
        parts.join("-")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_word_on_the_command_line() {
        let names = ["3, jitter", "jitter", "3, jitter + budget"];

        let words = names.map(|name| StormPolicy::new(name, Setup::DEFAULT).word());

        assert_eq!(words, ["3-jitter", "jitter", "3-jitter-+-budget"]);
    }
}
