//! Performs a task with any client, and makes the outcome.

use std::ops::ControlFlow;

use client::{Endpoint, JsonObject, MemoryCheckpoints, teaching::Redirect};
use futures_util::future::join_all;
use serde_json::{Value, json};

use super::{ScenarioClient, Task};
use crate::Outcome;

/// Performs the task and returns its outcome.
pub(crate) async fn perform(client: &dyn ScenarioClient, task: Task) -> Outcome {
    let result = match task {
        Task::Flaky => client.flaky().await.map(|attempt| {
            Outcome::ok(format!("ok on attempt {attempt}")).with("attempt", attempt)
        }),
        Task::Get(endpoint) => client.get(endpoint).await.map(|()| Outcome::ok("ok")),
        Task::NoContent => {
            let result = client.no_content().await;
            result.map(|()| Outcome::ok("ok, nothing to read"))
        }
        Task::Redirect => client.redirect().await.map(redirect),
        Task::List(endpoint) => Ok(read(client, endpoint).await),
        Task::ResumeCrawl(endpoint) => crawl_twice(client, endpoint).await,
        Task::CreateJobs(numbers) => create_jobs(client, numbers).await,
        Task::Post(endpoint) => {
            let key = client.new_key();
            let result = client.post(endpoint, key.as_ref(), &job(1)).await;
            result.map(|()| Outcome::ok("ok"))
        }
        Task::Repeat(endpoint, times) => {
            let mut results = Vec::new();
            for _ in 0..times {
                results.push(client.get(endpoint).await);
            }
            Ok(together(results))
        }
        Task::Workers(endpoint, workers) => Ok(together(
            join_all((0..workers).map(|_| client.get(endpoint))).await,
        )),
    };
    result.unwrap_or_else(|failure| failure)
}

/// The body of a job.
fn job(number: u64) -> JsonObject {
    match json!({ "task": "resize", "image": number }) {
        Value::Object(object) => object,
        _ => JsonObject::new(),
    }
}

fn redirect(seen: Option<Redirect>) -> Outcome {
    let Some(Redirect {
        status, location, ..
    }) = seen
    else {
        return Outcome::ok("ok");
    };
    let place = match location {
        Some(_) => "with",
        None => "without",
    };
    Outcome::ok(format!("ok, {status}, {place} a location, not followed"))
        .with("status", u64::from(status.as_u16()))
        .with("has_location", location.is_some())
}

/// Reads a listing to its end. A failure also has the number of items read.
async fn read(client: &dyn ScenarioClient, endpoint: Endpoint) -> Outcome {
    let mut items = 0_u64;
    let outcome = match client.read(endpoint, &mut |_| items += 1).await {
        Ok(()) if items == 1 => Outcome::ok("ok, 1 item"),
        Ok(()) => Outcome::ok(format!("ok, {items} items")),
        Err(failure) => failure,
    };
    outcome.with("items", items)
}

/// Crawls until the second page is processed but not saved, forgets everything but the
/// checkpoint, and resumes to the end.
async fn crawl_twice(client: &dyn ScenarioClient, endpoint: Endpoint) -> Result<Outcome, Outcome> {
    let checkpoints = MemoryCheckpoints::default();
    let mut delivered = Vec::new();
    for is_killed in [true, false] {
        let mut pages = 0;
        let mut process = |page: Vec<String>| {
            pages += 1;
            delivered.extend(page);
            if is_killed && pages == 2 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        client.crawl(endpoint, &checkpoints, &mut process).await?;
        if is_killed {
            let crash = "page 2 processed, not saved";
            drop(tracing::info_span!(
                target: "lab", "crash", otel.name = "crash", otel.kind = "internal", lab.crash = crash
            ));
        }
    }
    let all = delivered.len() as u64;
    delivered.sort_unstable();
    delivered.dedup();
    let distinct = delivered.len() as u64;
    let outcome = Outcome::ok(format!("ok, {distinct} records in {all} deliveries"));
    Ok(outcome.with("distinct", distinct).with("delivered", all))
}

/// Creates one job after the other with one key, and stops at a failure.
async fn create_jobs(client: &dyn ScenarioClient, numbers: &[u64]) -> Result<Outcome, Outcome> {
    let key = client.new_key();
    let mut jobs = Vec::new();
    for number in numbers {
        jobs.push(client.create_job(key.as_ref(), &job(*number)).await?);
    }
    let same = jobs.iter().all(|job| jobs.first() == Some(job));
    let text = match (jobs.len(), same) {
        (1, _) => "ok, the client has its job",
        (_, true) => "ok, every request returned the same job",
        (_, false) => "ok, but the jobs differ",
    };
    Ok(Outcome::ok(text).with("same_job", same))
}

/// Many results as one outcome: a failure if any of them is.
fn together(results: Vec<Result<(), Outcome>>) -> Outcome {
    let (failures, successes): (Vec<_>, Vec<_>) = results.into_iter().partition(Result::is_err);
    let succeeded = successes.len() as u64;
    let last = failures.into_iter().filter_map(Result::err).next_back();
    last.unwrap_or_else(|| Outcome::ok(format!("ok, all {succeeded} calls succeeded")))
        .with("succeeded", succeeded)
}
