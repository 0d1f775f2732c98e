//! A storm: many clients, one service with a capacity, a short trouble, and what became
//! of the calls.

mod recovery;

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use crate::nanoseconds;

/// The time that one [`Step`] counts.
pub const STEP: Duration = Duration::from_millis(100);

/// The version of the shape of a storm as JSON. It rises when a member goes, or changes
/// its name, its type or its meaning.
pub const STORM_VERSION: u32 = 1;

/// One trouble, met by the clients of several policies, each with a service of its own
/// and with the same calls.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Storm {
    /// The version of this shape.
    pub schema_version: u32,
    /// What it was drawn from.
    pub seed: u64,
    /// The random generator that draws from the seed.
    pub generator: &'static str,
    /// How long it lasted.
    #[serde(rename = "length_ns", serialize_with = "nanoseconds::one")]
    #[schemars(with = "u64")]
    pub length: Duration,
    /// The calls of a second while there was no trouble, on average.
    pub calls_per_second: f64,
    /// The calls of a second during the trouble, on average.
    pub spike_per_second: f64,
    /// How long a client waits for a response.
    #[serde(rename = "timeout_ns", serialize_with = "nanoseconds::one")]
    #[schemars(with = "u64")]
    pub timeout: Duration,
    /// The requests that the service can work on in a second, on average.
    pub capacity_per_second: f64,
    /// When the trouble began.
    #[serde(rename = "trouble_began_ns", serialize_with = "nanoseconds::one")]
    #[schemars(with = "u64")]
    pub trouble_began: Duration,
    /// When the trouble ended.
    #[serde(rename = "trouble_ended_ns", serialize_with = "nanoseconds::one")]
    #[schemars(with = "u64")]
    pub trouble_ended: Duration,
    /// What became of the calls under each policy.
    pub policies: Vec<PolicyRun>,
}

/// What became of the calls under one policy.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PolicyRun {
    /// The policy, in a few words.
    pub policy: &'static str,
    /// What was counted in each tenth of a second.
    pub steps: Vec<Step>,
    /// What was counted in all.
    pub totals: Totals,
}

/// What was counted in a tenth of a second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Step {
    /// Calls that began in it.
    pub calls: u32,
    /// Of these, the ones that succeeded, whenever that was.
    pub answered: u32,
    /// Calls that succeeded in it, whenever they began: the goodput.
    pub goodput: u32,
    /// Requests that came to the service.
    pub requests: u32,
    /// Requests that the service had worked on to their end: the throughput.
    pub worked: u32,
    /// Requests that waited at its beginning.
    pub waiting: u32,
}

/// What was counted in all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Totals {
    /// Calls that began.
    pub calls: u64,
    /// Calls that succeeded.
    pub succeeded: u64,
    /// Calls that failed.
    pub failed: u64,
    /// Requests that came to the service.
    pub requests: u64,
    /// Requests that the service refused, because its queue was full.
    pub rejected: u64,
    /// Requests that the service worked on for a client that was still there.
    pub useful: u64,
    /// Requests that the service worked on for a client that had gone away.
    pub abandoned: u64,
    /// Requests that waited, or were worked on, at the end.
    pub unfinished: u64,
    /// Attempts, as the clients counted them: as many as there were requests.
    pub attempts: u64,
    /// Retries, as the clients counted them.
    pub retries: u64,
}
