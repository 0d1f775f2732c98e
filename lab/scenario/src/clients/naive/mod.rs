//! The naive client: it works as long as nothing goes wrong.
//!
//! It performs the same tasks as the reference client, in short and idiomatic code as in
//! many programs. A comment gives the origin of each habit that a scenario punishes;
//! nothing is clumsy on purpose.
//!
//! The lab adds three bounds so that every run ends: the attempts of a call, the pages
//! of a listing, and the length of a silence.

mod call;
mod telemetry;

use std::ops::ControlFlow;

use client::{
    ConfigError, Endpoint, IdempotencyKey, JsonObject, MemoryCheckpoints, teaching::endpoint,
};
use serde_json::Value;
use wire::duration;

use self::call::{Call, Failure, MAX_ATTEMPTS, NaiveClient};
use super::{ClientUnderTest, Connection, ScenarioClient, Task};
use crate::{
    Client, Ending, Outcome, ScenarioPolicy,
    counters::{ATTEMPTS, RETRIES},
};

/// The naive client. It ignores the policy, so it has no limits, and it keeps no history
/// of cursors.
pub const NAIVE: Client = Client {
    name: "naive",
    headlines: &[ATTEMPTS, RETRIES],
    without: None,
};

/// [`NAIVE`], and how it is built.
#[derive(Clone, Copy, Debug)]
pub struct Naive;

/// After how many pages the lab stops a listing that has not ended.
const PAGES: u64 = 50;

impl ClientUnderTest for Naive {
    fn identity(&self) -> Client {
        NAIVE
    }

    fn about(&self) -> &'static str {
        "A typical first client"
    }

    fn terms(&self, _: &ScenarioPolicy, task: Task) -> Vec<String> {
        let mut terms = vec![format!(
            "a typical first client: up to {MAX_ATTEMPTS} attempts{}, no waits",
            task.attempted()
        )];
        if task.has_key() {
            terms.push("a new Idempotency-Key for each attempt".to_owned());
        }
        terms
    }

    fn connect(&self, connection: Connection) -> Result<Box<dyn ScenarioClient>, ConfigError> {
        Ok(Box::new(NaiveClient::new(&connection)?))
    }
}

/// It parses every response as JSON, even one without content. Its library follows a
/// redirect, so the response is that of another endpoint. Each request takes a new key: see
/// [`Call`].
#[async_trait::async_trait]
impl ScenarioClient for NaiveClient {
    async fn flaky(&self) -> Result<u64, Outcome> {
        let body = self.fetch(Call::get(endpoint::FLAKY)).await?;
        let attempt = body.get("attempt").and_then(Value::as_u64);
        Ok(attempt.unwrap_or_default())
    }

    async fn get(&self, endpoint: Endpoint) -> Result<(), Outcome> {
        self.fetch(Call::get(endpoint)).await.map(drop)
    }

    async fn post(
        &self,
        endpoint: Endpoint,
        _: Option<&IdempotencyKey>,
        body: &JsonObject,
    ) -> Result<(), Outcome> {
        self.fetch(Call::post(endpoint, body)).await.map(drop)
    }

    async fn create_job(
        &self,
        _: Option<&IdempotencyKey>,
        body: &JsonObject,
    ) -> Result<String, Outcome> {
        let job = self.fetch(Call::post(endpoint::CREATE_JOB, body)).await?;
        Ok(job.get("id").unwrap_or_default().to_string())
    }

    /// Starts again at page 1 each time: a position in a variable is lost with its process.
    async fn crawl(
        &self,
        endpoint: Endpoint,
        _: &MemoryCheckpoints,
        each_page: &mut (dyn FnMut(Vec<String>) -> ControlFlow<()> + Send),
    ) -> Result<(), Outcome> {
        let mut cursor = None;
        for _ in 0..PAGES {
            let mut page = self.fetch(Call::page(endpoint, cursor.as_deref())).await?;
            // Everything in the array counts as an item, and a missing array as empty.
            if let Some(Value::Array(items)) = page.get_mut("items").map(Value::take) {
                let items = items.iter().map(Value::to_string);
                if each_page(items.collect()).is_break() {
                    return Ok(());
                }
            }
            // `as_str` is `None` for null and for every wrong type. Earlier cursors are
            // not remembered; most loops that follow a `next` link do the same.
            match page.get("next_cursor").and_then(Value::as_str) {
                Some(next) => cursor = Some(next.to_owned()),
                None => return Ok(()),
            }
        }
        Err(Outcome::stopped_by_the_lab(format!(
            "no end: the lab stopped the crawl after {PAGES} pages"
        )))
    }
}

impl NaiveClient {
    async fn fetch(&self, call: Call<'_>) -> Result<Value, Outcome> {
        let result = self.call(call).await;
        result.map_err(|failure| self.outcome(failure))
    }

    fn outcome(&self, failure: Failure) -> Outcome {
        match failure {
            Failure::Status(status) => {
                let text = format!("{status} on each of {MAX_ATTEMPTS} attempts");
                let outcome = Outcome::ended(Ending::HttpError, text);
                outcome.with("status", u64::from(status.as_u16()))
            }
            Failure::NotJson => {
                let text = format!("no JSON on any of {MAX_ATTEMPTS} attempts");
                Outcome::ended(Ending::ResponseError, text).with("problem", "invalid_json")
            }
            Failure::Transport(kind) => {
                let kind = kind.as_str();
                let text = format!("no response on any of {MAX_ATTEMPTS} attempts: {kind}");
                Outcome::ended(Ending::TransportError, text).with("problem", kind)
            }
            Failure::Silence => Outcome::stopped_by_the_lab(format!(
                "no response, and no timeout: the lab hung up after {}",
                duration(self.silence)
            )),
        }
    }
}
