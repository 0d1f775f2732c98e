//! A correct client, with reqwest.

use std::{
    collections::hash_map::RandomState,
    env,
    hash::BuildHasher,
    io::{self, Read},
    process::ExitCode,
    thread,
    time::{Duration, Instant, SystemTime},
};

use reqwest::{
    Method,
    blocking::{Client, Response},
    header::{ACCEPT, CONTENT_TYPE, HeaderMap, RETRY_AFTER},
    redirect,
};
use serde_json::{Value, json};

const RETRIED: [u16; 5] = [429, 500, 502, 503, 504];
const ATTEMPTS: u32 = 4;
const LONGEST_WAIT: Duration = Duration::from_secs(5);
/// After so long a call has no further attempt.
const LONGEST_CALL: Duration = Duration::from_secs(6);
const LONGEST_BODY: Duration = Duration::from_secs(3);
const MOST_BYTES: usize = 64 * 1024;

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
    body: Option<Value>,
    key: Option<String>,
    /// Whether it may be sent more than once.
    repeats: bool,
}

impl<'a> Request<'a> {
    fn get(url: &'a str) -> Self {
        Self {
            method: Method::GET,
            url,
            body: None,
            key: None,
            repeats: true,
        }
    }
}

struct Answer {
    status: u16,
    headers: HeaderMap,
    body: Vec<u8>,
}

/// The body: at most so many bytes within so many seconds.
fn read(mut response: Response) -> io::Result<Vec<u8>> {
    let begun = Instant::now();
    let mut body = Vec::new();
    let mut piece = [0; 8 * 1024];
    loop {
        let bytes = response.read(&mut piece)?;
        if bytes == 0 {
            return Ok(body);
        }
        body.extend_from_slice(&piece[..bytes]);
        if body.len() > MOST_BYTES || begun.elapsed() > LONGEST_BODY {
            return Err(io::Error::other("the body is too large or too slow"));
        }
    }
}

/// One attempt.
fn send(client: &Client, request: &Request) -> io::Result<Answer> {
    let mut sent = client.request(request.method.clone(), request.url);
    sent = sent.header(ACCEPT, "application/json");
    if let Ok(token) = env::var("LAB_TOKEN") {
        sent = sent.bearer_auth(token);
    }
    if let Some(key) = &request.key {
        sent = sent.header("Idempotency-Key", key);
    }
    if let Some(body) = &request.body {
        sent = sent.json(body);
    }
    let response = sent.send().map_err(io::Error::other)?;
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    let body = match read(response) {
        // The status and the headers came before the body.
        Err(_) if RETRIED.contains(&status) => Vec::new(),
        body => body?,
    };
    Ok(Answer {
        status,
        headers,
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

/// How long to wait before the next attempt.
fn pause(headers: &HeaderMap, attempt: u32) -> Duration {
    let asked = headers
        .get(RETRY_AFTER)
        .and_then(|asked| asked.to_str().ok());
    let asked = asked.unwrap_or_default();
    if !asked.is_empty() && asked.bytes().all(|byte| byte.is_ascii_digit()) {
        return Duration::from_secs(asked.parse().unwrap_or(u64::MAX));
    }
    let date = httpdate::parse_http_date(asked).ok();
    match date.and_then(|date| date.duration_since(SystemTime::now()).ok()) {
        Some(wait) => wait + Duration::from_millis(20),
        None => backoff(attempt),
    }
}

/// Sends a request until it has a response that is not to be repeated.
fn call(client: &Client, request: &Request) -> Result<Answer, Failed> {
    let begun = Instant::now();
    for attempt in 0.. {
        let (wait, message) = match send(client, request) {
            Ok(answer) if !RETRIED.contains(&answer.status) => return Ok(answer),
            Ok(answer) => {
                let message = format!("status {}", answer.status);
                (pause(&answer.headers, attempt), message)
            }
            Err(error) => (backoff(attempt), error.to_string()),
        };
        if wait > LONGEST_WAIT {
            let wait = wait.as_secs();
            return Err(Failed(json!({"error": message, "retry_after": wait})));
        }
        let is_last = attempt + 1 == ATTEMPTS || begun.elapsed() > LONGEST_CALL;
        if is_last || !request.repeats {
            return Err(failed(&message));
        }
        thread::sleep(wait);
    }
    Err(failed("no attempt is left"))
}

/// The JSON in the response to a request.
fn value(client: &Client, request: &Request) -> Outcome {
    let Answer {
        status,
        headers,
        body,
    } = call(client, request)?;
    if status != 200 && status != 201 {
        let message = format!("status {status}");
        return Err(Failed(json!({"error": message, "status": status})));
    }
    let media_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let media_type = media_type.unwrap_or_default().split(';').next();
    let media_type = media_type.unwrap_or_default().trim().to_lowercase();
    if media_type != "application/json" && !media_type.ends_with("+json") {
        return Err(failed("the response is not JSON"));
    }
    Ok(serde_json::from_slice(&body)?)
}

// [read-all invalid-body loop long-list half-a-list]
fn listing(client: &Client, url: &str) -> Outcome {
    let mut seen = std::collections::HashSet::new();
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
        if seen.len() >= 200 || !seen.insert(cursor.to_owned()) {
            return Err(failed("the listing does not end"));
        }
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
        "refused" | "no-body" => {
            let status = call(&client, &Request::get(url))?.status;
            Ok(json!({"status": status}))
        }
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
        // [all]
        _ => value(&client, &Request::get(url)),
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
