//! One GET with JSON by the reference client, compared with `reqwest`.

use std::{
    fmt::Debug,
    hint::black_box,
    sync::Arc,
    time::{Duration, Instant},
};

use client::{Endpoint, Timeouts, teaching::ReliableApiClient, telemetry::SharedRecorder};
use metrics_exporter_prometheus::PrometheusHandle;
use reqwest_middleware::ClientWithMiddleware;
use reqwest_retry::{RetryTransientMiddleware, policies::ExponentialBackoff};
use scenario::{
    prometheus_recorder,
    recorder::{Limits, Recorder},
};
use serde_json::value::RawValue;
use tokio::runtime::Runtime;
use tracing::{Dispatch, dispatcher};
use tracing_subscriber::{Registry, layer::SubscriberExt};

use crate::{
    bare_service,
    process::{self, Core, Service, Worker, instructions, is_installed},
    spread::Spread,
    table::{Bound, Line, Row},
};

/// A worker that sends requests in one way, for their instructions to be counted.
pub(crate) const CALLS: &str = "calls";

/// A worker that sends some in one way whenever it is asked, and prints the seconds of each.
pub(crate) const TURNS: &str = "turns";

const ITEMS: Endpoint = Endpoint::new("items", "/items");

/// Calls before those that are counted, and those that are counted.
const WARM_UP: u32 = 200;
const COUNTED: u32 = 1000;

/// The calls of a turn that fill the caches and are not measured, those that are measured,
/// and the turns of a process. The recorder overwrites its oldest trace once in 128 calls.
const TURN: [u32; 2] = [150, 50];
const TURN_COUNT: usize = 30;

/// Processes of each way, one after another. The addresses of its memory make a process some
/// percent faster or slower.
const PROCESSES: usize = 8;

/// The ways to send a request: `reqwest` with the timeouts of the client, the same with the
/// retries of `reqwest-retry`, the client without a recorder and a subscriber, and the client
/// with a Prometheus recorder and every span recorded by the lab.
const WAYS: [&str; 4] = [
    "reqwest",
    "reqwest-retry",
    "client",
    "client with telemetry",
];

const INSTRUCTIONS: [Row; 4] = [
    Row("reqwest, instructions a call", "", Bound::None),
    Row("reqwest-retry / reqwest, instructions", "", Bound::None),
    Row("client / reqwest, instructions", "", Bound::AtMost(1.20)),
    Row(
        "client with telemetry / reqwest, instructions",
        "",
        Bound::AtMost(1.30),
    ),
];

const TIMES: [Row; 4] = [
    Row("reqwest, time of a call on one core", " us", Bound::None),
    Row("reqwest-retry / reqwest, time", "", Bound::None),
    Row("client / reqwest, time", "", Bound::AtMost(1.10)),
    Row(
        "client with telemetry / reqwest, time",
        "",
        Bound::AtMost(1.18),
    ),
];

pub(crate) fn measure() -> Vec<Line> {
    let mut lines: Vec<_> = match is_installed("valgrind") {
        true => count_instructions().into(),
        false => INSTRUCTIONS.map(|row| row.missing("needs valgrind")).into(),
    };
    lines.extend(measure_times());
    lines
}

fn count_instructions() -> [Line; 4] {
    let service = start_service(Core::Second);
    let counts = WAYS.map(|way| {
        let arguments = [way, &service.base_url];
        instructions("figures::client::counted", CALLS, &arguments) / f64::from(COUNTED)
    });
    [0, 1, 2, 3].map(|way| {
        let unit = if way == 0 { 1.0 } else { counts[0] };
        INSTRUCTIONS[way].measured(Spread::of([counts[way] / unit]))
    })
}

fn measure_times() -> [Line; 4] {
    // With both ends on one core, the work of either counts.
    let service = start_service(Core::First);
    let turns = (0..PROCESSES).flat_map(|_| turns_of_processes(&service));
    let turns: Vec<_> = turns.collect();
    let of = |way: usize| -> Vec<f64> { turns.iter().map(|turn| turn[way]).collect() };
    [0, 1, 2, 3].map(|way| {
        TIMES[way].measured(match way {
            0 => Spread::of(of(0).iter().map(|seconds| seconds * 1e6)),
            _ => Spread::of_ratios(&of(way), &of(0)),
        })
    })
}

/// The seconds of a call in each turn of each way, all of a way in one process.
fn turns_of_processes(service: &Service) -> Vec<[f64; 4]> {
    // One process for each way: a recorder installed by one would slow down the others.
    let mut workers = WAYS.map(|way| {
        let arguments = [way, &service.base_url];
        Worker::start(process::worker_on(Core::First, TURNS, &arguments))
    });
    let turn = |worker: &mut Worker| worker.ask().parse().expect("it prints seconds");
    let turns = (0..TURN_COUNT).map(|_| workers.each_mut().map(turn));
    turns.collect()
}

fn start_service(core: Core) -> Service {
    Service::start(process::worker_on(core, bare_service::WORKER, &[]))
}

/// Sends requests in one way. The arguments are its name and the URL of the service.
pub(crate) fn call(arguments: &[String]) {
    let caller = Caller::from(arguments);
    caller.send(WARM_UP);
    counted(&caller);
}

/// The calls whose instructions are counted. Callgrind finds them by the name of this function.
#[inline(never)]
fn counted(caller: &Caller) {
    caller.send(COUNTED);
}

/// Sends requests in one way whenever it is asked, and prints the seconds of a call.
pub(crate) fn take_turns(arguments: &[String]) {
    let caller = Caller::from(arguments);
    process::respond(|| {
        let seconds = caller.turn().as_secs_f64();
        caller.upkeep();
        seconds.to_string()
    });
}

/// One way to send a request, with all that it needs.
struct Caller {
    runtime: Runtime,
    sender: Sender,
    telemetry: Option<Telemetry>,
}

/// A client, with its URL.
enum Sender {
    Bare(reqwest::Client, String),
    Transient(ClientWithMiddleware, String),
    Client(ReliableApiClient),
}

/// The destinations of the telemetry of a client.
struct Telemetry {
    spans: Dispatch,
    counts: PrometheusHandle,
}

impl Caller {
    /// The arguments of a worker are the name of a way and the URL of the service.
    fn from(arguments: &[String]) -> Self {
        let [name, base_url] = arguments else {
            unreachable!("a worker that calls has two arguments")
        };
        client::install_tls_provider();
        let url = || format!("{base_url}{}", ITEMS.template());
        let client = ReliableApiClient::builder(base_url);
        let mut telemetry = None;
        let sender = match &**name {
            "reqwest" => Sender::Bare(session(), url()),
            "reqwest-retry" => {
                let retries = ExponentialBackoff::builder().build_with_max_retries(3);
                let client = reqwest_middleware::ClientBuilder::new(session())
                    .with(RetryTransientMiddleware::new_with_policy(retries));
                Sender::Transient(client.build(), url())
            }
            "client" => Sender::Client(client.build().expect("legal")),
            "client with telemetry" => {
                let origin = Instant::now();
                let now = Arc::new(move || origin.elapsed());
                let spans = Recorder::new(now, 1, Limits::default());
                let counts = prometheus_recorder();
                telemetry = Some(Telemetry {
                    spans: Dispatch::new(Registry::default().with(spans.layer())),
                    counts: counts.handle(),
                });
                let counts: SharedRecorder = Arc::new(counts);
                Sender::Client(client.recorder(counts).build().expect("legal"))
            }
            unknown => unreachable!("there is no way {unknown:?}"),
        };
        Self {
            runtime: process::runtime(),
            sender,
            telemetry,
        }
    }

    /// The time of a call in one turn.
    fn turn(&self) -> Duration {
        let [warm_up, measured] = TURN;
        self.send(warm_up);
        let begun = Instant::now();
        self.send(measured);
        begun.elapsed() / measured
    }

    /// Upkeep, which a process does every few seconds, for thousands of requests.
    fn upkeep(&self) {
        if let Some(telemetry) = &self.telemetry {
            telemetry.counts.run_upkeep();
        }
    }

    fn send(&self, calls: u32) {
        let send = || self.runtime.block_on(self.sender.send(calls));
        match &self.telemetry {
            Some(telemetry) => dispatcher::with_default(&telemetry.spans, send),
            None => send(),
        }
    }
}

impl Sender {
    async fn send(&self, calls: u32) {
        for _ in 0..calls {
            match self {
                Self::Bare(client, url) => by_hand(client.get(url).send().await).await,
                Self::Transient(client, url) => by_hand(client.get(url).send().await).await,
                Self::Client(client) => {
                    black_box(client.get(ITEMS).send().await.expect("an object"));
                }
            }
        }
    }
}

/// A `reqwest` with the timeouts of the client.
pub(crate) fn session() -> reqwest::Client {
    let session = reqwest::Client::builder()
        .no_proxy()
        .tls_certs_only([])
        .connect_timeout(Timeouts::DEFAULT.connect)
        .read_timeout(Timeouts::DEFAULT.read)
        .timeout(Timeouts::DEFAULT.attempt);
    session.build().expect("legal")
}

/// Reads a response as a user of `reqwest` does.
async fn by_hand<E: Debug>(sent: Result<reqwest::Response, E>) {
    let response = sent.expect("a response").error_for_status();
    let response = response.expect("a success");
    let body = response.bytes().await.expect("a body");
    let json: &RawValue = serde_json::from_slice(&body).expect("JSON");
    black_box(json);
}
