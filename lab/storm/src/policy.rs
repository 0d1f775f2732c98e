//! The policies that a storm compares: settings of a client, and of the services before the
//! last one.

use std::time::Duration;

use clap::ValueEnum;
use serde::Serialize;
use smol_str::SmolStr;

use wire::counted;

use super::{results::figures::moment, settings::seconds};

/// A policy: the clients of one part of a storm.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StormPolicy {
    /// Its name, in a few words.
    pub name: SmolStr,
    /// What the name says of it, in a few more words. Empty if the setup says it.
    #[serde(skip)]
    pub meaning: &'static str,
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Backoff {
    /// At random, from zero to a longest wait that doubles with each retry
    Jitter,
    /// That longest wait, without chance
    Exponential,
    /// Always the longest first wait
    Constant,
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

    /// The setup in words.
    pub(crate) fn words(&self) -> String {
        let base = moment(self.base);
        let waits = match self.backoff {
            Backoff::Jitter => format!("waits of up to {base}, doubling"),
            Backoff::Exponential => format!("waits of {base}, doubling"),
            Backoff::Constant => format!("waits of {base}"),
            Backoff::None => "no wait".to_owned(),
        };
        let budget = counted(self.budget.into(), "token");
        let limit = counted(self.concurrency.into(), "attempt");
        let phrases = [
            (true, counted(self.attempts.into(), "attempt")),
            (self.attempts > 1, waits),
            (self.budget > 0, format!("a budget of {budget}")),
            (self.concurrency > 0, format!("at most {limit} in flight")),
            (
                !self.deadline.is_zero(),
                format!("a deadline of {}", moment(self.deadline)),
            ),
            (
                !self.spread.is_zero(),
                format!("up to {} after a Retry-After", moment(self.spread)),
            ),
        ];
        let phrases = phrases.into_iter().filter(|(applies, _)| *applies);
        let phrases: Vec<_> = phrases.map(|(_, phrase)| phrase).collect();
        phrases.join(", ")
    }

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
    /// The name of a policy of one's own.
    pub(crate) const YOURS: &'static str = "yours";

    /// A policy with this name.
    #[must_use]
    pub const fn new(name: &'static str, setup: Setup) -> Self {
        Self::explained(name, "", setup)
    }

    /// A policy with this name, and what it means.
    #[must_use]
    pub const fn explained(name: &'static str, meaning: &'static str, setup: Setup) -> Self {
        Self {
            name: SmolStr::new_static(name),
            meaning,
            setup,
        }
    }

    /// What the name says of it.
    pub(crate) fn meaning(&self) -> String {
        if self.meaning.is_empty() {
            self.setup.words()
        } else {
            self.meaning.to_owned()
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
    fn a_setup_in_words_names_what_it_has() {
        let more = Setup {
            attempts: 5,
            backoff: Backoff::Constant,
            budget: 1,
            concurrency: 8,
            deadline: Duration::from_secs(3),
            spread: Duration::from_millis(500),
            ..Setup::DEFAULT
        };
        let once = Setup {
            attempts: 1,
            ..Setup::DEFAULT
        };

        assert_eq!(
            more.words(),
            "5 attempts, waits of 0.2 s, a budget of 1 token, at most 8 attempts in flight, \
             a deadline of 3 s, up to 0.5 s after a Retry-After"
        );
        assert_eq!(
            Setup::DEFAULT.words(),
            "3 attempts, waits of up to 0.2 s, doubling"
        );
        assert_eq!(once.words(), "1 attempt");
    }

    #[test]
    fn a_name_is_one_word_on_the_command_line() {
        let names = ["3, jitter", "jitter", "3, jitter + budget"];

        let words = names.map(|name| StormPolicy::new(name, Setup::DEFAULT).word());

        assert_eq!(words, ["3-jitter", "jitter", "3-jitter-+-budget"]);
    }
}
