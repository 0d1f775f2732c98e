//! Who plays a scenario: one and the same task, for different clients.

mod reliable;

pub(crate) use reliable::perform;

use client::{Endpoint, JsonObject};
use serde_json::{Value, json};

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
