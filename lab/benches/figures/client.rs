//! One GET with JSON by the reference client, compared with `reqwest`: the instructions of
//! each, which repeat to one in a thousand.

use std::{fmt::Debug, hint::black_box, sync::Arc, time::Instant};

use client::{Endpoint, Timeouts, teaching::ReliableApiClient};
use reqwest_retry::{RetryTransientMiddleware, policies::ExponentialBackoff};
use scenario::{Recorder, prometheus_recorder};
use serde_json::value::RawValue;
use tracing::dispatcher;
use tracing_subscriber::{Registry, layer::SubscriberExt};

use crate::{
    process::{SECOND, Worker, instructions, runtime},
    table::{Bound, show},
};

const ITEMS: Endpoint = Endpoint::new("items", "/items");

/// Calls before those that are counted, and those that are counted.
const WARM_UP: u32 = 200;
const CALLS: u32 = 1000;

/// The ways to send a request: `reqwest` with the timeouts of the client, the same with the
/// retries of `reqwest-retry`, the client without a recorder and a subscriber, and the client
/// with a Prometheus recorder and every span recorded by the lab. Beside each is its bound
/// over `reqwest`.
const WAYS: [(&str, Bound); 4] = [
    ("reqwest", Bound::None),
    ("reqwest-retry", Bound::None),
    ("client", Bound::AtMost(1.10)),
    ("client with telemetry", Bound::AtMost(1.25)),
];

pub(crate) fn measure() {
    let service = Worker::start(SECOND, &["bare-service"]);
    let mut bare = None;
    for (way, bound) in WAYS {
        let worker = ["calls", way, &service.base_url];
        let Some(count) = instructions(&worker, "figures::client::counted") else {
            return;
        };
        let bare = *bare.get_or_insert(count);
        if way != "reqwest" {
            let label = format!("{way} / reqwest, instructions");
            show(&label, "", bound, vec![count / bare]);
        }
    }
}

/// Sends requests in one way.
pub(crate) fn call(way: &str, base_url: &str) {
    let url = format!("{base_url}{}", ITEMS.template());
    let client = ReliableApiClient::builder(base_url);
    let (runtime, http) = (runtime(), session());
    match way {
        "reqwest" => {
            send(|| runtime.block_on(async { by_hand(http.get(&url).send().await).await }));
        }
        "reqwest-retry" => {
            let retries = ExponentialBackoff::builder().build_with_max_retries(3);
            let http = reqwest_middleware::ClientBuilder::new(http)
                .with(RetryTransientMiddleware::new_with_policy(retries))
                .build();
            send(|| runtime.block_on(async { by_hand(http.get(&url).send().await).await }));
        }
        "client" => {
            let client = client.build().expect("legal");
            send(|| runtime.block_on(by_client(&client)));
        }
        _ => {
            let origin = Instant::now();
            let now = Arc::new(move || origin.elapsed());
            let spans = Recorder::new(now, 1, usize::MAX);
            let client = client.recorder(Arc::new(prometheus_recorder()));
            let client = client.build().expect("legal");
            dispatcher::with_default(&Registry::default().with(spans).into(), || {
                send(|| runtime.block_on(by_client(&client)));
            });
        }
    }
}

fn send(call: impl Fn()) {
    (0..WARM_UP).for_each(|_| call());
    counted(&call);
}

/// The calls whose instructions are counted. Callgrind finds them by the name of this
/// function, and a closure in it would have that name as well.
#[inline(never)]
fn counted(call: &dyn Fn()) {
    for _ in 0..CALLS {
        call();
    }
}

async fn by_client(client: &ReliableApiClient) {
    black_box(client.get(ITEMS).send().await.expect("an object"));
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
