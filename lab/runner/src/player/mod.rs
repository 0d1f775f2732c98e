//! Who plays a scenario: one and the same task, for different clients.

mod naive;
pub(crate) mod outcome;
mod reliable;
mod terms;

use client::{Endpoint, JsonObject, ReliableApiClient};
use serde_json::{Value, json};

pub use naive::METRICS as NAIVE_METRICS;
pub(crate) use naive::{NaiveClient, Silence, Telemetry as NaiveTelemetry};
pub(crate) use terms::terms;

use evidence::{
    Outcome,
    counters::{ATTEMPTS, CURSOR_LOOPS, GIVE_UPS, RETRIES},
};

/// The reference client.
pub const RELIABLE: evidence::Client = evidence::Client {
    name: "reliable",
    prefix: evidence::Client::REFERENCE_PREFIX,
    headlines: &[ATTEMPTS, RETRIES, GIVE_UPS, CURSOR_LOOPS],
};

/// What people first write. It knows no policy, so it has no limit to give up at, and
/// no history to see a loop in.
pub const NAIVE: evidence::Client = evidence::Client {
    name: "naive",
    prefix: "naive_",
    headlines: &[ATTEMPTS, RETRIES],
};

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

impl Task {
    /// Whether one request is sent after the other.
    #[must_use]
    pub fn has_one_caller(self) -> bool {
        !matches!(self, Self::Workers(..))
    }

    /// Whether the wire can tell a call from a retry of another.
    #[must_use]
    pub fn is_told_apart(self) -> bool {
        !matches!(self, Self::Workers(..) | Self::Repeat(..))
    }
}

/// The body of a job.
fn job(number: u64) -> JsonObject {
    match json!({ "task": "resize", "image": number }) {
        Value::Object(object) => object,
        _ => JsonObject::new(),
    }
}
