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
//! machine does falls on all of them alike. Criterion reports the time of each;
//! the ratios at the end are medians over the turns. Nothing here asserts a
//! time: a bench tells, and a person judges.

use std::{
    cell::RefCell,
    sync::Arc,
    time::{Duration, Instant},
};

use client::{ReliableApiClient, telemetry::SharedRecorder};
use criterion::Criterion;
use metrics::NoopRecorder;
use metrics_exporter_prometheus::PrometheusHandle;
use runner::{prometheus_recorder, recorder::Limits, recorder::Recorder, recorder::inject};
use server::{RunningApi, ServiceConfig, TeachingApi};
use tokio::runtime::Runtime;
use tracing::{Dispatch, dispatcher, subscriber::NoSubscriber};
use tracing_subscriber::{Registry, layer::SubscriberExt};

/// Requests of one variant before the next has its turn: enough to read the
/// clock rarely, few enough for the machine to stay the same.
const TURN: u64 = 20;

/// Requests at the beginning of a turn that are not measured: they pay for the
/// caches that the variant before has filled.
const WARM_UP: u64 = 5;

const VARIANTS: [&str; 4] = ["reqwest", "client", "telemetry", "both sides"];

/// How long one turn of each variant took, for every turn.
type Turns = Vec<[Duration; VARIANTS.len()]>;

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
        let answer = client.get(url).send().await.expect("an answer");
        answer.bytes().await.expect("a body");
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

    /// How long one turn of each variant takes.
    fn turns(&self, request: Request) -> [Duration; VARIANTS.len()] {
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
            start.elapsed()
        };
        dispatcher::with_default(subscriber, || self.runtime.block_on(requests))
    }
}

fn start_service() -> RunningApi {
    let config = ServiceConfig::builder().port(0).build().expect("legal");
    TeachingApi::start(config).expect("a service")
}

/// Has criterion measure each variant, and returns every turn there was.
fn measure(criterion: &mut Criterion, bench: &Bench, request: Request) -> Turns {
    let seen = RefCell::new(Turns::new());
    let mut group = criterion.benchmark_group(request.path());
    for (variant, name) in VARIANTS.into_iter().enumerate() {
        group.bench_function(name, |bencher| {
            // All take their turns whichever is measured, so that each is
            // measured under the same conditions.
            bencher.iter_custom(|requests| {
                let turns: Turns = (0..requests.div_ceil(TURN))
                    .map(|_| bench.turns(request))
                    .collect();
                let took: Duration = turns.iter().map(|turn| turn[variant]).sum();
                let measured = turns.len() as u64 * TURN;
                seen.borrow_mut().extend(turns);
                took.mul_f64(requests as f64 / measured as f64)
            });
        });
    }
    group.finish();
    seen.into_inner()
}

/// The 10th, 50th and 90th percentile of the ratio of two variants.
fn ratio(turns: &Turns, over: usize, under: usize) -> [f64; 3] {
    let mut ratios: Vec<_> = turns
        .iter()
        .map(|turn| turn[over].as_secs_f64() / turn[under].as_secs_f64())
        .collect();
    ratios.sort_by(f64::total_cmp);
    [10, 50, 90].map(|percent| ratios[(ratios.len() - 1) * percent / 100])
}

#[expect(clippy::print_stdout, reason = "a bench reports to whoever runs it")]
fn report(request: Request, turns: &Turns) {
    println!(
        "\n{}: medians of {} turns, and from the 10th to the 90th percentile",
        request.path(),
        turns.len()
    );
    for (over, under) in [(1, 0), (2, 1), (3, 1), (3, 0)] {
        let [low, median, high] = ratio(turns, over, under);
        let name = format!("{} / {}", VARIANTS[over], VARIANTS[under]);
        println!("  {name:24} {median:.3}   ({low:.3} to {high:.3})");
    }
}

fn main() {
    client::install_tls_provider();
    let bench = Bench::new();
    let mut criterion = Criterion::default().configure_from_args();
    let measured = [Request::NoContent, Request::Items]
        .map(|request| (request, measure(&mut criterion, &bench, request)));
    criterion.final_summary();
    for (request, turns) in &measured {
        // A filter may have left nothing to run.
        if !turns.is_empty() {
            report(*request, turns);
        }
    }
}
