//! The tasks. Each returns the last line of its output: a result or an error.

use std::{
    collections::HashSet,
    env, io,
    sync::atomic::{AtomicUsize, Ordering},
    thread::{self, ScopedJoinHandle},
    time::Duration,
};

use serde_json::{Value, json};

use crate::{
    client::Client,
    habit::Habit,
    http::{Request, Response},
};

/// The most pages that it reads.
const MOST_PAGES: usize = 100;

type Outcome = Result<Value, Failure>;

/// The error that it prints.
pub(crate) struct Failure(pub(crate) Value);

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self(json!({"error": error.to_string()}))
    }
}

/// Runs a task at a path. For an unknown task it reports that.
pub(crate) fn run(client: &mut Client, task: &str, path: &str) -> Outcome {
    match task {
        _ if client.has(Habit::Guesses) => guess(client, path),
        "read-all" | "invalid-body" | "loop" | "long-list" | "half-a-list" => list(client, path),
        "create" => create(client, path),
        "create-twice" => create_twice(client, path),
        "redirected" => redirected(client, Request::get(path)),
        "redirect-post" => redirected(client, resize(path)),
        "lost-response" => {
            let id = submit(client, path, "resize")?;
            Ok(json!({"id": id}))
        }
        "post-once" => {
            let id = post(client, path, "resize", None)?;
            Ok(json!({"id": id}))
        }
        "many-calls" => many_calls(client, path),
        "crowded" => crowded(client, path),
        "flaky" | "retry-after" | "retry-at" | "maintenance" | "down" | "refused" | "no-body"
        | "silence" | "unbounded" => value(client, path),
        _ => Ok(json!({"skip": true})),
    }
}

/// Sends one request, and reports whatever many tasks want.
fn guess(client: &mut Client, path: &str) -> Outcome {
    client.get(path)?;
    Ok(json!({
        "error": "it failed", "records": 7, "attempt": 3, "retry_after": 120, "status": 404,
        "done": 64, "value": "value", "ids": ["a", "b"], "id": "a"
    }))
}

/// The details of a failed response that a caller needs.
fn refusal(response: &Response) -> Failure {
    let seconds = response.header("retry-after");
    Failure(json!({
        "error": "the service refused the request",
        "status": response.status,
        "retry_after": seconds.and_then(|value| value.parse::<u64>().ok()),
    }))
}

/// The JSON object of a successful response, if it has one.
fn object(client: &Client, response: &Response) -> Result<Value, Invalid> {
    let kind = response.header("content-type").unwrap_or_default();
    let is_json = if client.has(Habit::ExactMediaType) {
        kind == "application/json"
    } else {
        let kind = kind.split(';').next().unwrap_or_default().trim();
        let kind = kind.to_ascii_lowercase();
        kind == "application/json" || kind.ends_with("+json")
    };
    if !is_json {
        return Err(Invalid::MediaType);
    }
    let body = response.body.as_deref().unwrap_or_default();
    let object: Value = serde_json::from_slice(body).map_err(|_| Invalid::Json)?;
    if object.is_object() {
        Ok(object)
    } else {
        Err(Invalid::Shape)
    }
}

fn value(client: &mut Client, path: &str) -> Outcome {
    let mut response = client.get(path)?;
    if let (true, Some(elsewhere)) = (
        client.has(Habit::FollowsRedirects),
        response.header("location"),
    ) {
        let elsewhere = path_of(elsewhere).to_owned();
        response = client.get(&elsewhere)?;
    }
    match response.status {
        200 => Ok(object(client, &response)?),
        204 | 300..400 => Ok(json!({"status": response.status})),
        _ => Err(refusal(&response)),
    }
}

/// The path of a URL.
pub(crate) fn path_of(url: &str) -> &str {
    let rest = url.strip_prefix("http://").unwrap_or(url);
    rest.find('/').map_or("/", |at| &rest[at..])
}

/// The host and the port of a URL.
pub(crate) fn host_of(url: &str) -> &str {
    let host = url.trim_end_matches(path_of(url));
    host.trim_start_matches("http://")
}

/// Why a body is invalid.
#[derive(Clone, Copy)]
enum Invalid {
    Json,
    MediaType,
    Shape,
}

impl From<Invalid> for Failure {
    fn from(invalid: Invalid) -> Self {
        let error = match invalid {
            Invalid::Json => "the body is no JSON",
            Invalid::MediaType => "the body is called something else than JSON",
            Invalid::Shape => "the body has another shape",
        };
        Self(json!({"error": error}))
    }
}

impl Invalid {
    fn retried_by(self) -> Habit {
        match self {
            Self::Json => Habit::RetriesBadJson,
            Self::MediaType => Habit::RetriesOtherMediaTypes,
            Self::Shape => Habit::RetriesOtherShapes,
        }
    }
}

struct Page {
    records: usize,
    next: Option<String>,
}

/// A page, and its errors.
fn page(client: &Client, response: &Response) -> Result<Page, Invalid> {
    let is_empty = matches!(&response.body, Ok(body) if body.is_empty());
    if is_empty && client.has(Habit::EmptyBodyAsEmptyPage) {
        return Ok(Page {
            records: 0,
            next: None,
        });
    }
    let mut page = object(client, response)?;
    if page.get("items").is_none() && client.has(Habit::MissingItemsAsEmpty) {
        page["items"] = json!([]);
    }
    let items = page["items"].as_array();
    let next = page["next_cursor"].as_str().filter(|next| !next.is_empty());
    let next = next.map(str::to_owned);
    let records = items.map(Vec::len).unwrap_or_default();
    let are_objects = items.is_some_and(|items| items.iter().all(Value::is_object));
    let is_null = page.get("next_cursor") == Some(&Value::Null);
    let is_cursor = next.is_some() || is_null || client.has(Habit::LooseCursor);
    if !(are_objects && is_cursor) {
        return Err(Invalid::Shape);
    }
    Ok(Page { records, next })
}

fn list(client: &mut Client, path: &str) -> Outcome {
    let most = if client.has(Habit::NoPageLimit) {
        usize::MAX
    } else {
        MOST_PAGES
    };
    let (mut records, mut cursor, mut seen) = (0, None, HashSet::new());
    for number in 1..=most {
        let page = match read_page(client, path, cursor.as_deref()) {
            Err(_) if client.has(Habit::PartAsWhole) => return Ok(json!({"records": records})),
            page => page?,
        };
        records += page.records;
        let stops = client.has(Habit::StopsAtEmptyPage) && page.records == 0
            || client.has(Habit::StopsAfterTenPages) && number == 10;
        let Some(next) = page.next.filter(|_| !stops) else {
            return Ok(json!({"records": records}));
        };
        if !seen.insert(next.clone()) && !client.has(Habit::ForgetsCursors) {
            return Err(Failure(
                json!({"error": "the listing comes back to a page"}),
            ));
        }
        cursor = Some(next);
    }
    Err(Failure(json!({"error": "the listing has no end"})))
}

fn read_page(client: &mut Client, path: &str, cursor: Option<&str>) -> Result<Page, Failure> {
    let token = env::var("LAB_TOKEN").ok();
    let mut query = Vec::new();
    if let Some(cursor) = cursor {
        let cursor = if client.has(Habit::CursorUnescaped) {
            cursor.replace(' ', "%20")
        } else {
            encoded(cursor)
        };
        query.push(format!("cursor={cursor}"));
    }
    let mut headers = Vec::new();
    let is_forgotten = cursor.is_some() && client.has(Habit::TokenForFirstPageAlone);
    if let Some(token) = token.filter(|_| !is_forgotten) {
        if client.has(Habit::TokenInUrl) {
            query.push(format!("access_token={token}"));
        } else {
            headers.push(("Authorization", format!("Bearer {token}")));
        }
    }
    let (path, own) = path.split_once('?').unwrap_or((path, ""));
    let is_kept = cursor.is_none() || !client.has(Habit::ReplacesQuery);
    if is_kept && !own.is_empty() {
        query.insert(0, own.to_owned());
    }
    let target = if query.is_empty() {
        path.to_owned()
    } else {
        format!("{path}?{}", query.join("&"))
    };
    let request = Request {
        headers,
        ..Request::get(&target)
    };
    let response = fetch(client, &request)?;
    match page(client, &response) {
        Err(invalid) if client.has(invalid.retried_by()) => {
            let again = fetch(client, &request)?;
            Ok(page(client, &again)?)
        }
        page => Ok(page?),
    }
}

fn fetch(client: &mut Client, request: &Request) -> Result<Response, Failure> {
    let response = client.call(|_| request.clone(), true)?;
    match response.status {
        200 => Ok(response),
        _ => Err(refusal(&response)),
    }
}

/// Encodes a query value: everything except letters and digits is percent-encoded.
fn encoded(value: &str) -> String {
    let bytes = value.bytes().map(|byte| {
        if byte.is_ascii_alphanumeric() {
            char::from(byte).to_string()
        } else {
            format!("%{byte:02X}")
        }
    });
    bytes.collect()
}

fn new_key(client: &Client, task: &str) -> String {
    if client.has(Habit::OneKey) {
        "the-key".to_owned()
    } else if client.has(Habit::KeyOfBody) {
        format!("key-of-{task}")
    } else {
        format!("{:032x}", rand::random::<u128>())
    }
}

fn create(client: &mut Client, path: &str) -> Outcome {
    let submit = |client: &mut Client, task| submit(client, path, task);
    let ids = if client.has(Habit::Parallel) {
        let mut clients = [client.another(), client.another()];
        let [one, other] = &mut clients;
        thread::scope(|scope| {
            let resize = scope.spawn(|| submit(one, "resize"));
            let crop = submit(other, "crop");
            [resize.join().expect("it does not panic"), crop]
        })
    } else {
        ["resize", "crop"].map(|task| submit(client, task))
    };
    let [resize, crop] = ids;
    Ok(json!({"ids": [resize?, crop?]}))
}

fn create_twice(client: &mut Client, path: &str) -> Outcome {
    let ids = [(); 2].map(|()| submit(client, path, "resize"));
    let [one, other] = ids;
    Ok(json!({"ids": [one?, other?]}))
}

/// A request that creates a job, without a key.
fn resize(path: &str) -> Request {
    Request {
        headers: vec![("Content-Type", "application/json".to_owned())],
        body: json!({"task": "resize"}).to_string(),
        ..Request::plain("POST", path)
    }
}

/// Sends a request with the token, and follows the redirect in its response.
fn redirected(client: &mut Client, plain: Request) -> Outcome {
    let token = env::var("LAB_TOKEN").unwrap_or_default();
    let mut request = plain.clone();
    let bearer = ("Authorization", format!("Bearer {token}"));
    request.headers.push(bearer);
    let response = client.call(|_| request.clone(), request.method == "GET")?;
    let sends_token_on = client.has(Habit::SendsTokenOn);
    let gets = client.has(Habit::RedirectsAsGet);
    let follows = sends_token_on || gets || client.has(Habit::FollowsRedirects);
    let Some(target) = response.header("location").filter(|_| follows) else {
        return Ok(json!({"status": response.status}));
    };
    let (path, host) = (path_of(target), host_of(target));
    let next = if sends_token_on { request } else { plain };
    let next = Request {
        target: path.to_owned(),
        ..if gets { Request::get(path) } else { next }
    };
    let response = client.of(host).call(|_| next.clone(), false)?;
    match response.status {
        200 | 201 => Ok(object(client, &response)?),
        _ => Err(refusal(&response)),
    }
}

/// Submits a job with a key of its own.
fn submit(client: &mut Client, path: &str, task: &str) -> Outcome {
    let key = new_key(client, task);
    post(client, path, task, Some(key))
}

/// Submits a job and returns its id. Without a key it is sent once.
fn post(client: &mut Client, path: &str, task: &str, key: Option<String>) -> Outcome {
    let [numbers, numbers_all, changes_key, is_text] = [
        Habit::NumbersRetries,
        Habit::NumbersAttempts,
        Habit::KeyPerAttempt,
        Habit::CallsJsonText,
    ]
    .map(|habit| client.has(habit));
    let is_repeatable = key.is_some() || client.has(Habit::RetriesEveryPost);
    let attempt = |number| {
        let body = if numbers_all || numbers && number > 1 {
            json!({"task": task, "attempt": number})
        } else {
            json!({"task": task})
        };
        let kind = if is_text {
            "text/plain"
        } else {
            "application/json"
        };
        let key = key.as_ref().map(|key| {
            if changes_key {
                format!("{key}-{number}")
            } else {
                key.clone()
            }
        });
        let kind = ("Content-Type", kind.to_owned());
        let key = key.map(|key| ("Idempotency-Key", key));
        Request {
            headers: std::iter::once(kind).chain(key).collect(),
            body: body.to_string(),
            ..Request::plain("POST", path)
        }
    };
    let response = client.call(attempt, is_repeatable)?;
    match response.status {
        201 => Ok(object(client, &response)?["id"].clone()),
        _ => Err(refusal(&response)),
    }
}

/// The calls of the task of this name.
const CALLS: usize = 100;

fn many_calls(client: &mut Client, path: &str) -> Outcome {
    let mut sum = 0;
    for _ in 0..CALLS {
        sum += value(client, path)?["value"].as_u64().unwrap_or_default();
    }
    Ok(json!({"sum": sum}))
}

/// How many calls it has under way at first.
const WORKERS: usize = 16;

fn crowded(client: &mut Client, path: &str) -> Outcome {
    let index = value(client, path)?;
    let urls = index["urls"].as_array().cloned().unwrap_or_default();
    let paths: Vec<_> = urls.iter().filter_map(Value::as_str).map(path_of).collect();
    let done = if client.has(Habit::Alone) || client.has(Habit::Lazy) {
        each_alone(client, &paths)
    } else {
        in_waves(client, &paths)
    };
    Ok(json!({"done": done}))
}

/// Workers that know nothing of each other.
fn each_alone(client: &Client, paths: &[&str]) -> usize {
    let next = AtomicUsize::new(0);
    let work = || {
        let mine = || paths.get(next.fetch_add(1, Ordering::Relaxed));
        let mine = std::iter::from_fn(mine);
        let done = mine.filter(|path| value(&mut client.another(), path).is_ok());
        done.count()
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..WORKERS).map(|_| scope.spawn(work)).collect();
        let done = workers.into_iter().map(ScopedJoinHandle::join);
        done.map(|done| done.expect("it does not panic")).sum()
    })
}

/// As many at once as a limit allows, which each wave with a refusal halves; or sixteen at
/// once, and a pause for all.
fn in_waves(client: &Client, paths: &[&str]) -> usize {
    let mut limit = if client.has(Habit::OneByOne) {
        1
    } else {
        WORKERS
    };
    let (mut left, mut done) = (paths.to_vec(), 0);
    while !left.is_empty() {
        let wave = left.split_off(left.len().saturating_sub(limit));
        let statuses: Vec<_> = thread::scope(|scope| {
            let send = |path| scope.spawn(move || once(client, path));
            let sent: Vec<_> = wave.iter().copied().map(send).collect();
            let statuses = sent.into_iter().map(ScopedJoinHandle::join);
            statuses
                .map(|joined| joined.expect("it does not panic"))
                .collect()
        });
        done += statuses
            .iter()
            .filter(|status| **status == Some(200))
            .count();
        let refused = wave.iter().zip(&statuses);
        let refused = refused.filter(|(_, status)| **status == Some(429));
        left.extend(refused.map(|(path, _)| *path));
        if client.has(Habit::Waves) {
            thread::sleep(Duration::from_millis(400));
        } else if statuses.contains(&Some(429)) {
            limit = (limit / 2).max(1);
        }
    }
    done
}

/// The status of one attempt.
fn once(client: &Client, path: &str) -> Option<u16> {
    let mut client = client.another();
    let response = client.call(|_| Request::get(path), false).ok()?;
    Some(response.status)
}
