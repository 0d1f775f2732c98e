//! One GET with JSON by the reference client, compared with `reqwest`.

use std::{fmt::Debug, hint::black_box, io, sync::Arc, time::Instant};

use client::{Endpoint, Timeouts, teaching::ReliableApiClient, telemetry::SharedRecorder};
use metrics_exporter_prometheus::PrometheusHandle;
use reqwest_middleware::ClientWithMiddleware;
use reqwest_retry::{RetryTransientMiddleware, policies::ExponentialBackoff};
use scenario::{
    prometheus_recorder,
    recorder::{Recorder, RecorderLimits},
};
use serde_json::value::RawValue;
use tokio::runtime::Runtime;
use tracing::{Dispatch, dispatcher};
use tracing_subscriber::{Registry, layer::SubscriberExt};

use crate::{
    bare,
    process::{self, FIRST, SECOND, Worker, instructions, is_installed},
    table::{Bound, ratios, show},
};

/// A worker that sends requests in one way, for their instructions to be counted.
pub(crate) const COUNTED: &str = "counted-calls";

/// A worker that sends some in one way whenever it is asked, and prints the seconds of each.
pub(crate) const TURNS: &str = "turns";

const ITEMS: Endpoint = Endpoint::new("items", "/items");

/// Calls before those that are counted, and those that are counted.
const WARM_UP: u32 = 200;
const CALLS: u32 = 1000;

/// The calls of a turn that fill the caches and are not measured, and those that are
/// measured. The recorder overwrites its oldest trace once in 128 calls.
const TURN_WARM_UP: u32 = 150;
const TURN: u32 = 50;

/// The turns of a process, and the processes of each way, one after another. The addresses
/// of its memory make a process some percent faster or slower.
const TURN_COUNT: usize = 30;
const PROCESSES: usize = 8;

/// The ways to send a request: `reqwest` with the timeouts of the client, the same with the
/// retries of `reqwest-retry`, the client without a recorder and a subscriber, and the client
/// with a Prometheus recorder and every span recorded by the lab. Beside each are its bounds
/// over `reqwest`, of instructions and of time.
const WAYS: [(&str, Bound, Bound); 4] = [
    ("reqwest", Bound::None, Bound::None),
    ("reqwest-retry", Bound::None, Bound::None),
    ("client", Bound::AtMost(1.20), Bound::AtMost(1.10)),
    (
        "client with telemetry",
        Bound::AtMost(1.30),
        Bound::AtMost(1.18),
    ),
];

pub(crate) fn measure() {
    if is_installed("valgrind") {
        let service = Worker::start(SECOND, bare::SERVICE, &[]);
        let mut bare = 0.0;
        for (way, bound, _) in WAYS {
            let arguments = [way, &service.base_url];
            let count = instructions("figures::client::counted", COUNTED, &arguments);
            let count = count / f64::from(CALLS);
            if way == "reqwest" {
                bare = count;
                show("reqwest, instructions a call", "", bound, vec![count]);
            } else {
                show(
                    &format!("{way} / reqwest, instructions"),
                    "",
                    bound,
                    vec![count / bare],
                );
            }
        }
    }
    // With both ends on one core, the work of either counts.
    let service = Worker::start(FIRST, bare::SERVICE, &[]);
    let mut seconds = [const { Vec::new() }; 4];
    for _ in 0..PROCESSES {
        // One process for each way: a recorder installed by one would slow down the others.
        let mut workers =
            WAYS.map(|(way, ..)| Worker::start(FIRST, TURNS, &[way, &service.base_url]));
        for _ in 0..TURN_COUNT {
            for (worker, seconds) in workers.iter_mut().zip(&mut seconds) {
                seconds.push(worker.ask());
            }
        }
    }
    for ((way, _, bound), of_way) in WAYS.into_iter().zip(&seconds) {
        if way == "reqwest" {
            let micros = of_way.iter().map(|seconds| seconds * 1e6).collect();
            show("reqwest, time of a call on one core", " us", bound, micros);
        } else {
            show(
                &format!("{way} / reqwest, time"),
                "",
                bound,
                ratios(of_way, &seconds[0]),
            );
        }
    }
}

/// Sends requests in one way.
pub(crate) fn call_counted(way: &str, base_url: &str) {
    let caller = Caller::new(way, base_url);
    caller.send(WARM_UP);
    counted(&caller);
}

/// The calls whose instructions are counted. Callgrind finds them by the name of this function.
#[inline(never)]
fn counted(caller: &Caller) {
    caller.send(CALLS);
}

/// Sends requests in one way whenever it is asked, and prints the seconds of a call.
pub(crate) fn take_turns(way: &str, base_url: &str) {
    let caller = Caller::new(way, base_url);
    println!("ready");
    for _ in io::stdin().lines() {
        caller.send(TURN_WARM_UP);
        let begun = Instant::now();
        caller.send(TURN);
        println!("{}", begun.elapsed().as_secs_f64() / f64::from(TURN));
        // A process does this every few seconds, for thousands of requests.
        if let Some(telemetry) = &caller.telemetry {
            telemetry.counts.run_upkeep();
        }
    }
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
    fn new(way: &str, base_url: &str) -> Self {
        let url = format!("{base_url}{}", ITEMS.template());
        let client = ReliableApiClient::builder(base_url);
        let mut telemetry = None;
        let sender = match way {
            "reqwest" => Sender::Bare(session(), url),
            "reqwest-retry" => {
                let retries = ExponentialBackoff::builder().build_with_max_retries(3);
                let client = reqwest_middleware::ClientBuilder::new(session())
                    .with(RetryTransientMiddleware::new_with_policy(retries));
                Sender::Transient(client.build(), url)
            }
            "client" => Sender::Client(client.build().expect("legal")),
            _ => {
                let origin = Instant::now();
                let now = Arc::new(move || origin.elapsed());
                let spans = Recorder::new(now, 1, RecorderLimits::default());
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
            runtime: process::runtime(),
            sender,
            telemetry,
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
