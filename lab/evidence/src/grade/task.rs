//! The words of a task.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use crate::nanoseconds;

/// What a task says to whoever writes a client for it.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct TaskWords {
    /// What it is called.
    pub name: &'static str,
    /// The path that the URL of each of its cases ends in.
    pub path: &'static str,
    /// The request that it takes.
    pub request: &'static str,
    /// A body that it takes, as JSON; none of a request without a body.
    pub body: Option<&'static str>,
    /// What to do, and what may happen meanwhile.
    pub text: &'static str,
    /// The last line to print.
    pub goal: &'static str,
    /// Something to think about, for whoever is stuck.
    pub hint: &'static str,
    /// The scenario that shows a client doing it.
    pub scenario: &'static str,
    /// How long a case may take, from its first request on.
    #[serde(rename = "time_ns", serialize_with = "nanoseconds::one")]
    #[schemars(with = "u64")]
    pub time: Duration,
}

impl TaskWords {
    /// How long a case may take, unless a task says otherwise.
    pub const TIME: Duration = Duration::from_secs(10);
}
