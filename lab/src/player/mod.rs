//! Who plays a scenario: one and the same task, for different clients.

mod naive;
mod reliable;

use std::borrow::Cow;

use client::{Endpoint, JsonObject, ReliableApiClient};
use serde::Serialize;
use serde_json::{Value, json};

pub use naive::METRICS as NAIVE_METRICS;
pub(crate) use naive::{
    ATTEMPTS as NAIVE_ATTEMPTS, NaiveClient, Silence, Telemetry as NaiveTelemetry,
};

use crate::outcome::Outcome;

/// Which client plays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Client {
    /// The reference client.
    #[default]
    Reliable,
    /// What people first write. It knows no policy.
    Naive,
}

impl Client {
    /// Under which name this client counts what the reference client counts as
    /// `name`: their series never mix.
    #[must_use]
    pub fn counter(self, name: &'static str) -> Cow<'static, str> {
        match (self, name.strip_prefix("client_")) {
            (Self::Naive, Some(rest)) => format!("naive_{rest}").into(),
            _ => name.into(),
        }
    }
}

/// A client, ready to play.
pub(crate) enum Player {
    Reliable(ReliableApiClient),
    Naive(Box<NaiveClient>),
}

impl Player {
    /// Does what the task says, and tells what came of it.
    pub(crate) async fn perform(&self, task: Task) -> Outcome {
        match self {
            Self::Reliable(client) => reliable::perform(client, task).await,
            Self::Naive(client) => client.perform(task).await,
        }
    }
}

/// What a client is to do. It says nothing about how: that is what a client is
/// for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Ask `/flaky` for its number.
    Flaky,
    /// GET a JSON object.
    Get(Endpoint),
    /// GET `/no-content`.
    NoContent,
    /// GET `/redirect`.
    Redirect,
    /// Read a listing to its end.
    List(Endpoint),
    /// Crawl a listing, be killed after processing its second page, and crawl
    /// on from what was saved.
    ResumeCrawl(Endpoint),
    /// Create jobs one after the other, all with one key, with these numbers in
    /// their bodies.
    CreateJobs(&'static [u64]),
    /// POST with a key to an endpoint that promises nothing.
    Post(Endpoint),
    /// GET a JSON object so many times, one after the other.
    Repeat(Endpoint, u32),
    /// GET a JSON object, from so many workers at once.
    Workers(Endpoint, u32),
}

/// The body of a job.
fn job(number: u64) -> JsonObject {
    match json!({ "task": "resize", "image": number }) {
        Value::Object(object) => object,
        _ => JsonObject::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_client_counts_under_a_name_of_its_own() {
        for (name, reliable, naive) in [
            (
                "client_attempts_total",
                "client_attempts_total",
                "naive_attempts_total",
            ),
            (
                "service_jobs_total",
                "service_jobs_total",
                "service_jobs_total",
            ),
        ] {
            assert_eq!(Client::Reliable.counter(name), reliable);
            assert_eq!(Client::Naive.counter(name), naive);
        }
    }
}
