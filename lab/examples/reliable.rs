//! The reference client as a process, which can be graded like any other:
//!
//! ```sh
//! cargo build -p lab --example reliable
//! cargo run -p lab -- grade -- target/debug/examples/reliable
//! ```
//!
//! It has the defaults of [`ReliableApiClient`], except for the limits that a case of
//! ten seconds needs.

#![expect(clippy::print_stdout, reason = "its last line is its result")]

use std::{env, error::Error, process::ExitCode, time::Duration};

use client::{
    ApiError, ConcurrencyLimit, Endpoint, IdempotencyKey, JsonObject, RequestBuilder, RetryBudget,
    Target, teaching::ReliableApiClient,
};
use futures_util::future::try_join_all;
use http::{HeaderMap, HeaderValue, header::AUTHORIZATION};
use reqwest::Url;
use serde_json::{Value, json};

const ITEMS: Endpoint = Endpoint::new("items", "/items");
const FLAKY: Endpoint = Endpoint::new("flaky", "/flaky");
const VALUE: Endpoint = Endpoint::new("value", "/value");
const JOBS: Endpoint = Endpoint::new("jobs", "/jobs");
const UNSAFE: Endpoint = Endpoint::new("unsafe", "/unsafe");
const INDEX: Endpoint = Endpoint::new("index", "/index");
const WORK: Endpoint = Endpoint::new("work", "/work/{name}");

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<ExitCode, Box<dyn Error>> {
    let task = env::var("LAB_TASK")?;
    // A service without room refuses some of these requests several times.
    let max_attempts = if task == "crowded" { 6 } else { 3 };
    let client = client(&env::var("LAB_BASE_URL")?, max_attempts)?;
    let result = match &*task {
        "read-all" | "invalid-body" | "loop" | "long-list" | "half-a-list" => {
            count(&client, listing(&env::var("LAB_URL")?)?).await
        }
        "flaky" => read(client.get(FLAKY)).await,
        "retry-after" | "retry-at" | "maintenance" | "down" | "refused" | "silence" => {
            read(client.get(VALUE)).await
        }
        "unbounded" => read(client.get(VALUE).deadline(Duration::from_secs(5))).await,
        "no-body" | "redirected" => status(&client).await,
        "many-calls" => many_calls(&client).await,
        "crowded" => crowded(&client).await,
        "create" => create(&client, ["resize", "crop"]).await,
        "create-twice" => create(&client, ["resize", "resize"]).await,
        "lost-response" => {
            let job = create_one(&client, "resize").await;
            job.map(|id| json!({"id": id}))
        }
        // A redirect is not followed: its status is in the error.
        "redirect-post" => read(client.post(JOBS).json(&body("resize"))).await,
        "post-once" => read(client.post(UNSAFE).json(&body("resize"))).await,
        _ => Ok(json!({"skip": true})),
    };
    let (result, exit) = match result {
        Ok(result) => (result, ExitCode::SUCCESS),
        Err(error) => (describe(&error), ExitCode::FAILURE),
    };
    println!("{result}");
    Ok(exit)
}

fn client(base_url: &str, max_attempts: u32) -> Result<ReliableApiClient, Box<dyn Error>> {
    let mut headers = HeaderMap::new();
    if let Ok(token) = env::var("LAB_TOKEN") {
        let mut bearer = HeaderValue::try_from(format!("Bearer {token}"))?;
        bearer.set_sensitive(true);
        headers.insert(AUTHORIZATION, bearer);
    }
    let client = ReliableApiClient::builder(base_url)
        .session(reqwest::Client::builder().default_headers(headers))
        .max_attempts(max_attempts)
        .max_body_bytes(64 * 1024)
        // Several of these waits fit into a case.
        .timeouts(Duration::from_secs(2), Duration::from_secs(2))
        // Nobody confuses waits of this length with a slow machine.
        .backoff(Duration::from_millis(800), Duration::from_secs(5))
        // Most of the first concurrent calls are refused before any has succeeded.
        .retry_budget(RetryBudget::new(32))
        // As many as `crowded` asks for.
        .concurrency_limit(ConcurrencyLimit::new(16))
        .build()?;
    Ok(client)
}

/// The listing of a URL, which may have a query of its own.
fn listing(url: &str) -> Result<Target, Box<dyn Error>> {
    let url = Url::parse(url)?;
    let query = url.query_pairs();
    Ok(query.fold(ITEMS.into(), |target: Target, (name, value)| {
        target.query(&name, value)
    }))
}

/// Reads a listing to its end and counts its records.
async fn count(client: &ReliableApiClient, listing: Target) -> Result<Value, ApiError> {
    let mut items = client.listing(listing).items();
    let mut records = 0;
    while let Some(item) = items.next_item().await {
        item?;
        records += 1;
    }
    Ok(json!({"records": records}))
}

async fn create(client: &ReliableApiClient, tasks: [&str; 2]) -> Result<Value, ApiError> {
    let [one, other] = tasks;
    let ids = [
        create_one(client, one).await?,
        create_one(client, other).await?,
    ];
    Ok(json!({"ids": ids}))
}

async fn many_calls(client: &ReliableApiClient) -> Result<Value, ApiError> {
    let mut sum = 0;
    for _ in 0..100 {
        let object = read(client.get(VALUE)).await?;
        sum += object["value"].as_u64().unwrap_or_default();
    }
    Ok(json!({"sum": sum}))
}

/// Fetches the URLs of an index, all at once. The shared limit reduces their number if
/// they are too many.
async fn crowded(client: &ReliableApiClient) -> Result<Value, ApiError> {
    let index = read(client.get(INDEX)).await?;
    let urls = index["urls"].as_array().cloned();
    let urls = urls.iter().flatten().filter_map(Value::as_str);
    let done = urls.map(|url| {
        let name = url.rsplit('/').next().unwrap_or_default();
        client.get(WORK.path("name", name)).send()
    });
    let done = try_join_all(done).await?;
    Ok(json!({"done": done.len()}))
}

/// The status of a response, whose success need not have a body. A redirect is not
/// followed, so it is an error of the client.
async fn status(client: &ReliableApiClient) -> Result<Value, ApiError> {
    let status = match client.get(VALUE).send().await {
        Ok(response) => response.status(),
        Err(ApiError::Http(error)) if error.status.is_redirection() => error.status,
        Err(error) => return Err(error),
    };
    Ok(json!({"status": status.as_u16()}))
}

/// One key for one intention.
async fn create_one(client: &ReliableApiClient, task: &str) -> Result<String, ApiError> {
    let key: IdempotencyKey = client.new_idempotency_key();
    Ok(client.create_job(&key, &body(task)).await?.id)
}

fn body(task: &str) -> JsonObject {
    let mut body = JsonObject::new();
    body.insert("task".to_owned(), task.into());
    body
}

async fn read(request: RequestBuilder) -> Result<Value, ApiError> {
    request.send().await?.json()
}

/// An error with the members that the tasks require.
fn describe(error: &ApiError) -> Value {
    let (status, retry_after) = match error {
        ApiError::Http(error) => (Some(error.status), error.retry_after),
        ApiError::Response(error) => (Some(error.status), None),
        _ => (None, None),
    };
    json!({
        "error": error.to_string(),
        "status": status.map(|status| status.as_u16()),
        "retry_after": retry_after.map(|wait| wait.as_secs()),
    })
}
