//! *This policy under load*: what many clients with the policy of a card do to a service.
//!
//! A card says what one client does. How many of them fare is simulated, by a product that this
//! crate does not know: the command line measures the policy here, and adds the words.

use std::time::Duration;

use judge::rules::{CardContext, Case, Growth, MeasuredPolicy, Part, Waits};
use serde::Serialize;
use wire::counted;

use crate::{
    Card, TaskGrade,
    tasks::{down, flaky, silence},
};

/// The heading.
pub(crate) const TITLE: &str = "This policy under load";

/// What no card shows, and what follows from that.
pub(crate) const NOT_SEEN: &str = "Not seen: a retry budget or a limit that many calls share, \
     because each case is one call. So a client that does every task can read DOWN as well. The \
     simulated service sends no Retry-After.";

/// The policy of a client, and what many clients with this policy do to a service.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PolicyUnderLoad {
    /// The policy, as far as the card shows it.
    pub policy: MeasuredPolicy,
    /// The result of a storm; none if a part that it needs is not known, if a storm cannot have
    /// this policy, or if the client does not try again after a timeout.
    pub storm: Option<StormWords>,
}

/// The result of a storm of clients with one policy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StormWords {
    /// Whether the service recovers with the policy as it was measured.
    pub as_measured: LoadWord,
    /// Whether it recovers if each client has a retry budget of ten tokens as well.
    pub with_budget: LoadWord,
    /// The command that simulates the policy as it was measured, from the name of the
    /// subcommand on.
    pub command: String,
}

/// Whether a service recovers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LoadWord {
    /// The word.
    pub words: String,
    /// Good, bad or neither.
    pub is_good: Option<bool>,
}

impl Card {
    /// The policy of the client; none if the card does not have the tasks that show it, with
    /// requests.
    #[must_use]
    pub fn measured_policy(&self) -> Option<MeasuredPolicy> {
        self.attempted(flaky::TASK.words.name)?;
        let refusing = self.attempted(down::TASK.words.name)?.cases.iter();
        let mut refusing = refusing.filter(|case| case.name == down::REFUSING);
        let refusing = refusing.next().filter(|case| case.wire.total > 0)?;
        let silent = self.attempted(silence::TASK.words.name)?.cases.first()?;
        let cases = self.tasks.iter().flat_map(TaskGrade::recorded);
        let context = CardContext::of(&cases.collect::<Vec<_>>());
        let [refusing, silent] =
            [refusing, silent].map(|case| Case::with(&case.wire, case.process.as_ref(), &context));
        Some(MeasuredPolicy::of(&context, &refusing, &silent))
    }

    /// The task of this name, if the client attempted it.
    fn attempted(&self, name: &str) -> Option<&TaskGrade> {
        let mut tasks = self.tasks.iter();
        tasks.find(|task| task.task == name && task.was_attempted())
    }
}

impl StormWords {
    /// The command that simulates the policy with the budget.
    pub(crate) fn command_with_budget(&self) -> String {
        format!("{} --budget 10", self.command)
    }
}

impl PolicyUnderLoad {
    /// The policy, and the result of the storm.
    pub(crate) fn sentences(&self) -> Vec<String> {
        let mut sentences = self.policy_sentences();
        if let Some(storm) = &self.storm {
            let [as_measured, with_budget] =
                [&storm.as_measured, &storm.with_budget].map(|word| &word.words);
            sentences.push(format!(
                "In a spike of many such clients: {as_measured}; with a retry budget: \
                 {with_budget}."
            ));
        }
        sentences
    }

    /// The parts of the policy that are known, and why others are not.
    pub(crate) fn policy_sentences(&self) -> Vec<String> {
        let MeasuredPolicy {
            attempts,
            waits,
            after_timeout,
        } = &self.policy;
        let mut phrases = Vec::new();
        let mut sentences = Vec::new();
        let mut unknown = |what: &str, why: &str| {
            sentences.push(format!("Cannot tell {what}: {why}."));
        };
        match attempts {
            Part::Measured(attempts) => phrases.push(counted(*attempts as u64, "attempt")),
            Part::CannotTell(why) => unknown("the number of attempts", why),
            Part::NotNeeded => {}
        }
        match waits {
            Part::Measured(waits) => phrases.push(waits_in_words(*waits)),
            Part::CannotTell(why) => unknown("the waits", why),
            Part::NotNeeded => {}
        }
        match after_timeout {
            Part::Measured(true) => phrases.push("again after a timeout".to_owned()),
            Part::Measured(false) => phrases.push(
                "not again after a timeout, so the retries add nothing to an overload that shows \
                 as timeouts"
                    .to_owned(),
            ),
            Part::CannotTell(why) => {
                unknown("whether there is another attempt after a timeout", why);
            }
            Part::NotNeeded => {}
        }
        if !phrases.is_empty() {
            sentences.insert(0, format!("{}.", phrases.join(", ")));
        }
        sentences
    }
}

fn waits_in_words(waits: Waits) -> String {
    let Waits::Pauses {
        first,
        has_jitter,
        growth,
    } = waits
    else {
        return "no wait before a retry".to_owned();
    };
    let up_to = if has_jitter { "up to " } else { "" };
    let first = seconds(first);
    let grows = match growth {
        Some(Growth::Equal) => " each time",
        Some(Growth::Doubles) => " at first and then twice as long each time",
        None => " before the retry",
    };
    let jitter = if has_jitter { "jitter" } else { "no jitter" };
    format!("{up_to}{first}{grows}, {jitter}")
}

fn seconds(length: Duration) -> String {
    format!("{} s", length.as_secs_f64())
}
