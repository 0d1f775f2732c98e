//! The policies that a storm compares: settings of a client, and of the services before the
//! last one.

use std::time::Duration;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use super::settings::seconds;

/// A policy: the clients of one part of a storm.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StormPolicy {
    /// Its name, in a few words.
    pub name: SmolStr,
    /// The setup of its clients.
    pub setup: Setup,
}

/// How many calls earn one retry in a budget, as in the reference client.
pub(crate) const CALLS_PER_RETRY: u32 = 10;

/// The setup of a client. In JSON, times are in seconds.
///
/// [`Setup::DEFAULT`] makes three attempts with the client's backoff, without a budget, a limit
/// or a deadline.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Setup {
    /// The most attempts of one call.
    pub attempts: u32,
    /// The wait before a retry.
    pub backoff: Backoff,
    /// The longest first wait.
    #[serde(rename = "base_seconds", serialize_with = "seconds")]
    pub base: Duration,
    /// The longest wait of all.
    #[serde(rename = "cap_seconds", serialize_with = "seconds")]
    pub cap: Duration,
    /// The tokens of each client's retry budget; 0 for no budget.
    pub budget: u32,
    /// The most attempts that a client has in flight; 0 for no limit.
    pub concurrency: u32,
    /// The most time that a call may take, including waits; 0 for no deadline.
    #[serde(rename = "deadline_seconds", serialize_with = "seconds")]
    pub deadline: Duration,
    /// The most that is added to a Retry-After at random.
    #[serde(rename = "spread_seconds", serialize_with = "seconds")]
    pub spread: Duration,
    /// Whether the client waits as long as a Retry-After says.
    pub retry_after: RetryAfterIs,
    /// The number of services in a row, each of which calls the next and retries like the
    /// client. The last is the one with a queue and workers.
    pub layers: u32,
    /// The layers that retry.
    pub retries_in: Retrying,
    /// The number of clients of this policy; 0 for as many as the others.
    pub own_clients: u32,
}

/// What a client does with a Retry-After.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RetryAfterIs {
    /// It waits for as long.
    Obeyed,
    /// It does not read it.
    Ignored,
}

/// The layers that retry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Retrying {
    /// The client and each service that calls another one.
    #[serde(rename = "each layer")]
    EachLayer,
    /// The client alone.
    #[serde(rename = "client")]
    Client,
}

/// How the wait before a retry is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Backoff {
    /// At random, from zero to a longest wait that doubles with each retry
    Jitter,
    /// That longest wait, without chance
    Exponential,
    /// No wait
    None,
}

impl Setup {
    /// Three attempts with the client's backoff.
    pub const DEFAULT: Self = Self {
        attempts: 3,
        backoff: Backoff::Jitter,
        base: Duration::from_millis(200),
        cap: Duration::from_secs(5),
        budget: 0,
        concurrency: 0,
        deadline: Duration::ZERO,
        spread: Duration::ZERO,
        retry_after: RetryAfterIs::Obeyed,
        layers: 1,
        retries_in: Retrying::EachLayer,
        own_clients: 0,
    };

    /// The most requests per call that reach the last service, on average: the product of
    /// the attempts of each layer that retries, or of fewer if a budget limits them.
    pub(crate) fn most_requests(&self) -> f64 {
        let attempts = f64::from(self.attempts);
        let with_budget = 1.0 + 1.0 / f64::from(CALLS_PER_RETRY);
        let of_one_layer = if self.budget == 0 {
            attempts
        } else {
            attempts.min(with_budget)
        };
        let retrying = match self.retries_in {
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
