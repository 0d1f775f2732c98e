//! A correct client, with reqwest.

use std::{
    collections::hash_map::RandomState,
    env,
    hash::BuildHasher,
    io::{self, Read},
    process::ExitCode,
    thread,
    time::{Duration, Instant},
};
// [retry-at..]
use std::time::SystemTime;
// [all]

use reqwest::{
    Method,
    blocking::{Client, Response},
    header::ACCEPT,
    redirect,
};
// [retry-after..]
use reqwest::header::{HeaderMap, RETRY_AFTER};
// [invalid-body..]
use reqwest::header::CONTENT_TYPE;
// [all]
use serde_json::{Value, json};

const RETRIED: [u16; 5] = [429, 500, 502, 503, 504];
const ATTEMPTS: u32 = 4;
// [maintenance..]
const LONGEST_WAIT: Duration = Duration::from_secs(5);
// [all]
/// After so long a call has no further attempt.
const LONGEST_CALL: Duration = Duration::from_secs(6);
// [broken-off..]
const LONGEST_BODY: Duration = Duration::from_secs(3);
const MOST_BYTES: usize = 64 * 1024;
// [all]

type Outcome = Result<Value, Failed>;

/// An error, as it is printed.
struct Failed(Value);

impl<E: std::error::Error> From<E> for Failed {
    fn from(error: E) -> Self {
        failed(&error.to_string())
    }
}

fn failed(message: &str) -> Failed {
    Failed(json!({"error": message}))
}

struct Request<'a> {
    method: Method,
    url: &'a str,
    // [create create-twice lost-response post-once redirect-post]
    body: Option<Value>,
    // [create create-twice lost-response]
    key: Option<String>,
    // [post-once redirect-post]
    /// Whether it may be sent more than once.
    repeats: bool,
    // [all]
}

impl<'a> Request<'a> {
    fn get(url: &'a str) -> Self {
        Self {
            method: Method::GET,
            url,
            // [create create-twice lost-response post-once redirect-post]
            body: None,
            // [create create-twice lost-response]
            key: None,
            // [post-once redirect-post]
            repeats: true,
            // [all]
        }
    }
}

struct Answer {
    status: u16,
    // [retry-after..]
    headers: HeaderMap,
    // [all]
    body: Vec<u8>,
}

fn read(mut response: Response) -> io::Result<Vec<u8>> {
    // [broken-off..]
    let begun = Instant::now();
    // [all]
    let mut body = Vec::new();
    let mut piece = [0; 8 * 1024];
    loop {
        let bytes = response.read(&mut piece)?;
        if bytes == 0 {
            return Ok(body);
        }
        body.extend_from_slice(&piece[..bytes]);
        // [broken-off..]
        // At most so many bytes within so many seconds.
        if body.len() > MOST_BYTES || begun.elapsed() > LONGEST_BODY {
            return Err(io::Error::other("the body is too large or too slow"));
        }
        // [all]
    }
}

/// One attempt.
fn send(client: &Client, request: &Request) -> io::Result<Answer> {
    let mut sent = client.request(request.method.clone(), request.url);
    sent = sent.header(ACCEPT, "application/json");
    if let Ok(token) = env::var("LAB_TOKEN") {
        sent = sent.bearer_auth(token);
    }
    // [create create-twice lost-response]
    if let Some(key) = &request.key {
        sent = sent.header("Idempotency-Key", key);
    }
    // [create create-twice lost-response post-once redirect-post]
    if let Some(body) = &request.body {
        sent = sent.json(body);
    }
    // [all]
    let response = sent.send().map_err(io::Error::other)?;
    let status = response.status().as_u16();
    // [retry-after..]
    let headers = response.headers().clone();
    // [all]
    let body = match read(response) {
        // The status and the headers came before the body.
        Err(_) if RETRIED.contains(&status) => Vec::new(),
        body => body?,
    };
    Ok(Answer {
        status,
        // [retry-after..]
        headers,
        // [all]
        body,
    })
}

fn random() -> u64 {
    RandomState::new().hash_one(())
}

/// A random wait that is longer after each attempt.
fn backoff(attempt: u32) -> Duration {
    let full = Duration::from_millis(100 << attempt);
    full / 2 + full.mul_f64((random() % 1_000) as f64 / 1_000.0)
}

// [retry-after..]
/// How long the service asks to wait.
fn asked(headers: &HeaderMap) -> Option<Duration> {
    let asked = headers.get(RETRY_AFTER)?.to_str().ok()?;
    if !asked.is_empty() && asked.bytes().all(|byte| byte.is_ascii_digit()) {
        let wait = Duration::from_secs(asked.parse().unwrap_or(u64::MAX));
        // A 0 asks for no wait, and a service that has failed needs one.
        return (!wait.is_zero()).then_some(wait);
    }
    // [retry-at..]
    if let Ok(date) = httpdate::parse_http_date(asked) {
        let wait = date.duration_since(SystemTime::now()).ok()?;
        return Some(wait + Duration::from_millis(20));
    }
    // [retry-after..]
    None
}

// [all]
/// Sends a request until it has a response that is not to be repeated.
fn call(client: &Client, request: &Request) -> Result<Answer, Failed> {
    let begun = Instant::now();
    for attempt in 0.. {
        let result = send(client, request);
        let wait = backoff(attempt);
        // [retry-after..]
        let answer = result.as_ref().ok();
        let asked = answer.and_then(|answer| asked(&answer.headers));
        let wait = asked.unwrap_or(wait);
        // [all]
        let message = match result {
            Ok(answer) if !RETRIED.contains(&answer.status) => return Ok(answer),
            Ok(answer) => format!("status {}", answer.status),
            Err(error) => error.to_string(),
        };
        // [maintenance..]
        if wait > LONGEST_WAIT {
            let wait = wait.as_secs();
            return Err(Failed(json!({"error": message, "retry_after": wait})));
        }
        // [all]
        let is_last = attempt + 1 == ATTEMPTS || begun.elapsed() > LONGEST_CALL;
        // [post-once redirect-post]
        let is_last = is_last || !request.repeats;
        // [all]
        if is_last {
            return Err(failed(&message));
        }
        thread::sleep(wait);
    }
    Err(failed("no attempt is left"))
}

/// The JSON in the response to a request.
fn value(client: &Client, request: &Request) -> Outcome {
    let answer = call(client, request)?;
    let status = answer.status;
    if status != 200 && status != 201 {
        let message = format!("status {status}");
        return Err(Failed(json!({"error": message, "status": status})));
    }
    // [invalid-body..]
    let content_type = answer.headers.get(CONTENT_TYPE);
    let content_type = content_type.and_then(|value| value.to_str().ok());
    let media_type = content_type.unwrap_or_default().split(';').next();
    let media_type = media_type.unwrap_or_default().trim().to_lowercase();
    if media_type != "application/json" && !media_type.ends_with("+json") {
        return Err(failed("the response is not JSON"));
    }
    // [all]
    Ok(serde_json::from_slice(&answer.body)?)
}

// [read-all invalid-body loop long-list half-a-list]
fn listing(client: &Client, url: &str) -> Outcome {
    // [loop long-list half-a-list]
    let mut seen = std::collections::HashSet::new();
    // [read-all invalid-body loop long-list half-a-list]
    let mut records = 0;
    let mut next = url.to_owned();
    loop {
        let page = value(client, &Request::get(&next))?;
        let items = page["items"].as_array();
        let items = items.filter(|items| items.iter().all(Value::is_object));
        records += items
            .ok_or_else(|| failed("items is not a list of objects"))?
            .len();
        // Null ends a listing. A missing cursor, like an empty one, does not.
        if page.get("next_cursor") == Some(&Value::Null) {
            return Ok(json!({"records": records}));
        }
        let cursor = page["next_cursor"]
            .as_str()
            .filter(|cursor| !cursor.is_empty());
        let cursor = cursor.ok_or_else(|| failed("the cursor is not a text"))?;
        // [loop long-list half-a-list]
        if seen.len() >= 200 || !seen.insert(cursor.to_owned()) {
            return Err(failed("the listing does not end"));
        }
        // [read-all invalid-body loop long-list half-a-list]
        // The URL may have a query of its own.
        let mut following = reqwest::Url::parse(url)?;
        following.query_pairs_mut().append_pair("cursor", cursor);
        next = following.into();
    }
}

// [create create-twice lost-response]
/// Creates a job, with a key for all attempts at it.
fn job(client: &Client, url: &str, task: &str) -> Outcome {
    let request = Request {
        method: Method::POST,
        body: Some(json!({"task": task})),
        key: Some(format!("{:016x}{:016x}", random(), random())),
        ..Request::get(url)
    };
    Ok(value(client, &request)?["id"].take())
}

// [create create-twice]
fn create(client: &Client, url: &str, tasks: [&str; 2]) -> Outcome {
    let [one, other] = tasks.map(|task| job(client, url, task));
    Ok(json!({"ids": [one?, other?]}))
}

// [post-once redirect-post]
fn post_once(client: &Client, url: &str) -> Outcome {
    let request = Request {
        method: Method::POST,
        body: Some(json!({"task": "resize"})),
        repeats: false,
        ..Request::get(url)
    };
    value(client, &request)
}

// [refused no-body]
/// The status of a response that has no value.
fn status(client: &Client, url: &str) -> Outcome {
    match value(client, &Request::get(url)) {
        Err(Failed(error)) if error["status"].is_u64() => Ok(json!({"status": error["status"]})),
        other => other,
    }
}

// [many-calls]
/// Each call has attempts of its own.
fn many_calls(client: &Client, url: &str) -> Outcome {
    let mut sum = 0;
    for _ in 0..100 {
        sum += value(client, &Request::get(url))?["value"]
            .as_u64()
            .unwrap_or_default();
    }
    Ok(json!({"sum": sum}))
}

// [crowded]
/// The state that the workers share.
struct Shared {
    limit: usize,
    busy: usize,
    done: usize,
    changes: usize,
}

/// All requests share one limit, which a 429 halves.
fn crowded(client: &Client, url: &str) -> Outcome {
    let index = value(client, &Request::get(url))?;
    let urls = index["urls"].as_array().cloned().unwrap_or_default();
    let shared = std::sync::Mutex::new(Shared {
        limit: 16,
        busy: 0,
        done: 0,
        changes: 0,
    });
    let changed = std::sync::Condvar::new();
    let work = |url: &str| {
        for _ in 0..20 {
            let mut now = shared.lock().expect("no worker panics");
            now = changed
                .wait_while(now, |now| now.busy >= now.limit)
                .expect("no worker panics");
            now.busy += 1;
            let before = now.changes;
            drop(now);
            let status = send(client, &Request::get(url)).map_or(0, |answer| answer.status);
            let mut now = shared.lock().expect("no worker panics");
            now.busy -= 1;
            now.done += usize::from(status == 200);
            // Requests that left before the limit was last halved say nothing new.
            if status == 429 && now.changes == before {
                now.limit = (now.limit / 2).max(1);
                now.changes += 1;
            }
            drop(now);
            changed.notify_all();
            if status == 200 {
                return;
            }
            thread::sleep(Duration::from_millis(100 + random() % 100));
        }
    };
    thread::scope(|scope| {
        for url in urls.iter().filter_map(Value::as_str) {
            scope.spawn(move || work(url));
        }
    });
    let done = shared.lock().expect("no worker panics").done;
    Ok(json!({"done": done}))
}

// [all]
fn run(task: &str, url: &str) -> Outcome {
    let client = Client::builder()
        .timeout(Duration::from_secs(3))
        .redirect(redirect::Policy::none())
        // A connection for each request, so that the transport repeats none.
        .pool_max_idle_per_host(0)
        .build()?;
    match task {
        // [read-all invalid-body loop long-list half-a-list]
        "read-all" | "invalid-body" | "loop" | "long-list" | "half-a-list" => listing(&client, url),
        // [refused no-body]
        "refused" | "no-body" => status(&client, url),
        // [lost-response]
        "lost-response" => Ok(json!({"id": job(&client, url, "resize")?})),
        // [create]
        "create" => create(&client, url, ["resize", "crop"]),
        // [create-twice]
        "create-twice" => create(&client, url, ["resize", "resize"]),
        // [post-once redirect-post]
        "post-once" | "redirect-post" => post_once(&client, url),
        // [many-calls]
        "many-calls" => many_calls(&client, url),
        // [crowded]
        "crowded" => crowded(&client, url),
        // [flaky]
        "flaky" => value(&client, &Request::get(url)),
        // [retry-after]
        "retry-after" => value(&client, &Request::get(url)),
        // [retry-at]
        "retry-at" => value(&client, &Request::get(url)),
        // [maintenance]
        "maintenance" => value(&client, &Request::get(url)),
        // [down]
        "down" => value(&client, &Request::get(url)),
        // [silence]
        "silence" => value(&client, &Request::get(url)),
        // [broken-off]
        "broken-off" => value(&client, &Request::get(url)),
        // [unbounded]
        "unbounded" => value(&client, &Request::get(url)),
        // [unreachable]
        "unreachable" => value(&client, &Request::get(url)),
        // [server-errors]
        "server-errors" => value(&client, &Request::get(url)),
        // [redirected]
        "redirected" => value(&client, &Request::get(url)),
        // [early-hints]
        "early-hints" => value(&client, &Request::get(url)),
        // [all]
        _ => Ok(json!({"skip": true})),
    }
}

fn main() -> ExitCode {
    let [task, url] = ["LAB_TASK", "LAB_URL"].map(|name| env::var(name).unwrap_or_default());
    let (result, exit) = match run(&task, &url) {
        Ok(result) => (result, ExitCode::SUCCESS),
        Err(Failed(error)) => (error, ExitCode::FAILURE),
    };
    println!("{result}");
    exit
}
