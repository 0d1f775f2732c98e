//! The teaching service: its speed beside a bare axum handler with the same body, its
//! memory, and a scrape of its metrics.

use std::{
    fs,
    future::pending,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use axum::{
    body::Body,
    http::{Request, StatusCode, header::CONTENT_TYPE},
};
use host::{MAX_CAPACITY, ServiceConfig};
use scenario::{
    CLIENTS, Exposition, Session, Settings,
    catalogue::CATALOGUE,
    recorder::{Recorder, RecorderLimits},
};
use server::TeachingApi;
use tower::ServiceExt as _;
use tracing::dispatcher;
use tracing_subscriber::{Registry, layer::Identity, layer::SubscriberExt};

use crate::{
    bare,
    client::session,
    process::{self, FIRST, SECOND, Worker, is_installed, pinned},
    table::{Bound, ratios, show},
};

/// The service with its metrics, and with the spans of all requests recorded as well.
pub(crate) const LAB: &str = "lab-service";
pub(crate) const LAB_WITH_SPANS: &str = "lab-service-with-spans";

/// A service at which the course was run.
pub(crate) const COURSE: &str = "course";

/// A worker that stores a million idempotency records, and prints the memory of one.
pub(crate) const RECORDS: &str = "records";

/// Processes of each service, one after another: the addresses of its memory make a process
/// faster or slower.
const PROCESSES: usize = 5;

/// Rounds of these processes, in which each service has a turn of a second.
const ROUNDS: usize = 3;

pub(crate) fn measure() {
    if !is_installed("wrk") {
        return;
    }
    let mut rates = [const { Vec::new() }; 3];
    for _ in 0..PROCESSES {
        let start = |worker| Worker::start(FIRST, worker, &[]);
        let services = [bare::SERVICE, LAB, LAB_WITH_SPANS].map(start);
        for _ in 0..ROUNDS {
            for (service, rates) in services.iter().zip(&mut rates) {
                rates.push(load(service, "1s")[1]);
                // The work that a turn leaves behind, such as histograms, is not the next one's.
                thread::sleep(Duration::from_millis(100));
            }
        }
    }
    let [bare, off, on] = rates;
    let (of_off, of_on) = (ratios(&off, &bare), ratios(&on, &bare));
    show("axum, requests a second", "", Bound::None, bare);
    show(
        "service / axum, requests a second",
        "",
        Bound::AtLeast(0.80),
        of_off,
    );
    show("  with spans recorded", "", Bound::AtLeast(0.65), of_on);
}

/// Sends requests for this long, on 16 connections: their number, and how many a second.
fn load(service: &Worker, duration: &str) -> [f64; 2] {
    let mut wrk = pinned(SECOND, "wrk");
    wrk.args(["-t1", "-c16", "-d", duration]);
    wrk.arg(format!("{}/items", service.base_url));
    let (said, _) = process::output_of(wrk);
    assert!(!said.contains("Non-2xx"), "{said}");
    let mut lines = said.lines().map(str::trim);
    let requests = lines.find_map(|line| line.split_once(" requests in "));
    let (requests, _) = requests.expect("wrk counts");
    let a_second = lines.find_map(|line| line.strip_prefix("Requests/sec:"));
    [requests, a_second.expect("wrk counts").trim()].map(|number| number.parse().expect("a number"))
}

pub(crate) fn measure_memory() {
    let record = process::output(RECORDS, &[]);
    let record = record.trim().parse().expect("a number");
    show(
        "an idempotency record of a million",
        " B",
        Bound::AtMost(175.0),
        vec![record],
    );
    if !is_installed("wrk") {
        return;
    }
    let service = Worker::start(FIRST, LAB, &[]);
    let process = service.id().to_string();
    let idle = resident(&process);
    let mut sent = 0.0;
    while sent < 5e6 {
        sent += load(&service, "10s")[0];
    }
    let above = (resident(&process) - idle) / 1024.0 / 1024.0;
    show(
        "five million requests, memory above idle",
        " MiB",
        Bound::AtMost(12.0),
        vec![above],
    );
}

/// The bytes of a process that are in memory.
pub(crate) fn resident(process: &str) -> f64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).expect("Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB"));
    let kilobytes: f64 = kilobytes.expect("Linux").parse().expect("a number");
    kilobytes * 1024.0
}

pub(crate) fn measure_scrape() {
    let service = Worker::start(FIRST, COURSE, &[]);
    let http = session();
    let (mut millis, mut sizes) = (Vec::new(), Vec::new());
    process::runtime().block_on(async {
        for _ in 0..101 {
            let begun = Instant::now();
            let request = http.get(format!("{}/metrics", service.base_url));
            let response = request.header("accept-encoding", "gzip").send().await;
            let body = response.expect("a response").bytes().await.expect("a body");
            millis.push(begun.elapsed().as_secs_f64() * 1e3);
            sizes.push(body.len() as f64 / 1e3);
        }
    });
    show(
        "/metrics after the whole course",
        " ms",
        Bound::AtMost(5.0),
        millis,
    );
    show("  compressed", " KB", Bound::AtMost(18.0), sizes);
}

/// Serves with metrics, and records spans as the lab does if they are wanted.
pub(crate) fn serve(with_spans: bool) {
    let exposition = Exposition::new();
    let service = if with_spans {
        let origin = Instant::now();
        let spans = Recorder::new(
            Arc::new(move || origin.elapsed()),
            1,
            RecorderLimits::default(),
        );
        let recorded = Registry::default().with(spans.layer());
        // The serving thread takes over the subscriber that is current here.
        dispatcher::with_default(&recorded.into(), || start(&exposition))
    } else {
        start(&exposition)
    };
    // As `lab serve` does.
    thread::spawn(move || {
        loop {
            exposition.keep_up();
            thread::sleep(Duration::from_secs(1));
        }
    });
    process::serve_at(&service.base_url());
}

/// Runs the course with every client, and serves its metrics.
pub(crate) fn serve_course() {
    let exposition = Exposition::new();
    exposition.register(CATALOGUE);
    process::runtime().block_on(async {
        for scenario in CATALOGUE {
            for client in CLIENTS {
                let settings = Settings::in_virtual_time(*client, 7);
                let session = Session::new(scenario, &settings, &exposition);
                let run = session.run_until(pending(), Identity::new()).await;
                run.expect("a run");
            }
        }
    });
    exposition.keep_up();
    process::serve_at(&start(&exposition).base_url());
}

fn start(exposition: &Exposition) -> host::RunningService {
    let config = ServiceConfig::builder()
        .port(0)
        .metrics(exposition.service())
        .build();
    TeachingApi::start(config.expect("legal")).expect("a service")
}

/// Stores a million idempotency records, and prints the bytes of one.
pub(crate) fn keep_records() {
    // The ledger is not measured here.
    let config = ServiceConfig::builder().ledger_capacity(1).build();
    let jobs = server::with_room_for(MAX_CAPACITY, 1);
    let (router, _) = host::router(&config.expect("legal"), jobs);
    let job = async |number: usize| {
        let request = Request::post("/jobs")
            .header(CONTENT_TYPE, "application/json")
            .header("idempotency-key", format!("key-{number}"))
            .body(Body::from("{}"))
            .expect("a request");
        let response = router.clone().oneshot(request).await.expect("a response");
        assert_eq!(response.status(), StatusCode::CREATED);
    };
    let bytes = process::runtime().block_on(async {
        job(0).await;
        let before = resident("self");
        for number in 1..MAX_CAPACITY {
            job(number).await;
        }
        (resident("self") - before) / MAX_CAPACITY as f64
    });
    println!("{bytes}");
}
