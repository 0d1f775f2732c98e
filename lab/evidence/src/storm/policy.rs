//! The policies that a storm compares: settings of a client, and of its service.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use smol_str::SmolStr;

use super::{
    knob::{Knob, Knobs, Value, Values, choice, knob, knobs_as_json},
    settings::RetryAfter,
};

/// A policy: the setup of the clients and the service of one part of a storm.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Policy {
    /// Its name, in a few words.
    #[schemars(with = "String")]
    pub name: SmolStr,
    /// The setup of its clients and of its service.
    pub setup: Setup,
    /// Its source, if it is another client's default.
    pub source: Option<Source>,
}

/// The source of a policy that is another client's default.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Source {
    /// Its documentation.
    pub url: &'static str,
    /// How the lab's client differs from it.
    pub differs: &'static str,
}

/// The setup of a client and of the service that it calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setup {
    /// The client.
    pub client: ClientKind,
    /// The most requests of one call.
    pub attempts: u32,
    /// How the wait before a retry is chosen.
    pub backoff: Backoff,
    /// The longest first wait.
    pub base: Duration,
    /// The longest wait of all.
    pub cap: Duration,
    /// The tokens of the retry budget; 0 for no budget.
    pub budget: u32,
    /// How many first attempts buy one retry.
    pub calls_per_retry: u32,
    /// The most attempts that a client has in flight; 0 for no limit.
    pub concurrency: u32,
    /// The most time that a call may take, including waits; 0 for no deadline.
    pub deadline: Duration,
    /// The most that is added to a `Retry-After` at random.
    pub spread: Duration,
    /// The number of clients of this policy; 0 for as many as the storm has.
    pub clients: u32,
    /// The number of requests that its service queues; 0 for as many as the storm's.
    pub queue: u32,
    /// The request that its service takes next from the queue.
    pub order: Order,
    /// The treatment of a queued request whose caller has left.
    pub abandoned: Abandoned,
    /// The requests per second beyond which its service sends a 429; 0 for no limit.
    pub rate_limit: u32,
    /// The form of the `Retry-After` of each 429.
    pub retry_after_429: RetryAfter,
    /// The number of services in a row, each of which calls the next. The last is the one
    /// with a queue and workers.
    pub layers: u32,
    /// The most requests that a service makes to the next for one call.
    pub layer_attempts: u32,
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
    /// The treatment of a queued request whose caller has left.
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

impl Default for Setup {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl Setup {
    /// Three attempts with the client's backoff, without budget, limit or deadline.
    pub const DEFAULT: Self = Self {
        client: ClientKind::Reliable,
        attempts: 3,
        backoff: Backoff::Jitter,
        base: Duration::from_millis(200),
        cap: Duration::from_secs(5),
        budget: 0,
        calls_per_retry: 10,
        concurrency: 0,
        deadline: Duration::ZERO,
        spread: Duration::ZERO,
        clients: 0,
        queue: 0,
        order: Order::Oldest,
        abandoned: Abandoned::Worked,
        rate_limit: 0,
        retry_after_429: RetryAfter::None,
        layers: 1,
        layer_attempts: 1,
    };

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
    /// each layer's attempts, or of fewer if a budget limits them.
    #[must_use]
    pub fn most_requests(&self) -> f64 {
        let bounded = |attempts: u32| match self.budget {
            0 => f64::from(attempts),
            _ => f64::from(attempts).min(1.0 + 1.0 / f64::from(self.calls_per_retry)),
        };
        let layers = (1..self.layers).map(|_| bounded(self.layer_attempts));
        bounded(self.attempts) * layers.product::<f64>()
    }
}

impl Policy {
    /// A policy with this name.
    #[must_use]
    pub const fn new(name: &'static str, setup: Setup) -> Self {
        Self {
            name: SmolStr::new_static(name),
            setup,
            source: None,
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

impl Knobs for Setup {
    const KNOBS: &'static [Knob<Self>] = &[
        knob!(choice "client" client ClientKind, "The reference client (reliable), or a typical first version (naive)"),
        knob!(whole "attempts" attempts 1..=20, "The most requests of one call"),
        knob!(choice "backoff" backoff Backoff, "The wait before a retry: up to a ceiling that doubles (jitter), the ceiling itself (exponential), or none"),
        knob!(seconds "base_seconds" base 0.001..=60.0, "The longest first wait"),
        knob!(seconds "cap_seconds" cap 0.001..=600.0, "The longest wait of all"),
        knob!(whole "budget" budget 0..=10_000, "The tokens of each client's retry budget; 0 for no budget"),
        knob!(whole "calls_per_retry" calls_per_retry 1..=1_000, "How many first attempts buy one retry"),
        knob!(whole "concurrency" concurrency 0..=10_000, "The most attempts that a client has in flight; 0 for no limit"),
        knob!(seconds "deadline_seconds" deadline 0.0..=600.0, "The most time that a call may take, including waits; 0 for no deadline"),
        knob!(seconds "spread_seconds" spread 0.0..=600.0, "The most that is added to a Retry-After at random"),
        knob!(whole "own_clients" clients 0..=2_000, "The number of clients of this policy; 0 for as many as the others"),
        knob!(whole "own_queue" queue 0..=100_000, "The number of requests that its service queues; 0 for as many as the others"),
        knob!(choice "order" order Order, "The request that its service takes next from the queue"),
        knob!(choice "abandoned" abandoned Abandoned, "A queued request whose caller has left is worked on, or dropped"),
        knob!(whole "rate_limit" rate_limit 0..=10_000, "The requests per second beyond which its service sends a 429; 0 for no limit"),
        knob!(choice "retry_after_429" retry_after_429 RetryAfter, "The form of the Retry-After of each 429"),
        knob!(whole "layers" layers 1..=3, "The number of services in a row, each of which calls the next"),
        knob!(whole "layer_attempts" layer_attempts 1..=5, "The most requests that a service makes to the next for one call"),
    ];
}

knobs_as_json! {
    Setup as "ClientSetup": "The setup of a client and of its service."
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_word_on_the_command_line() {
        let names = ["3, jitter", "jitter", "3, jitter + budget"];

        let words = names.map(|name| Policy::new(name, Setup::DEFAULT).word());

        assert_eq!(words, ["3-jitter", "jitter", "3-jitter-+-budget"]);
    }
}
