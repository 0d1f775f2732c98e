//! The reference client at a task.

use client::{
    ApiError, Endpoint, IdempotencyKey, Job, Listing, MemoryCheckpoints, ReliableApiClient,
    StopReason,
};
use futures_util::future::join_all;

use super::outcome::{failed, outcome};
use super::{Task, job};
use evidence::Outcome;

/// Does what the task says, and tells what came of it.
pub(super) async fn perform(client: &ReliableApiClient, task: Task) -> Outcome {
    match task {
        Task::Flaky => outcome(client.flaky().await, |flaky| {
            Outcome::ok(format!("ok, attempt = {}", flaky.attempt)).with("attempt", flaky.attempt)
        }),
        Task::Get(endpoint) => get(client, endpoint).await,
        Task::NoContent => outcome(client.no_content().await, |()| {
            Outcome::ok("ok, nothing to read")
        }),
        Task::Redirect => redirect(client).await,
        Task::List(endpoint) => read_all(client.listing(endpoint)).await,
        Task::ResumeCrawl(endpoint) => crawl_twice(client, endpoint)
            .await
            .unwrap_or_else(|outcome| outcome),
        Task::CreateJobs(numbers) => create_jobs(client, numbers).await,
        Task::Post(endpoint) => {
            let key = client.new_idempotency_key();
            let result = client.post(endpoint, Some(&key), &job(1)).await;
            outcome(result, |_| Outcome::ok("ok"))
        }
        Task::Repeat(endpoint, times) => repeat(client, endpoint, times).await,
        Task::Workers(endpoint, workers) => at_once(client, endpoint, workers).await,
    }
}

async fn get(client: &ReliableApiClient, endpoint: Endpoint) -> Outcome {
    outcome(client.get(endpoint).await, |_| Outcome::ok("ok"))
}

async fn redirect(client: &ReliableApiClient) -> Outcome {
    outcome(client.redirect().await, |redirect| {
        let (status, has_location) = (redirect.status, redirect.location.is_some());
        let place = if has_location { "with" } else { "without" };
        Outcome::ok(format!("ok, {status}, {place} a location, not followed"))
            .with("status", u64::from(status.as_u16()))
            .with("has_location", has_location)
    })
}

/// Reads a listing to its end, item by item.
async fn read_all(listing: Listing) -> Outcome {
    let mut items = listing.items();
    let mut read = 0_u64;
    let outcome = loop {
        match items.next_item().await {
            Some(Ok(_)) => read += 1,
            Some(Err(error)) => break failed(&error),
            None => break Outcome::ok(format!("ok, {read} items")),
        }
    };
    outcome.with("items", read)
}

/// Crawls until the second page is processed and not yet committed, forgets
/// all but the checkpoint, and crawls on to the end.
async fn crawl_twice(client: &ReliableApiClient, endpoint: Endpoint) -> Result<Outcome, Outcome> {
    let failed = |error: ApiError| failed(&error);
    let store = MemoryCheckpoints::default();
    let mut delivered = Vec::new();
    for is_killed in [true, false] {
        let crawl = client.listing(endpoint).crawl(store.clone()).await;
        let mut crawl = crawl.expect("memory can be read");
        let mut pages = 0;
        while let Some(page) = crawl.next_page().await.map_err(failed)? {
            pages += 1;
            delivered.extend(page.items().iter().map(|item| item.text().to_owned()));
            if is_killed && pages == 2 {
                break;
            }
            page.commit().await.expect("memory can be written");
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
async fn create_jobs(client: &ReliableApiClient, numbers: &[u64]) -> Outcome {
    let key: IdempotencyKey = client.new_idempotency_key();
    let mut jobs: Vec<Job> = Vec::new();
    for number in numbers {
        match client.create_job(&key, &job(*number)).await {
            Ok(job) => jobs.push(job),
            Err(error) => return failed(&error),
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

/// Calls one endpoint again and again, and goes on after a failure.
async fn repeat(client: &ReliableApiClient, endpoint: Endpoint, times: u32) -> Outcome {
    let mut results = Vec::new();
    for _ in 0..times {
        results.push(client.get(endpoint).await);
    }
    together(results)
}

/// Calls one endpoint from many workers, all clones of one client.
async fn at_once(client: &ReliableApiClient, endpoint: Endpoint, workers: u32) -> Outcome {
    let worker = |_| {
        let client = client.clone();
        async move { client.get(endpoint).await }
    };
    together(join_all((0..workers).map(worker)).await)
}

/// Many results as one outcome: a failure if any of them is.
fn together<T>(results: Vec<Result<T, ApiError>>) -> Outcome {
    let (mut answered, mut dry) = (0_u64, 0_u64);
    let mut failure = None;
    for result in results {
        match result {
            Ok(_) => answered += 1,
            Err(error) => {
                let stopped = match &error {
                    ApiError::Http(error) => error.stopped,
                    _ => None,
                };
                dry += u64::from(stopped == Some(StopReason::RetryBudgetEmpty));
                failure = Some(failed(&error));
            }
        }
    }
    failure
        .unwrap_or_else(|| Outcome::ok(format!("ok, all {answered} calls were answered")))
        .with("answered", answered)
        .with("stopped_by_budget", dry)
}
