//! A client that uses plain reqwest, to be graded. With the argument `reqwest-retry` it adds
//! the `RetryTransientMiddleware` of reqwest-retry, as its documentation recommends.

#![expect(clippy::print_stdout, reason = "its last line is its result")]

use std::{env, error::Error, process::ExitCode};

use http::header::{CONTENT_TYPE, RETRY_AFTER};
use reqwest_middleware::{ClientBuilder, ClientWithMiddleware};
use reqwest_retry::{RetryTransientMiddleware, policies::ExponentialBackoff};
use serde_json::{Value, json};

const TASKS: [&str; 10] = [
    "flaky",
    "retry-after",
    "retry-at",
    "maintenance",
    "down",
    "refused",
    "no-body",
    "unbounded",
    "post-once",
    "silence",
];

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<ExitCode, Box<dyn Error>> {
    let (task, url) = (env::var("LAB_TASK")?, env::var("LAB_URL")?);
    if !TASKS.contains(&&*task) {
        println!("{}", json!({"skip": true}));
        return Ok(ExitCode::SUCCESS);
    }
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = ClientBuilder::new(reqwest::Client::new());
    let client = match env::args().nth(1).as_deref() {
        Some("reqwest-retry") => {
            let policy = ExponentialBackoff::builder().build_with_max_retries(3);
            client.with(RetryTransientMiddleware::new_with_policy(policy))
        }
        _ => client,
    };
    let result = ask(&client.build(), &task, &url).await;
    let result = result.unwrap_or_else(|error| json!({"error": error.to_string()}));
    println!("{result}");
    Ok(match result.get("error") {
        Some(_) => ExitCode::FAILURE,
        None => ExitCode::SUCCESS,
    })
}

async fn ask(
    client: &ClientWithMiddleware,
    task: &str,
    url: &str,
) -> Result<Value, reqwest_middleware::Error> {
    let request = match task {
        "post-once" => client
            .post(url)
            .header(CONTENT_TYPE, "application/json")
            .body(json!({"task": "resize"}).to_string()),
        _ => client.get(url),
    };
    let response = request.send().await?;
    let status = response.status();
    if status.is_client_error() || status.is_server_error() {
        let seconds = response.headers().get(RETRY_AFTER);
        let seconds = seconds.and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
        let (error, status) = (status.to_string(), status.as_u16());
        return Ok(json!({"error": error, "status": status, "retry_after": seconds}));
    }
    let body = response.bytes().await?;
    Ok(serde_json::from_slice(&body).unwrap_or_else(|_| json!({"status": status.as_u16()})))
}
