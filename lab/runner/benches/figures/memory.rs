//! What is held in memory: by a service after millions of requests, and for each
//! idempotency key.

use std::fs;

use axum::{
    body::Body,
    http::{Request, StatusCode, header::CONTENT_TYPE},
};
use host::{MAX_CAPACITY, ServiceConfig};
use tower::ServiceExt as _;

use crate::{
    lab_service,
    process::{self, Core, Service, is_installed},
    service::load,
    spread::Spread,
    table::{Bound, Line},
};

/// A worker that has a service keep a million idempotency records, and says what each
/// takes.
pub(crate) const RECORDS: &str = "records";

const REQUESTS: u64 = 5_000_000;

const SERVICE: &str = "five million requests, memory above idle";
const SERVICE_BOUND: Bound = Bound::AtMost(12.0);
const RECORD: &str = "an idempotency record of a million";
const RECORD_BOUND: Bound = Bound::AtMost(175.0);

pub(crate) fn measure() -> Vec<Line> {
    if !cfg!(target_os = "linux") {
        let missing = |what, bound| Line::missing(what, "needs /proc", bound);
        return vec![
            missing(SERVICE, SERVICE_BOUND),
            missing(RECORD, RECORD_BOUND),
        ];
    }
    vec![after_many_requests(), a_record()]
}

fn after_many_requests() -> Line {
    if !is_installed("wrk") {
        return Line::missing(SERVICE, "needs wrk", SERVICE_BOUND);
    }
    let service = Service::start(process::worker_on(Core::First, lab_service::WORKER, &[]));
    let process = service.id().to_string();
    let idle = resident(&process);
    let mut sent = 0;
    while sent < REQUESTS {
        sent += load(&service.url("/items"), "10s").requests;
    }
    let above = (resident(&process) - idle) / 1024.0 / 1024.0;
    Line::measured(SERVICE, Spread::of([above]), " MiB", SERVICE_BOUND)
}

fn a_record() -> Line {
    let worker = process::worker_on(Core::First, RECORDS, &[]);
    let bytes = process::output(worker).trim().parse().expect("a number");
    Line::measured(RECORD, Spread::of([bytes]), " B", RECORD_BOUND)
}

/// Keeps a million idempotency records, and prints the bytes of one.
pub(crate) fn keep_records() {
    let config = ServiceConfig::builder()
        // It is not the ledger that is looked at.
        .ledger_capacity(1)
        .build()
        .expect("legal");
    let (router, _) = host::router(&config, server::with_room_for(MAX_CAPACITY, 1));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .expect("a runtime");
    let job = async |number: usize| {
        let request = Request::post("/jobs")
            .header(CONTENT_TYPE, "application/json")
            .header("idempotency-key", format!("key-{number}"))
            .body(Body::from("{}"))
            .expect("a request");
        let response = router.clone().oneshot(request).await.expect("a response");
        assert_eq!(response.status(), StatusCode::CREATED);
    };
    let bytes = runtime.block_on(async {
        job(0).await;
        let before = resident("self");
        for number in 1..MAX_CAPACITY {
            job(number).await;
        }
        (resident("self") - before) / MAX_CAPACITY as f64
    });
    println!("{bytes}");
}

/// The bytes of a process that are in memory.
pub(crate) fn resident(process: &str) -> f64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).expect("it runs");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB"));
    let kilobytes: f64 = kilobytes.expect("Linux").parse().expect("a number");
    kilobytes * 1024.0
}
