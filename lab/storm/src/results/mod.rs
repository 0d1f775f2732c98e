//! The results of a storm: the calls of each policy, its figures, and its word.

pub(crate) mod figures;
pub(crate) mod loads;
pub(crate) mod tally;
pub(crate) mod word;

use std::time::Duration;

use serde::Serialize;
use wire::nanoseconds;

use crate::{Settings, StormPolicy, Story};
use figures::Figures;
use word::Word;

/// The version of the JSON format of a storm. It rises when a member is removed, or
/// changes its name, its type or its meaning.
pub(crate) const STORM_VERSION: u32 = 7;

/// One incident for several policies: each policy has clients and a service of its own,
/// and the same calls.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Storm {
    /// The version of the JSON format.
    pub schema_version: u32,
    /// The seed.
    pub seed: u64,
    /// The random generator that uses the seed.
    pub generator: &'static str,
    /// The command that simulates it, from the name of the subcommand on.
    pub command: String,
    /// The simulated story.
    pub story: &'static Story,
    /// The question that it asks with this incident.
    pub question: &'static str,
    /// The lesson of the story; null with other settings than its own, or if it was cancelled.
    pub lesson: Option<&'static str>,
    /// The settings.
    pub settings: Settings,
    /// The number of requests that the service can process per second without an incident,
    /// on average.
    pub capacity_per_second: f64,
    /// The results of each policy.
    pub policies: Vec<PolicyRun>,
}

/// The results of one policy.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PolicyRun {
    /// The policy.
    pub policy: StormPolicy,
    /// Why it was stopped early, if it was.
    pub cut: Option<Cut>,
    /// The figures that are shown.
    pub figures: Figures,
    /// The word that follows from them.
    pub word: Option<Word>,
    /// The requests that were simulated, with those of a longer storm.
    #[serde(skip)]
    pub simulated_requests: u64,
    /// The counts of the whole storm.
    pub totals: Totals,
    /// The counts of each tenth of a second in which calls start.
    pub steps: Vec<Step>,
}

/// Why a policy was not simulated to the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Cut {
    /// It was cancelled.
    Cancelled,
    /// It reached the most requests that the lab simulates.
    Requests,
    /// It reached the most calls in flight that the lab simulates.
    InFlight,
}

/// The counts of the whole storm, which ends when every call has ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Totals {
    /// Calls that started.
    pub calls: u64,
    /// Calls that succeeded.
    pub succeeded: u64,
    /// Calls that failed.
    pub failed: u64,
    /// Requests that arrived at the service.
    pub requests: u64,
    /// Of these, the requests that were not the first of their call.
    pub retries: u64,
    /// Of the retries, those after a 503.
    pub retries_after_503: u64,
    /// Of the retries, those after a 429.
    pub retries_after_429: u64,
    /// Of the retries, those after a timeout.
    pub retries_after_timeout: u64,
    /// Requests that the service refused.
    pub rejected: u64,
    /// Requests that the service processed for an attempt that was still waiting.
    pub useful: u64,
    /// Requests that the service processed for an attempt that had timed out.
    pub abandoned: u64,
    /// Attempts by the clients' own count: one for each request.
    pub counted_attempts: u64,
    /// Retries by the clients' own count at the start of the wait. A deadline may end the wait.
    pub counted_retries: u64,
    /// The latency of the calls, succeeded or failed.
    pub latency: Option<Latency>,
}

/// The length of one [`Step`].
pub(crate) const STEP: Duration = Duration::from_millis(100);

/// The counts of a tenth of a second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Step {
    /// Calls that started in it.
    pub calls: u32,
    /// Of these, the calls that succeeded at any time.
    pub succeeded: u32,
    /// Calls that succeeded in it, regardless of when they started: the goodput.
    pub goodput: u32,
    /// Requests that arrived at the service.
    pub requests: u32,
    /// Of these, the requests that were not the first of their call.
    pub retries: u32,
    /// Requests that the service completed: the throughput.
    pub worked: u32,
    /// Of these, the requests whose attempt had timed out.
    pub abandoned: u32,
    /// Requests queued at its end.
    pub waiting: u32,
    /// The tokens left in a client's budget at its end, on average; none without a budget.
    pub tokens: Option<f64>,
    /// The attempts in flight that a client allowed itself at its end, on average; none
    /// without a limit.
    pub limit: Option<f64>,
}

/// The latency of calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Latency {
    /// The median.
    #[serde(rename = "median_ns", with = "nanoseconds")]
    pub median: Duration,
    /// The 99th percentile.
    #[serde(rename = "p99_ns", with = "nanoseconds")]
    pub p99: Duration,
}

impl PolicyRun {
    /// How it ended, in a word or two; empty if no word describes it.
    #[must_use]
    pub fn ending(&self) -> String {
        match (self.cut, self.word) {
            (Some(Cut::Cancelled), _) => "cancelled".to_owned(),
            (Some(Cut::Requests | Cut::InFlight), _) => "cut short".to_owned(),
            (None, Some(word)) => word.to_string(),
            (None, None) => String::new(),
        }
    }

    /// The retries in the step with the most.
    pub(crate) fn retry_peak(&self) -> u32 {
        let most = self.steps.iter().map(|step| step.retries).max();
        most.unwrap_or(0)
    }
}

impl Cut {
    /// Why the lab cut a run short; none if it was cancelled.
    pub(crate) fn why(self) -> Option<&'static str> {
        match self {
            Self::Cancelled => None,
            Self::Requests => {
                Some("it reached a million requests, the most that the lab simulates")
            }
            Self::InFlight => Some("5000 calls were in flight, the most that the lab simulates"),
        }
    }
}

impl Settings {
    /// The number of steps in which calls start.
    pub(crate) fn steps(&self) -> usize {
        let steps = self.length.as_nanos().div_ceil(STEP.as_nanos());
        usize::try_from(steps).unwrap_or(usize::MAX)
    }
}

impl Latency {
    /// The latency of these calls; none if there are no calls. Both values are measured times
    /// (the nearest rank), not interpolated ones.
    pub(crate) fn of(times: &mut [Duration]) -> Option<Self> {
        times.sort_unstable();
        let rank = |percent: usize| (times.len() * percent).div_ceil(100).checked_sub(1);
        let at = |percent| rank(percent).and_then(|at| times.get(at).copied());
        Some(Self {
            median: at(50)?,
            p99: at(99)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_latency_is_the_time_of_a_call() {
        let of = |times: &[u64]| {
            let mut times: Vec<_> = times.iter().copied().map(Duration::from_secs).collect();
            Latency::of(&mut times).map(|latency| (latency.median.as_secs(), latency.p99.as_secs()))
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
