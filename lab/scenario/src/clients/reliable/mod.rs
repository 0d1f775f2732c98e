//! The reference client, as a client.

mod failure;

use std::{ops::ControlFlow, sync::Arc};

use client::{
    ApiClient, Backoff, ConfigError, Endpoint, IdempotencyKey, JsonObject, MemoryCheckpoints,
    RetryBudget, SeededRandom, Timeouts,
    teaching::{Builder, Redirect, ReliableApiClient},
    telemetry::SharedRecorder,
};
use host::ExpectedRoute;
use wire::duration;

use super::{ClientUnderTest, Connection, ScenarioClient, Task};
use crate::{
    Client, DEFAULT_POLICY, Outcome, ScenarioPolicy,
    counters::{ATTEMPTS, CURSOR_LOOPS, GIVE_UPS, RETRIES},
    network::TRANSPORT,
};

pub(super) use self::failure::{crawl_failure, failure};

/// The reference client.
pub const RELIABLE: Client = Client {
    name: "reliable",
    headlines: &[ATTEMPTS, RETRIES, GIVE_UPS, CURSOR_LOOPS],
    without: None,
};

/// [`RELIABLE`], and how it is built.
#[derive(Clone, Copy, Debug)]
pub struct Reliable;

/// Registers, at zero, every counter that these tasks can move: Prometheus sees no
/// increase in a series that starts at 1. The service sends the statuses of `expected`,
/// and no others.
#[expect(clippy::expect_used, reason = "nothing that is set here has a rule")]
pub(crate) fn register(recorder: &SharedRecorder, tasks: &[Task], expected: &[ExpectedRoute]) {
    let operations = tasks
        .iter()
        .map(|task| task.operation().statuses(task.statuses(expected)));
    // That of the teaching service would add operations without statuses.
    ApiClient::builder("http://127.0.0.1")
        .recorder(Arc::clone(recorder))
        .operations(operations)
        .build()
        .map(drop)
        .expect("the defaults are legal");
}

/// The jitter of its backoff.
pub(super) const FULL_JITTER: &str = "full jitter";

impl ClientUnderTest for Reliable {
    fn identity(&self) -> Client {
        RELIABLE
    }

    fn about(&self) -> &'static str {
        "The reference client"
    }

    fn terms(&self, policy: &ScenarioPolicy, task: Task) -> Vec<String> {
        terms(policy, task, FULL_JITTER)
    }

    fn connect(&self, connection: Connection) -> Result<Box<dyn ScenarioClient>, ConfigError> {
        Ok(Box::new(client(connection, |builder| builder)?))
    }
}

/// The limits of the reference client, whose backoff has this jitter.
pub(super) fn terms(policy: &ScenarioPolicy, task: Task, jitter: &str) -> Vec<String> {
    let (base, cap) = (policy.backoff, Backoff::DEFAULT_CAP);
    let mut terms = vec![
        match policy.max_attempts {
            1 => format!("1 attempt{}", task.attempted()),
            attempts => format!("up to {attempts} attempts{}", task.attempted()),
        },
        format!("backoff {}–{}, {jitter}", duration(base), duration(cap)),
        format!("Retry-After up to {}", duration(policy.max_retry_after)),
    ];
    if let Some(deadline) = policy.deadline {
        terms.push(format!("deadline {}", duration(deadline)));
    }
    if policy.read_timeout != DEFAULT_POLICY.read_timeout {
        terms.push(format!("read timeout {}", duration(policy.read_timeout)));
    }
    if policy.max_body_bytes != DEFAULT_POLICY.max_body_bytes {
        terms.push(format!("body up to {} bytes", policy.max_body_bytes));
    }
    match policy.retry_budget {
        Some(tokens) if policy.retry_budget != DEFAULT_POLICY.retry_budget => {
            terms.push(format!("retry budget {tokens}"));
        }
        _ => {}
    }
    if task.has_key() {
        terms.push("sends an Idempotency-Key".to_owned());
    }
    match task {
        Task::List(_) => terms.push(format!(
            "at most {} pages, {} items",
            policy.max_pages, policy.max_items
        )),
        Task::ResumeCrawl(_) => terms.push(format!("at most {} pages", policy.max_pages)),
        _ => {}
    }
    terms
}

/// A client as it is connected here, with `change` made to its configuration.
pub(super) fn client(
    connection: Connection,
    change: impl FnOnce(Builder) -> Builder,
) -> Result<ReliableApiClient, ConfigError> {
    let mut builder = ReliableApiClient::builder(&connection.base_url)
        .recorder(connection.recorder)
        .operations([connection.task.operation()])
        .clock(connection.clock)
        .random(Arc::new(SeededRandom::new(connection.seed)))
        .injector(connection.injector)
        .middleware(connection.limit);
    let read = connection.policy.read_timeout;
    builder = match connection.timeouts {
        Some(timeouts) => builder
            .middleware(timeouts.reading_for(read))
            .timeouts(TRANSPORT, TRANSPORT),
        None => builder.timeouts(Timeouts::DEFAULT.connect, read),
    };
    if let Some(function) = connection.function {
        builder = builder.transport(function);
    }
    change(configure(&connection.policy, builder)).build()
}

/// Puts the settings into the configuration of a client.
fn configure(policy: &ScenarioPolicy, builder: Builder) -> Builder {
    builder
        .max_attempts(policy.max_attempts)
        .backoff(policy.backoff, Backoff::DEFAULT_CAP)
        .max_retry_after(policy.max_retry_after)
        .deadline(policy.deadline)
        .retry_budget(policy.retry_budget.map(RetryBudget::new))
        .max_body_bytes(policy.max_body_bytes)
        .max_pages(policy.max_pages)
        .max_items(policy.max_items)
}

#[async_trait::async_trait]
impl ScenarioClient for ReliableApiClient {
    async fn flaky(&self) -> Result<u64, Outcome> {
        let flaky = self.flaky().await.map_err(failure)?;
        Ok(flaky.attempt)
    }

    async fn get(&self, endpoint: Endpoint) -> Result<(), Outcome> {
        let got = ApiClient::get(self, endpoint).send().await;
        got.map(drop).map_err(failure)
    }

    async fn no_content(&self) -> Result<(), Outcome> {
        self.no_content().await.map_err(failure)
    }

    async fn redirect(&self) -> Result<Option<Redirect>, Outcome> {
        self.redirect().await.map(Some).map_err(failure)
    }

    fn new_key(&self) -> Option<IdempotencyKey> {
        Some(self.new_idempotency_key())
    }

    async fn post(
        &self,
        endpoint: Endpoint,
        key: Option<&IdempotencyKey>,
        body: &JsonObject,
    ) -> Result<(), Outcome> {
        let mut request = ApiClient::post(self, endpoint).json(body);
        if let Some(key) = key {
            request = request.idempotency_key(key);
        }
        request.send().await.map(drop).map_err(failure)
    }

    async fn create_job(
        &self,
        key: Option<&IdempotencyKey>,
        body: &JsonObject,
    ) -> Result<String, Outcome> {
        #[expect(clippy::expect_used, reason = "`new_key` of this client has one")]
        let key = key.expect("every change of this client has a key");
        let job = self.create_job(key, body).await.map_err(failure)?;
        Ok(job.id)
    }

    async fn read(
        &self,
        endpoint: Endpoint,
        each_item: &mut (dyn FnMut(String) + Send),
    ) -> Result<(), Outcome> {
        let mut items = self.listing(endpoint).items();
        while let Some(item) = items.next_item().await {
            each_item(item.map_err(failure)?.text().to_owned());
        }
        Ok(())
    }

    #[expect(clippy::expect_used, reason = "memory does not fail")]
    async fn crawl(
        &self,
        endpoint: Endpoint,
        checkpoints: &MemoryCheckpoints,
        each_page: &mut (dyn FnMut(Vec<String>) -> ControlFlow<()> + Send),
    ) -> Result<(), Outcome> {
        let crawl = self.listing(endpoint).crawl(checkpoints.clone()).await;
        let Some(mut crawl) = crawl.expect("memory can be read").pages() else {
            return Ok(());
        };
        while let Some(page) = crawl.next_page().await {
            let page = page.map_err(crawl_failure)?;
            let items = page.items().iter().map(|item| item.text().to_owned());
            if each_page(items.collect()).is_break() {
                break;
            }
            page.commit().await.expect("memory can be written");
        }
        Ok(())
    }
}
