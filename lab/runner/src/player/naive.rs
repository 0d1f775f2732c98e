//! What people first write: a client that works on the day it is written.
//!
//! It does the same tasks as the reference client, in code that is short,
//! idiomatic, and met in many programs. Each habit that a scenario punishes has
//! a comment that says where it comes from; nothing is clumsy on purpose.
//!
//! Three bounds are the lab's and no habit, so that every run ends: the
//! attempts of a call, the pages of a listing, and the length of a silence.

mod call;
mod telemetry;

use client::Endpoint;
use futures_util::future::join_all;
use serde_json::Value;

use self::call::{Call, Failure};
pub use self::telemetry::METRICS;
pub(crate) use self::{
    call::{ATTEMPTS, NaiveClient, Silence},
    telemetry::Telemetry,
};
use super::{Task, job};
use evidence::{Ending, Outcome, duration};

/// After how many pages the lab stops a listing that has not ended.
const PAGES: u64 = 50;

impl NaiveClient {
    /// Does what the task says, and tells what came of it.
    pub(super) async fn perform(&self, task: Task) -> Outcome {
        match task {
            Task::Flaky => match self.get(Endpoint::FLAKY).await {
                Ok(answer) => {
                    let attempt = answer["attempt"].as_u64().unwrap_or_default();
                    Outcome::ok(format!("ok, attempt = {attempt}")).with("attempt", attempt)
                }
                Err(failure) => self.failed(failure),
            },
            Task::Get(endpoint) => self.told(self.get(endpoint).await),
            // Every answer is JSON to a client that has met no other; and what
            // answers a redirection, it never gets to see.
            Task::NoContent => self.told(self.get(Endpoint::NO_CONTENT).await),
            Task::Redirect => self.told(self.get(Endpoint::REDIRECT).await),
            Task::List(endpoint) => self.read_all(endpoint).await,
            Task::ResumeCrawl(endpoint) => self.crawl_twice(endpoint).await,
            Task::CreateJobs(numbers) => self.create_jobs(numbers).await,
            Task::Post(endpoint) => self.told(self.post(endpoint, 1).await),
            Task::Repeat(endpoint, times) => {
                let mut results = Vec::new();
                for _ in 0..times {
                    results.push(self.get(endpoint).await);
                }
                self.together(results)
            }
            // Every worker for itself: what one is told, no other hears.
            Task::Workers(endpoint, workers) => {
                self.together(join_all((0..workers).map(|_| self.get(endpoint))).await)
            }
        }
    }

    async fn get(&self, endpoint: Endpoint) -> Result<Value, Failure> {
        self.call(Call::get(endpoint, None)).await
    }

    async fn post(&self, endpoint: Endpoint, number: u64) -> Result<Value, Failure> {
        self.call(Call::post(endpoint, Value::from(job(number))))
            .await
    }

    async fn read_all(&self, endpoint: Endpoint) -> Outcome {
        let mut items = Vec::new();
        let outcome = match self.pages(endpoint, |page| items.extend(page)).await {
            Ok(()) if items.len() == 1 => Outcome::ok("ok, 1 item"),
            Ok(()) => Outcome::ok(format!("ok, {} items", items.len())),
            Err(outcome) => outcome,
        };
        outcome.with("items", items.len() as u64)
    }

    /// Hands over the items of every page until there is no next one.
    async fn pages(
        &self,
        endpoint: Endpoint,
        mut hand_over: impl FnMut(Vec<Value>),
    ) -> Result<(), Outcome> {
        let mut cursor = None;
        for _ in 0..PAGES {
            let page = self.call(Call::get(endpoint, cursor.as_deref())).await;
            let mut page = page.map_err(|failure| self.failed(failure))?;
            // Whatever stands in the array is taken, and no array for none.
            if let Value::Array(items) = page["items"].take() {
                hand_over(items);
            }
            // `as_str` is `None` for null and for every mistake alike. Nothing
            // is remembered of the cursors before; most loops that follow a
            // `next` link do not.
            match page["next_cursor"].as_str() {
                Some(next) => cursor = Some(next.to_owned()),
                None => return Ok(()),
            }
        }
        Err(Outcome::stopped_by_the_lab(format!(
            "no end: the lab stopped the crawl after {PAGES} pages"
        )))
    }

    /// Crawls, is killed over the second page, the last of the listing, and
    /// begins anew: a position in a variable dies with its process.
    async fn crawl_twice(&self, endpoint: Endpoint) -> Outcome {
        let mut delivered = Vec::new();
        for _ in 0..2 {
            let collect = |page: Vec<Value>| {
                delivered.extend(page.iter().map(|item| item["id"].to_string()));
            };
            if let Err(outcome) = self.pages(endpoint, collect).await {
                return outcome;
            }
        }
        let all = delivered.len() as u64;
        delivered.sort_unstable();
        delivered.dedup();
        let distinct = delivered.len() as u64;
        Outcome::ok(format!("ok, {distinct} records in {all} deliveries"))
            .with("distinct", distinct)
            .with("delivered", all)
    }

    async fn create_jobs(&self, numbers: &[u64]) -> Outcome {
        let mut jobs = Vec::new();
        for number in numbers {
            match self.post(Endpoint::CREATE_JOB, *number).await {
                Ok(job) => jobs.push(job["id"].clone()),
                Err(failure) => return self.failed(failure),
            }
        }
        let same = jobs.windows(2).all(|pair| pair[0] == pair[1]);
        let text = match (jobs.len(), same) {
            (1, _) => "ok, the client has its job",
            (_, true) => "ok, every request brought the same job",
            (_, false) => "ok, but the jobs differ",
        };
        Outcome::ok(text).with("same_job", same)
    }

    /// Many results as one outcome: a failure if any of them is.
    fn together(&self, results: Vec<Result<Value, Failure>>) -> Outcome {
        let answered = results.iter().filter(|result| result.is_ok()).count();
        let failure = results.into_iter().find_map(Result::err);
        failure
            .map_or_else(
                || Outcome::ok(format!("ok, all {answered} calls were answered")),
                |failure| self.failed(failure),
            )
            .with("answered", answered as u64)
    }

    fn told(&self, result: Result<Value, Failure>) -> Outcome {
        result.map_or_else(|failure| self.failed(failure), |_| Outcome::ok("ok"))
    }

    fn failed(&self, failure: Failure) -> Outcome {
        let (ending, text) = match failure {
            Failure::Status(status) => (
                Ending::HttpError,
                format!("{status} on each of {ATTEMPTS} attempts"),
            ),
            Failure::NotJson => (
                Ending::ResponseError,
                format!("no JSON on any of {ATTEMPTS} attempts"),
            ),
            Failure::Transport(kind) => (
                Ending::TransportError,
                format!("no answer on any of {ATTEMPTS} attempts: {}", kind.as_str()),
            ),
            Failure::Silence => {
                let patience = duration(self.silence.shown);
                return Outcome::stopped_by_the_lab(format!(
                    "no answer, and no timeout: the lab hung up after {patience}"
                ));
            }
        };
        let outcome = Outcome {
            ending,
            text,
            facts: Vec::new(),
        };
        match failure {
            Failure::Status(status) => outcome.with("status", u64::from(status.as_u16())),
            Failure::NotJson => outcome.with("problem", "invalid_json"),
            Failure::Transport(kind) => outcome.with("problem", kind.as_str()),
            Failure::Silence => outcome,
        }
    }
}
