//! A client to be graded. It runs once for each case of a task.
//!
//! LAB_TASK names the task, and LAB_URL is the URL for the request. The last line that it
//! prints is its result, as JSON. `lab list tasks` shows all tasks.

use std::{env, error::Error, process::ExitCode, time::Duration};

use reqwest::{
    Method, StatusCode, Url,
    blocking::{Client, Response},
    header::{ACCEPT, AUTHORIZATION, HeaderMap},
};
use serde_json::{Value, json};

type Outcome = Result<Value, Box<dyn Error>>;

/// Sends one request and returns the response with any status. Its body is still to be
/// read, which may fail; the status and the headers are there.
fn request(
    client: &Client,
    method: Method,
    url: Url,
    body: Option<&Value>,
    headers: HeaderMap,
) -> reqwest::Result<Response> {
    let mut request = client.request(method, url).headers(headers);
    request = request.header(ACCEPT, "application/json");
    if let Some(body) = body {
        request = request.json(body);
    }
    request.send()
}

/// Counts the records of a listing, page by page.
fn read_all(client: &Client, url: &Url) -> Outcome {
    let token = env::var("LAB_TOKEN").unwrap_or_default();
    let mut headers = HeaderMap::new();
    headers.insert(AUTHORIZATION, format!("Bearer {token}").parse()?);
    let mut records = 0;
    let mut next = url.clone();
    loop {
        let response = request(client, Method::GET, next, None, headers.clone())?;
        let status = response.status();
        if status != StatusCode::OK {
            return Err(format!("status {status}: {}", response.text()?).into());
        }
        let page: Value = response.json()?;
        let items = page["items"].as_array();
        records += items.ok_or("the items are not an array")?.len();
        let Some(cursor) = page["next_cursor"].as_str() else {
            return Ok(json!({"records": records}));
        };
        next = url.clone();
        next.query_pairs_mut().append_pair("cursor", cursor);
    }
}

/// Add a line for each further task; tasks without one are skipped.
fn run(task: &str, url: &str) -> Outcome {
    let url = Url::parse(url)?;
    let client = Client::builder().timeout(Duration::from_secs(5)).build()?;
    match task {
        "read-all" => read_all(&client, &url),
        _ => {
            eprintln!("run has no line for {task}");
            Ok(json!({"skip": true}))
        }
    }
}

fn main() -> ExitCode {
    let (Ok(task), Ok(url)) = (env::var("LAB_TASK"), env::var("LAB_URL")) else {
        eprintln!("LAB_TASK or LAB_URL is not set. The lab sets them:");
        eprintln!("  lab grade -- client/target/debug/client");
        return ExitCode::from(2);
    };
    match run(&task, &url) {
        Ok(result) => {
            println!("{result}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            println!("{}", json!({"error": error.to_string()}));
            ExitCode::FAILURE
        }
    }
}
