//! A storm: many clients, one service with a capacity, a short incident, and what became
//! of the calls.

pub mod check;
mod knob;
mod policy;
mod recovery;
mod settings;
mod story_words;
mod tally;

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use crate::nanoseconds;

pub use knob::{Knob, KnobError, Knobs, Value, Values};
pub use policy::{Backoff, ClientKind, Policy, Setup, Source};
pub use recovery::per_second;
pub use settings::{Incident, Load, RetryAfter, Settings, SettingsError, Work};
pub use story_words::StoryWords;
pub use tally::{End, PolicyTally, Tally};

/// The time that one [`Step`] counts.
pub const STEP: Duration = Duration::from_millis(100);

/// The version of the shape of a storm as JSON. It rises when a member goes, or changes
/// its name, its type or its meaning.
pub const STORM_VERSION: u32 = 3;

/// One incident, met by the clients of several policies, each with a service of its own
/// and with the same calls.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Storm {
    /// The version of this shape.
    pub schema_version: u32,
    /// What it was drawn from.
    pub seed: u64,
    /// The random generator that draws from the seed.
    pub generator: &'static str,
    /// The story that it simulates.
    pub story: StoryWords,
    /// Whether it shows what the story's answer says; none if the story has no answer for
    /// its incident, or if a policy of the story was not simulated to the end.
    pub shows_the_answer: Option<bool>,
    /// How it was set up.
    pub settings: Settings,
    /// The requests that the service can work on in a second while there is no incident,
    /// on average.
    pub capacity_per_second: f64,
    /// What became of the calls under each policy.
    pub policies: Vec<PolicyRun>,
}

/// What became of the calls under one policy.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PolicyRun {
    /// The policy.
    pub policy: Policy,
    /// Why it ended before its time, if it did.
    pub cut: Option<Cut>,
    /// How long after the end of the incident the service was back, and stayed so: nine
    /// tenths of the calls of a second succeeded, in that second and every later one. Null
    /// if it never was, or if the policy was not simulated to the end.
    #[serde(rename = "back_after_ns", serialize_with = "nanoseconds::optional")]
    #[schemars(with = "Option<u64>")]
    pub back_after: Option<Duration>,
    /// Requests for each call.
    pub amplification: f64,
    /// What was counted in each tenth of a second.
    pub steps: Vec<Step>,
    /// What was counted in all.
    pub totals: Totals,
}

/// Why a policy was not simulated to the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Cut {
    /// It was cancelled.
    Cancelled,
    /// It came to the most requests that the lab simulates.
    Requests,
    /// It came to the most calls in flight that the lab simulates.
    InFlight,
}

/// What was counted in a tenth of a second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Step {
    /// Calls that began in it.
    pub calls: u32,
    /// Of these, the ones that succeeded before the end of all, whenever that was.
    pub answered: u32,
    /// Of these, the ones that failed before the end of all. The others still went on.
    pub failed: u32,
    /// Calls that succeeded in it, whenever they began: the goodput.
    pub goodput: u32,
    /// Requests that came to the service.
    pub requests: u32,
    /// Of these, the ones that were not the first of their call.
    pub retries: u32,
    /// Requests that the service had worked on to their end: the throughput.
    pub worked: u32,
    /// Requests that waited at its end.
    pub waiting: u32,
    /// How long the calls took that ended in it, whether they succeeded or failed, waits
    /// included; none if none ended.
    pub latency: Option<Latency>,
    /// The tokens that were left in the budget of a client at its end, on average; none
    /// without a budget.
    pub tokens: Option<f64>,
    /// The attempts that a client might have in flight at its end, on average; none
    /// without a limit.
    pub limit: Option<f64>,
}

/// How long calls took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Latency {
    /// Half of them took no longer.
    #[serde(rename = "median_ns", serialize_with = "nanoseconds::one")]
    #[schemars(with = "u64")]
    pub median: Duration,
    /// 99 of 100 took no longer.
    #[serde(rename = "p99_ns", serialize_with = "nanoseconds::one")]
    #[schemars(with = "u64")]
    pub p99: Duration,
}

impl Latency {
    /// Of calls that took so long; none of none. Both are times that were measured (the
    /// nearest rank), and none in between.
    #[must_use]
    pub fn of(times: &mut [Duration]) -> Option<Self> {
        times.sort_unstable();
        let rank = |percent: usize| (times.len() * percent).div_ceil(100).checked_sub(1);
        let at = |percent| rank(percent).and_then(|at| times.get(at).copied());
        Some(Self {
            median: at(50)?,
            p99: at(99)?,
        })
    }
}

/// What was counted in all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Totals {
    /// Calls that began.
    pub calls: u64,
    /// Calls that succeeded.
    pub succeeded: u64,
    /// Calls that failed: the ones that were lost.
    pub failed: u64,
    /// Calls that had not ended at the end.
    pub in_flight: u64,
    /// Requests that came to the service.
    pub requests: u64,
    /// Of these, the ones that were not the first of their call.
    pub retries: u64,
    /// Of the retries, those whose call had got a 503 before.
    pub retries_after_503: u64,
    /// Of the retries, those whose call had got no response in time.
    pub retries_after_timeout: u64,
    /// Requests that the service refused.
    pub rejected: u64,
    /// Requests that the service worked on for a client that was still there.
    pub useful: u64,
    /// Requests that the service worked on for a client that had gone away.
    pub abandoned: u64,
    /// Requests that waited, or were worked on, at the end.
    pub unfinished: u64,
    /// Requests whose client has got a response, or has gone away.
    pub settled: u64,
    /// Attempts, as the clients counted them when they ended: as many as are settled.
    pub counted_attempts: u64,
    /// Retries, as the clients counted them when they began to wait for one: as many as
    /// came to the service, and those that did not come.
    pub counted_retries: u64,
    /// Retries that did not come to the service: the wait for them had not ended at the
    /// end of all, or a deadline ended it.
    pub retries_not_sent: u64,
    /// How long the calls took that ended, whether they succeeded or failed.
    pub latency: Option<Latency>,
}

#[cfg(test)]
impl Storm {
    /// A storm without a policy.
    fn of_no_story(settings: Settings) -> Self {
        let story = StoryWords {
            name: "",
            title: "",
            question: "",
            varies: "",
            answer: None,
            lesson: "",
            left_out: "",
            scenario: "",
            rule: "",
        };
        Self {
            schema_version: STORM_VERSION,
            seed: 1,
            generator: "",
            story,
            shows_the_answer: None,
            settings,
            capacity_per_second: settings.capacity_per_second(),
            policies: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_latency_is_a_time_that_a_call_took() {
        let of = |times: &[u64]| {
            let mut times: Vec<_> = times.iter().copied().map(Duration::from_secs).collect();
            Latency::of(&mut times).map(|it| (it.median.as_secs(), it.p99.as_secs()))
        };
        let hundred: Vec<_> = (1..=100).rev().collect();
        let more: Vec<_> = (1..=101).collect();

        assert_eq!(of(&[]), None);
        assert_eq!(of(&[7]), Some((7, 7)));
        assert_eq!(of(&[9, 7]), Some((7, 9)));
        assert_eq!(of(&hundred), Some((50, 99)));
        assert_eq!(of(&more), Some((51, 100)));
    }
}
