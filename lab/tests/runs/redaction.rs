//! Secrets of a run: none may appear in a log, a span, a counter, the text, the JSON, the
//! ledger, or the `Debug` of any of them.
//!
//! Responses of the lab's own service are teaching material: they appear in the recorded
//! exchanges and in the facts from them, and nowhere else. A client's own data appears
//! nowhere.
//!
//! The tests look for two kinds of secrets. A *canary* is planted in each part of a
//! response that can hold one, by routes made for that. The *real* ones, the keys,
//! cursors, jobs and records of the catalogue's own scenarios, are found beforehand by
//! querying a service with the same seed.

use std::{
    fmt::{Debug, Write as _},
    future::pending,
    sync::{Arc, Mutex},
};

use axum::{
    Extension, Json, Router,
    routing::{get, post},
};
use client::{Clock, Endpoint, SeededRandom, teaching::ReliableApiClient};
use host::{NextCursor, ServiceConfig};
use http::{StatusCode, header};
use scenario::{
    Client, Ending, NAIVE, Overrides, RELIABLE, ScenarioRun, ScenarioWords, Task,
    catalogue::{self, CATALOGUE, Scenario},
    run_until,
};
use serde_json::{Value, json};
use server::TeachingApi;
use tracing::{Event, Metadata, Subscriber, span};
use tracing_subscriber::{Layer, layer::Context};

use crate::runs::{report, settings, text};

/// The seed of [`settings`].
const SEED: u64 = 7;

/// The pages of each listing whose cursors and records are looked for: what shows those of a
/// later page shows these as well.
const PAGES: usize = 8;

/// Every canary starts with this.
const CANARY: &str = "c4n4ry";

/// Records everything that the lab's crates send to `tracing`, at any level.
///
/// Other crates are not covered: `hyper` prints a whole authority at TRACE. The programs
/// filter them out, which has its own test.
#[derive(Clone, Default)]
struct Eavesdropper(Arc<Mutex<String>>);

impl Eavesdropper {
    fn heard(&self) -> String {
        self.0.lock().expect("no panic").clone()
    }

    fn note(&self, what: &dyn Debug) {
        let mut heard = self.0.lock().expect("no panic");
        writeln!(heard, "{what:?}").expect("a String takes everything");
    }
}

impl<S: Subscriber> Layer<S> for Eavesdropper {
    fn enabled(&self, metadata: &Metadata<'_>, _: Context<'_, S>) -> bool {
        let crate_name = metadata.target().split("::").next();
        crate_name.is_some_and(|name| ["client", "lab", "server"].contains(&name))
    }

    fn on_new_span(&self, span: &span::Attributes<'_>, _: &span::Id, _: Context<'_, S>) {
        self.note(span);
    }

    fn on_record(&self, _: &span::Id, values: &span::Record<'_>, _: Context<'_, S>) {
        self.note(values);
    }

    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        self.note(event);
    }
}

/// Everything that a run shows.
struct Seen {
    run: ScenarioRun,
    /// All output except the service's data: logs, spans, counters, and every rendering
    /// of the run without its exchanges.
    elsewhere: String,
    /// Every rendering with the exchanges.
    exchanges: String,
}

async fn seen(client: Client, scenario: &Scenario) -> Seen {
    let eavesdropper = Eavesdropper::default();
    let settings = settings(client, Overrides::default());
    let run = run_until(pending(), eavesdropper.clone(), scenario, &settings).await;
    let run = run.expect("a run");
    let heard = eavesdropper.heard();
    assert!(heard.contains("otel.kind"), "the eavesdropper hears spans");
    let words = &scenario.words;
    let debug = format!("{run:#?}");
    let mut without = run.clone();
    without.wire.exchanges.clear();
    let elsewhere = [
        heard,
        debug,
        text(words, &without),
        report(words, &without),
        render::json(&without),
    ];
    let options = render::Options {
        exchanges: true,
        ..render::Options::default()
    };
    let exchanges = [
        scenario::text(words, &run, None, &options),
        report(words, &run),
        render::json(&run),
    ];
    Seen {
        elsewhere: elsewhere.join("\n"),
        exchanges: exchanges.join("\n"),
        run,
    }
}

const BODY: Endpoint = Endpoint::new("body", "/canary/body");
const LIST: Endpoint = Endpoint::new("list", "/canary/list");
const PROBLEM: Endpoint = Endpoint::new("problem", "/canary/problem");
const MOVED: Endpoint = Endpoint::new("moved", "/canary/moved");
const BROKEN: Endpoint = Endpoint::new("broken", "/canary/broken");
const LATER: Endpoint = Endpoint::new("later", "/canary/later");
const MEDIA: Endpoint = Endpoint::new("media", "/canary/media");
const CONFLICT: Endpoint = Endpoint::new("conflict", "/canary/conflict");

/// Routes that plant a canary in every part of a response.
fn canaries(_: Arc<dyn Clock>) -> Router {
    let body = Json(json!({ "c4n4ry": "c4n4ry-body" }));
    let page = json!({ "items": [{ "id": "c4n4ry-item" }], "next_cursor": "c4n4ry+/=&cursor" });
    // As every route of a service does, it names the cursor that its page contains.
    let next = page["next_cursor"].as_str().map(str::to_owned);
    let list = (Extension(NextCursor(next)), Json(page));
    let problem = Json(json!({
        "type": "about:blank?c4n4ry-type",
        "title": "c4n4ry title",
        "detail": "c4n4ry detail",
        "code": "c4n4ry code!",
        "request_id": "c4n4ry <id>",
    }));
    let conflict = Json(json!({ "code": "c4n4ry code!", "detail": "c4n4ry detail" }));
    let conflict = (StatusCode::CONFLICT, conflict);
    let place = "http://c4n4ry:c4n4ry@localhost/c4n4ry?token=c4n4ry";
    let moved = (StatusCode::FOUND, [(header::LOCATION, place)]);
    let broken = ([(header::CONTENT_TYPE, "application/json")], "{\"c4n4ry");
    let later = [(header::RETRY_AFTER, "c4n4ry-later")];
    let later = (StatusCode::SERVICE_UNAVAILABLE, later, "c4n4ry-text");
    let media = ([(header::CONTENT_TYPE, "c4n4ry/media")], "c4n4ry-media");
    Router::new()
        .route(BODY.template(), get(async move || body))
        .route(LIST.template(), get(async move || list))
        .route(
            PROBLEM.template(),
            get(async move || (StatusCode::NOT_FOUND, problem)),
        )
        .route(MOVED.template(), get(async move || moved))
        .route(BROKEN.template(), get(async move || broken))
        .route(LATER.template(), get(async move || later))
        .route(MEDIA.template(), get(async move || media))
        .route(CONFLICT.template(), post(async move || conflict))
}

fn canary_scenario(task: Task) -> Scenario {
    let flaky = catalogue::find("flaky").expect("a scenario of the catalogue");
    Scenario {
        words: ScenarioWords {
            name: "canary",
            ..flaky.words
        },
        routes: |clock| canaries(clock).into(),
        task,
        expect: |_| Vec::new(),
        policy: |policy| policy,
        ..*flaky
    }
}

#[tokio::test]
async fn response_data_appears_only_in_exchanges() {
    for (task, ending) in [
        (Task::Get(BODY), Ending::Ok),
        (Task::List(LIST), Ending::ContractError),
        (Task::ResumeCrawl(LIST), Ending::ContractError),
        (Task::Get(PROBLEM), Ending::HttpError),
        (Task::Get(MOVED), Ending::HttpError),
        (Task::Get(BROKEN), Ending::ResponseError),
        (Task::Get(LATER), Ending::HttpError),
        (Task::Get(MEDIA), Ending::ResponseError),
        (Task::Post(CONFLICT), Ending::HttpError),
    ] {
        for client in [RELIABLE, NAIVE] {
            let seen = seen(client, &canary_scenario(task)).await;

            let outcome = &seen.run.outcome;
            let ends_so = client == NAIVE || outcome.ending == ending;
            assert!(ends_so, "{task:?}: {}", outcome.text);
            let elsewhere = seen.elsewhere;
            assert!(!elsewhere.contains(CANARY), "{task:?}:\n{elsewhere}");
            // The search must be able to find something.
            assert!(seen.exchanges.contains(CANARY), "{task:?}");
        }
    }
}

/// The cursor that a client was given and sends back, its key, and its body.
#[tokio::test]
async fn exchanges_hide_the_secrets_of_a_client() {
    for task in [
        Task::List(LIST),
        Task::ResumeCrawl(LIST),
        Task::Post(CONFLICT),
    ] {
        for client in [RELIABLE, NAIVE] {
            let Seen { exchanges, .. } = seen(client, &canary_scenario(task)).await;

            for secret in ["c4n4ry+/=&cursor", "c4n4ry%2B", "resize"] {
                assert!(!exchanges.contains(secret), "{secret} in\n{exchanges}");
            }
            let taken_out = match task {
                Task::Post(_) => "key 1",
                _ => "cursor",
            };
            assert!(
                exchanges.contains(taken_out),
                "{taken_out} is not in\n{exchanges}"
            );
        }
    }
}

/// The secrets of the catalogue's scenarios with [`SEED`]: the keys, cursors, jobs and
/// records on the wire.
struct Secrets {
    /// The client's data: its keys, its bodies, and the cursors that it was given.
    sent: Vec<String>,
    /// The service's data.
    received: Vec<String>,
}

impl Secrets {
    fn all(&self) -> Vec<String> {
        [&*self.sent, &*self.received].concat()
    }
}

async fn secrets() -> Secrets {
    let config = ServiceConfig {
        seed: SEED,
        ..ServiceConfig::default()
    };
    let service = TeachingApi::start(config).expect("a service");
    let client = ReliableApiClient::builder(&service.base_url())
        .random(Arc::new(SeededRandom::new(SEED)))
        .build()
        .expect("legal");

    let key = client.new_idempotency_key();
    let body = json!({ "task": "resize", "image": 1 });
    let body = body.as_object().expect("an object");
    let job = client.create_job(&key, body).await.expect("a job");
    let mut received = vec![job.id];
    let mut sent = vec![key.as_str().to_owned(), "resize".to_owned()];
    for listing in [
        client.items(),
        client.looping_items(),
        client.endless_items(),
    ] {
        let mut pages = listing.pages();
        for _ in 0..PAGES {
            let Some(Ok(page)) = pages.next_page().await else {
                break;
            };
            if let Some(cursor) = page.next_cursor {
                let pair = [("cursor", cursor.as_str())];
                let url = reqwest::Url::parse_with_params("http://h/", pair).expect("a URL");
                let (_, encoded) = url.as_str().split_once('=').expect("a query");
                sent.extend([cursor.as_str().to_owned(), encoded.to_owned()]);
            }
            for item in &page.items {
                let item: Value = item.parse().expect("an object");
                received.extend(item["name"].as_str().map(str::to_owned));
            }
        }
    }
    service.stop().await.expect("nothing left behind");
    Secrets { sent, received }
}

fn leaks<'a>(seen: &str, secrets: &'a [String]) -> Vec<&'a String> {
    secrets
        .iter()
        .filter(|secret| seen.contains(secret.as_str()))
        .collect()
}

#[tokio::test]
async fn scenarios_do_not_leak_wire_data() {
    let secrets = secrets().await;
    let all = secrets.all();
    assert!(secrets.sent.len() > 5 && all.len() > 10, "{all:?}");

    for scenario in CATALOGUE {
        for client in [RELIABLE, NAIVE] {
            let seen = seen(client, scenario).await;

            let name = scenario.words.name;
            for (seen, secrets) in [(&seen.elsewhere, &all), (&seen.exchanges, &secrets.sent)] {
                let leaks = leaks(seen, secrets);
                assert!(leaks.is_empty(), "{name}, {client:?}: {leaks:?} in\n{seen}");
            }
        }
    }
}

#[tokio::test]
async fn the_program_leaks_no_wire_data_at_any_log_level() {
    let secrets = secrets().await;
    for format in [&["--json"][..], &[]] {
        let output = crate::program::lab()
            .args(["scenario", "all", "--seed", "7"])
            .args(format)
            .env(
                "RUST_LOG",
                "trace,hyper=trace,reqwest=trace,axum=trace,h2=trace",
            )
            .output()
            .expect("lab runs");

        let logs = String::from_utf8_lossy(&output.stderr);
        let printed = String::from_utf8_lossy(&output.stdout);
        assert!(logs.contains("attempt"), "the spans are logged:\n{logs}");
        for url in ["cursor=", "limit=", "?", "http:"] {
            assert!(!logs.contains(url), "{url} in\n{logs}");
        }
        for (seen, secrets) in [(&logs, secrets.all()), (&printed, secrets.sent.clone())] {
            let leaks = leaks(seen, &secrets);
            assert!(leaks.is_empty(), "{leaks:?} in\n{seen}");
        }
    }
}
