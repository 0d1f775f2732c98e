//! A storm: many clients, one service with limited capacity, a short incident, and the
//! results of the calls.

use serde::Serialize;

use crate::{Latency, Recovery, Settings, Step, StormPolicy, StoryWords};

/// The version of the JSON format of a storm. It rises when a member is removed, or
/// changes its name, its type or its meaning.
pub const STORM_VERSION: u32 = 5;

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
    /// The simulated story.
    pub story: StoryWords,
    /// Whether it shows the story's answer; none if the story has no answer for its
    /// incident, or if a policy of the story was not simulated to the end.
    pub shows_the_answer: Option<bool>,
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
    /// Whether the service recovered.
    pub recovery: Recovery,
    /// Requests per call.
    pub amplification: f64,
    /// The counts of each tenth of a second.
    pub steps: Vec<Step>,
    /// The counts of the whole storm.
    pub totals: Totals,
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

/// The counts of the whole storm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Totals {
    /// Calls that began.
    pub calls: u64,
    /// Calls that succeeded.
    pub succeeded: u64,
    /// Calls that failed, which are the lost calls.
    pub failed: u64,
    /// Calls in flight at the end.
    pub in_flight: u64,
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
    /// Requests that the service dropped from its queue because their attempt had timed out.
    pub dropped: u64,
    /// Requests queued or in work at the end.
    pub unfinished: u64,
    /// Requests that got a response or timed out.
    pub settled: u64,
    /// Attempts by the clients' own count at their end: equal to `settled`.
    pub counted_attempts: u64,
    /// Retries by the clients' own count at the start of the wait: those that arrived at the
    /// service, and those that did not.
    pub counted_retries: u64,
    /// Retries that did not arrive at the service: the wait for them had not ended at the end
    /// of the storm, or a deadline ended it.
    pub retries_not_sent: u64,
    /// The latency of the calls that ended, succeeded or failed.
    pub latency: Option<Latency>,
}

#[cfg(test)]
impl Storm {
    /// A storm without a policy.
    #[must_use]
    pub fn of_no_story(settings: Settings) -> Self {
        Self {
            schema_version: STORM_VERSION,
            seed: 1,
            generator: "",
            story: StoryWords::default(),
            shows_the_answer: None,
            settings,
            capacity_per_second: settings.capacity_per_second(),
            policies: Vec::new(),
        }
    }
}
