//! Two runs of one scenario, by the reliable client and by the naive one, and
//! what differs between them.
//!
//! Every difference is measured on the two runs. Nothing is known here of what
//! a scenario is about, and where the two came to the same, nothing is said.

mod measures;

use schemars::JsonSchema;
use serde::Serialize;

use self::measures::MEASURES;
use crate::{
    outcome::{Ending, Fact},
    run::Run,
};

/// One scenario, played by both clients with one seed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Comparison {
    /// The run of the reference client.
    pub reliable: Run,
    /// The run of what people first write.
    pub naive: Run,
    /// What differs.
    pub differences: Vec<Difference>,
    /// What to try next: arguments of `lab`.
    pub next: String,
}

impl Comparison {
    /// Compares two runs; `next` is what to try after them.
    #[must_use]
    pub fn of(reliable: Run, naive: Run, next: String) -> Self {
        Self {
            differences: differences(&reliable, &naive),
            reliable,
            naive,
            next,
        }
    }

    /// Why it matters: what is true of the reliable client's run, and then what
    /// the naive client's adds to it.
    #[must_use]
    pub fn why(&self) -> Vec<&'static str> {
        why([&self.reliable, &self.naive])
    }
}

/// What is true of any of these runs, each sentence once.
#[must_use]
pub fn why<'a>(runs: impl IntoIterator<Item = &'a Run>) -> Vec<&'static str> {
    let mut why = Vec::new();
    for sentence in runs.into_iter().flat_map(|run| &run.lesson.why) {
        if !why.contains(sentence) {
            why.push(*sentence);
        }
    }
    why
}

/// One thing that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Difference {
    /// What was measured.
    pub aspect: Aspect,
    /// What it came to with the reliable client.
    pub reliable: Fact,
    /// What it came to with the naive one.
    pub naive: Fact,
    /// The difference in words: the rest of a sentence that begins with "the
    /// naive client".
    pub text: String,
}

/// What can differ, what it cost the service first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Aspect {
    /// Requests that the service saw.
    Requests,
    /// Attempts that never reached it.
    UnseenAttempts,
    /// Requests that came before a Retry-After allowed.
    EarlyRequests,
    /// Requests that were refused with 429.
    RefusedRequests,
    /// Retries of what no retry mends: a response that is no retry candidate, or
    /// a failed TLS handshake.
    HopelessRetries,
    /// The time waited before retries, in milliseconds.
    WaitedMilliseconds,
    /// Redirects that were followed.
    RedirectsFollowed,
    /// POST requests that the service saw.
    PostRequests,
    /// Idempotency keys that the service saw.
    IdempotencyKeys,
    /// Jobs that the service created.
    JobsCreated,
    /// Pages of a listing that were read with success.
    PagesRead,
    /// Records that were handed on, duplicates included.
    RecordsDelivered,
    /// Calls of many that succeeded.
    CallsSucceeded,
    /// Whether a response that the reliable client refused was taken for data.
    UntrustedDataTaken,
    /// How it ended.
    Outcome,
}

/// What differs between two runs of one scenario; nothing if one was cancelled,
/// since half a run cannot be compared.
#[must_use]
pub fn differences(reliable: &Run, naive: &Run) -> Vec<Difference> {
    let mut differences = Vec::new();
    if reliable.is_cancelled() || naive.is_cancelled() {
        return differences;
    }
    for (aspect, of, text) in MEASURES {
        let (one, other) = (of(reliable), of(naive));
        if one != other {
            differences.push(Difference {
                aspect,
                reliable: one.into(),
                naive: other.into(),
                text: text(other, one),
            });
        }
    }
    if let Some(problem) = refused(reliable)
        && naive.outcome.ending == Ending::Ok
    {
        differences.push(Difference {
            aspect: Aspect::UntrustedDataTaken,
            reliable: false.into(),
            naive: true.into(),
            text: format!("took for data what the reliable client refused ({problem})"),
        });
    }
    let [one, other] = [reliable, naive].map(|run| run.outcome.ending);
    if one != other {
        differences.push(Difference {
            aspect: Aspect::Outcome,
            reliable: Fact::Name(one.to_string()),
            naive: Fact::Name(other.to_string()),
            text: format!("ended with: {other}, rather than with: {one}"),
        });
    }
    differences
}

/// What was wrong with a complete response that a client refused to use.
fn refused(run: &Run) -> Option<&Fact> {
    let too_large = Fact::from("body_too_large");
    run.outcome
        .fact("problem")
        .filter(|problem| run.outcome.ending == Ending::ResponseError || **problem == too_large)
}
