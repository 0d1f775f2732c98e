//! What telemetry costs: sequential GETs of `/no-content` over loopback.
//!
//! ```sh
//! cargo bench -p lab --bench telemetry_cost --no-run
//! taskset -c 0 cargo bench -p lab --bench telemetry_cost
//! ```
//!
//! `taskset` puts client and service on one core, so that every microsecond of
//! either counts and none hides on another core. `/no-content` is the request
//! with the least work of its own, so no other would show a larger share.
//!
//! | variant | what it is |
//! |---|---|
//! | `reqwest` | bare: a GET, its body read |
//! | `client` | `ReliableApiClient` without a subscriber, and a recorder that discards |
//! | `telemetry` | the same with a Prometheus recorder, every span recorded by the lab, and `traceparent` sent |
//! | `both sides` | the same against a service whose spans go to the same recorder |
//!
//! On and off is the client's telemetry. The service counts in all four, since
//! it always does, and makes spans in the last alone.
//!
//! The variants take turns, a few requests each, so that whatever else the
//! machine does falls on all of them alike. Criterion reports the time of each;
//! the ratios at the end are medians over the turns. Nothing here asserts a
//! time: a bench tells, and a person judges.

use std::{
    cell::RefCell,
    rc::Rc,
    sync::Arc,
    time::{Duration, Instant},
};

use client::{ReliableApiClient, telemetry::SharedRecorder};
use criterion::Criterion;
use lab::{
    prometheus_recorder,
    trace::{Limits, Recorder, inject},
};
use metrics::NoopRecorder;
use metrics_exporter_prometheus::PrometheusHandle;
use server::{RunningApi, ServiceConfig, TeachingApi};
use tokio::runtime::Runtime;
use tracing::{Dispatch, dispatcher, subscriber::NoSubscriber};
use tracing_subscriber::{Registry, layer::SubscriberExt};

/// Requests of one variant before the next has its turn: enough to read the
/// clock rarely, few enough for the machine to stay the same.
const TURN: u64 = 20;

const VARIANTS: [&str; 4] = ["reqwest", "client", "telemetry", "both sides"];

/// How long one turn of each variant took, for every turn.
type Turns = Vec<[Duration; VARIANTS.len()]>;

/// Everything that the variants need, on one core and one runtime.
struct Bench {
    runtime: Runtime,
    bare: (reqwest::Client, String),
    clients: [ReliableApiClient; 3],
    /// Where the spans of the last two variants go.
    recorded: Dispatch,
    prometheus: PrometheusHandle,
    _services: [RunningApi; 2],
}

impl Bench {
    fn new() -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime");
        let origin = Instant::now();
        let recorder = Recorder::new(Arc::new(move || origin.elapsed()), 1, Limits::default());
        let recorded = Dispatch::new(Registry::default().with(recorder.layer()));
        let prometheus = prometheus_recorder();
        let handle = prometheus.handle();
        let prometheus: SharedRecorder = Arc::new(prometheus);

        // The serving thread takes over the subscriber that is current here.
        let silent = service();
        let traced = dispatcher::with_default(&recorded, service);
        let telemetry = |service: &RunningApi| {
            let recorder = recorder.clone();
            ReliableApiClient::builder(&service.base_url())
                .recorder(Arc::clone(&prometheus))
                .injector(Arc::new(move |span, headers| {
                    inject(&recorder, span, headers);
                }))
                .build()
                .expect("legal")
        };
        let plain = ReliableApiClient::builder(&silent.base_url())
            .recorder(Arc::new(NoopRecorder))
            .build()
            .expect("legal");
        let bare = reqwest::Client::builder()
            .no_proxy()
            .tls_certs_only([])
            .build()
            .expect("legal");
        Self {
            runtime,
            bare: (bare, format!("{}/no-content", silent.base_url())),
            clients: [plain, telemetry(&silent), telemetry(&traced)],
            recorded,
            prometheus: handle,
            _services: [silent, traced],
        }
    }

    /// How long one turn of each variant takes.
    fn turns(&self) -> [Duration; VARIANTS.len()] {
        let [plain, telemetry, both] = &self.clients;
        let off = Dispatch::new(NoSubscriber::new());
        // The first requests after a pause are slower than any that follow.
        self.time(&off, || self.get_bare());
        let times = [
            self.time(&off, || self.get_bare()),
            self.time(&off, || Self::get(plain)),
            self.time(&self.recorded, || Self::get(telemetry)),
            self.time(&self.recorded, || Self::get(both)),
        ];
        // What a service does every few seconds, for thousands of requests.
        self.prometheus.run_upkeep();
        times
    }

    fn time<F: Future<Output = ()>>(
        &self,
        subscriber: &Dispatch,
        request: impl Fn() -> F,
    ) -> Duration {
        dispatcher::with_default(subscriber, || {
            self.runtime.block_on(async {
                let start = Instant::now();
                for _ in 0..TURN {
                    request().await;
                }
                start.elapsed()
            })
        })
    }

    async fn get_bare(&self) {
        let (client, url) = &self.bare;
        let answer = client.get(url).send().await.expect("an answer");
        let body = answer.bytes().await.expect("a body");
        assert!(body.is_empty());
    }

    async fn get(client: &ReliableApiClient) {
        client.no_content().await.expect("a success");
    }
}

fn service() -> RunningApi {
    let config = ServiceConfig::builder().port(0).build().expect("legal");
    TeachingApi::start(config).expect("a service")
}

/// The 10th, 50th and 90th percentile of the ratio of two variants.
fn ratios(turns: &Turns, over: usize, under: usize) -> [f64; 3] {
    let mut ratios: Vec<_> = turns
        .iter()
        .map(|turn| turn[over].as_secs_f64() / turn[under].as_secs_f64())
        .collect();
    ratios.sort_by(f64::total_cmp);
    [10, 50, 90].map(|percent| ratios[(ratios.len() - 1) * percent / 100])
}

#[expect(clippy::print_stdout, reason = "a bench reports to whoever runs it")]
fn report(turns: &Turns) {
    println!(
        "\nratios over {} turns (median, 10th to 90th percentile)",
        turns.len()
    );
    for (over, under) in [(1, 0), (2, 1), (3, 1), (3, 0)] {
        let [low, median, high] = ratios(turns, over, under);
        let (over, under) = (VARIANTS[over], VARIANTS[under]);
        println!(
            "{:28}{median:.3}   ({low:.3} to {high:.3})",
            format!("{over} / {under}")
        );
    }
}

fn main() {
    client::install_tls_provider();
    let bench = Bench::new();
    let seen = Rc::new(RefCell::new(Turns::new()));
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("no-content");
    for (variant, name) in VARIANTS.into_iter().enumerate() {
        group.bench_function(name, |bencher| {
            // All take their turns whichever is measured, so that each is
            // measured under the same conditions.
            bencher.iter_custom(|requests| {
                let turns: Turns = (0..requests.div_ceil(TURN))
                    .map(|_| bench.turns())
                    .collect();
                let took: Duration = turns.iter().map(|turn| turn[variant]).sum();
                let share = requests as f64 / (turns.len() as u64 * TURN) as f64;
                seen.borrow_mut().extend(turns);
                took.mul_f64(share)
            });
        });
    }
    group.finish();
    criterion.final_summary();
    // A filter may have left nothing to run.
    if !seen.borrow().is_empty() {
        report(&seen.borrow());
    }
}
