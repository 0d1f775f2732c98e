//! The texts of a task.

use std::time::Duration;

use serde::Serialize;
use wire::nanoseconds;

/// The texts of a task for the author of a client.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct TaskWords {
    /// Its name.
    pub name: &'static str,
    /// The last part of the path of each of its cases.
    pub path: &'static str,
    /// The method, and whether the response is a listing.
    pub request: &'static str,
    /// An example of the JSON body; none for a request without a body.
    pub body: Option<&'static str>,
    /// The task, and the faults that may happen meanwhile.
    pub text: &'static str,
    /// The last line to print.
    pub goal: &'static str,
    /// A hint for an author who is stuck.
    pub hint: &'static str,
    /// The scenario that shows a client doing it.
    pub scenario: &'static str,
    /// How long a case may take, from its first request.
    #[serde(rename = "time_ns", with = "nanoseconds")]
    pub time: Duration,
}

impl TaskWords {
    /// How long a case may take, unless a task says otherwise.
    pub const TIME: Duration = Duration::from_secs(10);
}
