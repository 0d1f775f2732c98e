//! One GET with JSON by the reference client, beside the same by what it is made of.

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
use runner::{
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
    table::{Bound, Line},
};

/// A worker that sends requests in one way, for their instructions to be counted.
pub(crate) const CALLS: &str = "calls";

/// A worker that sends some in one way whenever it is asked, and says how long each took.
pub(crate) const TURNS: &str = "turns";

const ITEMS: Endpoint = Endpoint::new("items", "/items");

/// Calls before those that are counted, and those that are counted.
const WARM_UP: u32 = 200;
const COUNTED: u32 = 1000;

/// Calls of a turn that are not measured, since they pay for the caches that the way
/// before has filled, those that are, and how many turns a process has. The recorder
/// writes over what it has kept once in 128 calls.
const TURN: [u32; 2] = [150, 50];
const TURN_COUNT: usize = 30;

/// Processes of each way, one after another. Where its memory happens to lie makes the
/// calls of a process some percent quicker or slower for as long as it lives.
const PROCESSES: usize = 8;

/// The ways to send a request.
#[derive(Clone, Copy)]
enum Way {
    /// `reqwest` alone, with the timeouts of the client.
    Bare,
    /// `reqwest`, `reqwest-middleware` and the retries of `reqwest-retry`.
    Transient,
    /// The client without a recorder and without a subscriber.
    Plain,
    /// The client with a Prometheus recorder, every span recorded by the lab.
    Telemetry,
}

impl Way {
    const ALL: [Self; 4] = [Self::Bare, Self::Transient, Self::Plain, Self::Telemetry];

    const fn name(self) -> &'static str {
        match self {
            Self::Bare => "reqwest",
            Self::Transient => "reqwest-retry",
            Self::Plain => "client",
            Self::Telemetry => "client with telemetry",
        }
    }

    const fn instructions(self) -> Bound {
        match self {
            Self::Bare | Self::Transient => Bound::None,
            Self::Plain => Bound::AtMost(1.20),
            Self::Telemetry => Bound::AtMost(1.30),
        }
    }

    const fn time(self) -> Bound {
        match self {
            Self::Bare | Self::Transient => Bound::None,
            Self::Plain => Bound::AtMost(1.10),
            Self::Telemetry => Bound::AtMost(1.18),
        }
    }
}

pub(crate) fn measure() -> Vec<Line> {
    let mut lines = Vec::new();
    count_instructions(&mut lines);
    measure_times(&mut lines);
    lines
}

fn count_instructions(lines: &mut Vec<Line>) {
    let what = |way: Way| format!("{} / reqwest, instructions", way.name());
    if !is_installed("valgrind") {
        let missing =
            Way::ALL.map(|way| Line::missing(&what(way), "needs valgrind", way.instructions()));
        lines.extend(missing.into_iter().skip(1));
        return;
    }
    let service = start_service(Core::Second);
    let [bare, others @ ..] = Way::ALL.map(|way| {
        let arguments = [way.name(), &service.base_url];
        instructions("figures::client::counted", CALLS, &arguments) / f64::from(COUNTED)
    });
    lines.push(Line::measured(
        "reqwest, instructions a call",
        Spread::of([bare]),
        "",
        Bound::None,
    ));
    for (way, count) in Way::ALL.into_iter().skip(1).zip(others) {
        let ratio = Spread::of([count / bare]);
        lines.push(Line::measured(&what(way), ratio, "", way.instructions()));
    }
}

fn measure_times(lines: &mut Vec<Line>) {
    // Both ends on one core: every microsecond of either counts, and none hides on
    // another core.
    let service = start_service(Core::First);
    let turns: Vec<_> = (0..PROCESSES)
        .flat_map(|_| turns_of_processes(&service))
        .collect();
    let of = |way: Way| {
        turns
            .iter()
            .map(|turn| turn[way as usize])
            .collect::<Vec<_>>()
    };
    let bare = of(Way::Bare);
    let micros = Spread::of(bare.iter().map(|seconds| seconds * 1e6));
    lines.push(Line::measured(
        "reqwest, time of a call on one core",
        micros,
        " us",
        Bound::None,
    ));
    for way in Way::ALL.into_iter().skip(1) {
        let what = format!("{} / reqwest, time", way.name());
        lines.push(Line::measured(
            &what,
            Spread::of_ratios(&of(way), &bare),
            "",
            way.time(),
        ));
    }
}

/// The seconds of a call in each turn of each way, all of a way in one process.
fn turns_of_processes(service: &Service) -> Vec<[f64; Way::ALL.len()]> {
    // Each way in a process of its own: what one installs would cost the others, too.
    let mut workers = Way::ALL.map(|way| {
        let arguments = [way.name(), &service.base_url];
        Worker::start(process::worker_on(Core::First, TURNS, &arguments))
    });
    let mut turn = |way: Way| {
        let seconds = workers[way as usize].ask();
        seconds.parse::<f64>().expect("it prints seconds")
    };
    (0..TURN_COUNT).map(|_| Way::ALL.map(&mut turn)).collect()
}

fn start_service(core: Core) -> Service {
    Service::start(process::worker_on(core, bare_service::WORKER, &[]))
}

/// Sends requests in one way: its name, and where the service is.
pub(crate) fn call(arguments: &[String]) {
    let caller = Caller::from(arguments);
    caller.send(WARM_UP);
    counted(&caller);
}

/// The calls whose instructions are counted: they are told by the name of this function.
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

/// One way to send a request, and no more than it takes.
struct Caller {
    runtime: Runtime,
    sender: Sender,
    telemetry: Option<Telemetry>,
}

/// What sends a request, and what it is asked for.
enum Sender {
    Bare(reqwest::Client, String),
    Transient(ClientWithMiddleware, String),
    Client(ReliableApiClient),
}

/// Where the telemetry of a client goes.
struct Telemetry {
    spans: Dispatch,
    counts: PrometheusHandle,
}

impl Caller {
    /// A worker's arguments: the name of a way, and where the service is.
    fn from(arguments: &[String]) -> Self {
        let [name, base_url] = arguments else {
            unreachable!("a worker that calls has two arguments")
        };
        let way = Way::ALL.into_iter().find(|way| way.name() == name);
        Self::new(way.expect("a known way"), base_url)
    }

    fn new(way: Way, base_url: &str) -> Self {
        client::install_tls_provider();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime");
        let session = || {
            reqwest::Client::builder()
                .no_proxy()
                .tls_certs_only([])
                .connect_timeout(Timeouts::DEFAULT.connect)
                .read_timeout(Timeouts::DEFAULT.read)
                .build()
                .expect("legal")
        };
        let url = || format!("{base_url}{}", ITEMS.template());
        let client = ReliableApiClient::builder(base_url);
        let mut telemetry = None;
        let sender = match way {
            Way::Bare => Sender::Bare(session(), url()),
            Way::Transient => {
                let retries = ExponentialBackoff::builder().build_with_max_retries(3);
                let client = reqwest_middleware::ClientBuilder::new(session())
                    .with(RetryTransientMiddleware::new_with_policy(retries));
                Sender::Transient(client.build(), url())
            }
            Way::Plain => Sender::Client(client.build().expect("legal")),
            Way::Telemetry => {
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
        };
        Self {
            runtime,
            sender,
            telemetry,
        }
    }

    /// How long a call takes in a turn.
    fn turn(&self) -> Duration {
        let [warm_up, measured] = TURN;
        self.send(warm_up);
        let begun = Instant::now();
        self.send(measured);
        begun.elapsed() / measured
    }

    /// What a process does every few seconds, for thousands of requests.
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
                    black_box(client.get(ITEMS).await.expect("an object"));
                }
            }
        }
    }
}

/// What somebody writes who has no client but `reqwest`.
async fn by_hand<E: Debug>(sent: Result<reqwest::Response, E>) {
    let response = sent.expect("a response").error_for_status();
    let response = response.expect("a success");
    let body = response.bytes().await.expect("a body");
    let json: Box<RawValue> = serde_json::from_slice(&body).expect("JSON");
    black_box(json);
}
