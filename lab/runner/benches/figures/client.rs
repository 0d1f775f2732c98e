//! One GET with JSON by the reference client, beside the same by what it is made of.

use std::{
    fmt::Debug,
    hint::black_box,
    sync::Arc,
    time::{Duration, Instant},
};

use client::{Endpoint, ReliableApiClient, Timeouts, telemetry::SharedRecorder};
use metrics_exporter_prometheus::PrometheusHandle;
use reqwest_middleware::ClientWithMiddleware;
use reqwest_retry::{RetryTransientMiddleware, policies::ExponentialBackoff};
use runner::{
    prometheus_recorder,
    recorder::{Limits, Recorder},
};
use serde_json::value::RawValue;
use tokio::runtime::Runtime;
use tracing::{Dispatch, dispatcher, subscriber::NoSubscriber};
use tracing_subscriber::{Registry, layer::SubscriberExt};

use crate::{
    bare_service,
    process::{self, Core, Service, instructions, is_installed},
    spread::Spread,
    table::{Bound, Line},
};

/// A worker that sends so many requests in one way.
pub(crate) const CALLS: &str = "calls";

/// A worker that sends them in all ways in turns, and says how long each took.
pub(crate) const TIMES: &str = "times";

const ITEMS: Endpoint = Endpoint::new("items", "/items");

/// Calls before those that are counted, and those that are counted.
const WARM_UP: u32 = 200;
const COUNTED: u32 = 1000;

/// Calls of a turn that are not measured, since they pay for the caches that the way
/// before has filled, those that are, and how many turns there are.
const TURN: [u32; 2] = [10, 40];
const TURNS: usize = 300;

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
            Self::Plain => Bound::AtMost(1.06),
            Self::Telemetry => Bound::AtMost(1.12),
        }
    }

    const fn time(self) -> Bound {
        match self {
            Self::Bare | Self::Transient => Bound::None,
            Self::Plain => Bound::AtMost(1.08),
            Self::Telemetry => Bound::AtMost(1.15),
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
        let count = |calls: u32| {
            let calls = calls.to_string();
            instructions(CALLS, &[way.name(), &service.base_url, &calls])
        };
        (count(WARM_UP + COUNTED) - count(WARM_UP)) / f64::from(COUNTED)
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
    let times = process::worker_on(Core::First, TIMES, &[&service.base_url]);
    let turns: Vec<[f64; 4]> =
        serde_json::from_str(&process::output(times)).expect("it prints times");
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

fn start_service(core: Core) -> Service {
    Service::start(process::worker_on(core, bare_service::WORKER, &[]))
}

/// Sends requests in one way: its name, where the service is, and how many.
pub(crate) fn call(arguments: &[String]) {
    let [name, base_url, calls] = arguments else {
        unreachable!("a worker that calls has three arguments")
    };
    let way = Way::ALL.into_iter().find(|way| way.name() == name);
    let calls = calls.parse().expect("a number");
    let caller = Caller::new(base_url);
    caller.send(way.expect("a known way"), calls);
}

/// Sends requests in all ways in turns, and prints the seconds of a call of each.
pub(crate) fn time(arguments: &[String]) {
    let [base_url] = arguments else {
        unreachable!("a worker that takes the time has one argument")
    };
    let caller = Caller::new(base_url);
    let turns: Vec<_> = (0..TURNS)
        .map(|_| {
            let turn = Way::ALL.map(|way| caller.turn(way).as_secs_f64());
            // What a process does every few seconds, for thousands of requests.
            caller.prometheus.run_upkeep();
            turn
        })
        .collect();
    println!("{}", serde_json::to_string(&turns).expect("numbers"));
}

/// Every way to send a request, on one runtime.
struct Caller {
    runtime: Runtime,
    url: String,
    bare: reqwest::Client,
    transient: ClientWithMiddleware,
    plain: ReliableApiClient,
    telemetry: ReliableApiClient,
    /// Where the spans of the last go, and where those of the others.
    recorded: Dispatch,
    unrecorded: Dispatch,
    prometheus: PrometheusHandle,
}

impl Caller {
    fn new(base_url: &str) -> Self {
        client::install_tls_provider();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime");
        let origin = Instant::now();
        let spans = Recorder::new(Arc::new(move || origin.elapsed()), 1, Limits::default());
        let counts = prometheus_recorder();
        let prometheus = counts.handle();
        let counts: SharedRecorder = Arc::new(counts);
        let session = || {
            reqwest::Client::builder()
                .no_proxy()
                .tls_certs_only([])
                .connect_timeout(Timeouts::DEFAULT.connect)
                .read_timeout(Timeouts::DEFAULT.read)
                .build()
                .expect("legal")
        };
        let retries = ExponentialBackoff::builder().build_with_max_retries(3);
        let client = || ReliableApiClient::builder(base_url);
        Self {
            runtime,
            url: format!("{base_url}{}", ITEMS.template()),
            bare: session(),
            transient: reqwest_middleware::ClientBuilder::new(session())
                .with(RetryTransientMiddleware::new_with_policy(retries))
                .build(),
            plain: client().build().expect("legal"),
            telemetry: client().recorder(counts).build().expect("legal"),
            recorded: Dispatch::new(Registry::default().with(spans.layer())),
            unrecorded: Dispatch::new(NoSubscriber::new()),
            prometheus,
        }
    }

    /// How long a call takes in a turn of this way.
    fn turn(&self, way: Way) -> Duration {
        let [warm_up, measured] = TURN;
        self.send(way, warm_up);
        let begun = Instant::now();
        self.send(way, measured);
        begun.elapsed() / measured
    }

    fn send(&self, way: Way, calls: u32) {
        let subscriber = match way {
            Way::Telemetry => &self.recorded,
            _ => &self.unrecorded,
        };
        dispatcher::with_default(subscriber, || {
            self.runtime.block_on(async {
                for _ in 0..calls {
                    match way {
                        Way::Bare => by_hand(self.bare.get(&self.url).send().await).await,
                        Way::Transient => {
                            let sent = self.transient.get(&self.url).send().await;
                            by_hand(sent).await;
                        }
                        Way::Plain => by_client(&self.plain).await,
                        Way::Telemetry => by_client(&self.telemetry).await,
                    }
                }
            });
        });
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

async fn by_client(client: &ReliableApiClient) {
    black_box(client.get(ITEMS).await.expect("an object"));
}
