//! What telemetry costs: sequential GETs over loopback.
//!
//! ```sh
//! cargo bench -p lab --bench telemetry_cost --no-run
//! taskset -c 0 cargo bench -p lab --bench telemetry_cost
//! ```
//!
//! `taskset` puts client and service on one core, so that every microsecond of
//! either counts and none hides on another core.
//!
//! | variant | what it is |
//! |---|---|
//! | `reqwest` | bare: a GET, its body read |
//! | `client` | `ReliableApiClient` without a subscriber, and a recorder that discards |
//! | `telemetry` | the same with a Prometheus recorder, and every span recorded by the lab |
//! | `both sides` | the same with `traceparent` sent to a service whose spans are recorded, too |
//!
//! So `telemetry` over `client` is the client's own, and `both sides` what a run
//! of the lab has. The service counts in all four, as it always does.
//!
//! `/no-content` has the least work of its own, so no other request shows a
//! larger share; `/items` is a page as a crawl would read it.
//!
//! The variants take turns, a few requests each, so that whatever else the
//! machine does falls on all of them alike. What is printed are medians over the
//! turns. Nothing here asserts a time.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use client::{ReliableApiClient, telemetry::SharedRecorder};
use metrics::NoopRecorder;
use metrics_exporter_prometheus::PrometheusHandle;
use runner::{prometheus_recorder, recorder::Limits, recorder::Recorder, recorder::inject};
use server::{RunningApi, ServiceConfig, TeachingApi};
use tokio::runtime::Runtime;
use tracing::{Dispatch, dispatcher, subscriber::NoSubscriber};
use tracing_subscriber::{Registry, layer::SubscriberExt};

/// Requests of one variant before the next has its turn: enough to read the
/// clock rarely, few enough for the machine to stay the same.
const TURN: u32 = 20;

/// Requests at the beginning of a turn that are not measured: they pay for the
/// caches that the variant before has filled.
const WARM_UP: u32 = 5;

/// Turns of each variant: some seconds of requests.
const TURNS: usize = 1000;

const VARIANTS: [&str; 4] = ["reqwest", "client", "telemetry", "both sides"];

/// How long a request of each variant took in one turn.
type Times = [Duration; VARIANTS.len()];

#[derive(Clone, Copy)]
enum Request {
    NoContent,
    Items,
}

impl Request {
    fn path(self) -> &'static str {
        match self {
            Self::NoContent => "/no-content",
            Self::Items => "/items",
        }
    }

    async fn by_reqwest(self, client: &reqwest::Client, base_url: &str) {
        let url = format!("{base_url}{}", self.path());
        let response = client.get(url).send().await.expect("a response");
        response.bytes().await.expect("a body");
    }

    async fn by_client(self, client: &ReliableApiClient) {
        match self {
            Self::NoContent => client.no_content().await.expect("a success"),
            Self::Items => {
                let page = client.items().pages().next_page().await;
                page.expect("a page").expect("a success");
            }
        }
    }
}

/// Everything that the variants need, on one core and one runtime.
struct Bench {
    runtime: Runtime,
    bare: reqwest::Client,
    plain: ReliableApiClient,
    telemetry: ReliableApiClient,
    both_sides: ReliableApiClient,
    /// Where the spans of the last two go.
    recorded: Dispatch,
    prometheus: PrometheusHandle,
    service: RunningApi,
    _traced_service: RunningApi,
}

impl Bench {
    fn new() -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime");
        let origin = Instant::now();
        let spans = Recorder::new(Arc::new(move || origin.elapsed()), 1, Limits::default());
        let recorded = Dispatch::new(Registry::default().with(spans.layer()));
        let counts = prometheus_recorder();
        let prometheus = counts.handle();
        let counts: SharedRecorder = Arc::new(counts);

        // The serving thread takes over the subscriber that is current here.
        let service = start_service();
        let traced_service = dispatcher::with_default(&recorded, start_service);
        let client = |service: &RunningApi| ReliableApiClient::builder(&service.base_url());
        Self {
            runtime,
            bare: reqwest::Client::builder()
                .no_proxy()
                .tls_certs_only([])
                .build()
                .expect("legal"),
            plain: client(&service)
                .recorder(Arc::new(NoopRecorder))
                .build()
                .expect("legal"),
            telemetry: client(&service)
                .recorder(Arc::clone(&counts))
                .build()
                .expect("legal"),
            both_sides: client(&traced_service)
                .recorder(counts)
                .injector(Arc::new(move |span, headers| inject(&spans, span, headers)))
                .build()
                .expect("legal"),
            recorded,
            prometheus,
            service,
            _traced_service: traced_service,
        }
    }

    /// Lets each variant have a turn.
    fn turns(&self, request: Request) -> Times {
        let off = Dispatch::new(NoSubscriber::new());
        let base_url = self.service.base_url();
        let times = [
            self.turn(&off, || request.by_reqwest(&self.bare, &base_url)),
            self.turn(&off, || request.by_client(&self.plain)),
            self.turn(&self.recorded, || request.by_client(&self.telemetry)),
            self.turn(&self.recorded, || request.by_client(&self.both_sides)),
        ];
        // What a service does every few seconds, for thousands of requests.
        self.prometheus.run_upkeep();
        times
    }

    fn turn<F: Future>(&self, subscriber: &Dispatch, request: impl Fn() -> F) -> Duration {
        let requests = async {
            for _ in 0..WARM_UP {
                request().await;
            }
            let start = Instant::now();
            for _ in 0..TURN {
                request().await;
            }
            start.elapsed() / TURN
        };
        dispatcher::with_default(subscriber, || self.runtime.block_on(requests))
    }
}

fn start_service() -> RunningApi {
    let config = ServiceConfig::builder().port(0).build().expect("legal");
    TeachingApi::start(config).expect("a service")
}

/// The 10th, 50th and 90th percentile.
fn percentiles(values: impl Iterator<Item = f64>) -> [f64; 3] {
    let mut values: Vec<_> = values.collect();
    values.sort_by(f64::total_cmp);
    [10, 50, 90].map(|percent| values[(values.len() - 1) * percent / 100])
}

#[expect(clippy::print_stdout, reason = "a bench reports to whoever runs it")]
fn report(request: Request, turns: &[Times]) {
    println!(
        "\n{}: medians of {TURNS} turns, and from the 10th to the 90th percentile",
        request.path(),
    );
    for (variant, name) in VARIANTS.into_iter().enumerate() {
        let micros = turns.iter().map(|times| times[variant].as_secs_f64() * 1e6);
        let [low, median, high] = percentiles(micros);
        println!("  {name:24} {median:.1} µs   ({low:.1} to {high:.1})");
    }
    for (over, under) in [(1, 0), (2, 1), (3, 1), (3, 0)] {
        let ratios = turns
            .iter()
            .map(|times| times[over].as_secs_f64() / times[under].as_secs_f64());
        let [low, median, high] = percentiles(ratios);
        let name = format!("{} / {}", VARIANTS[over], VARIANTS[under]);
        println!("  {name:24} {median:.3}   ({low:.3} to {high:.3})");
    }
}

fn main() {
    client::install_tls_provider();
    let bench = Bench::new();
    for request in [Request::NoContent, Request::Items] {
        let turns: Vec<_> = (0..TURNS).map(|_| bench.turns(request)).collect();
        report(request, &turns);
    }
}
