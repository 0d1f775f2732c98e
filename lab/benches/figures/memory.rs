//! The memory of a service after millions of requests, and of an idempotency record.

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
    table::{Bound, Line, Row},
};

/// A worker that stores a million idempotency records, and prints the memory of one.
pub(crate) const RECORDS: &str = "records";

const REQUESTS: u64 = 5_000_000;

const SERVICE: Row = Row(
    "five million requests, memory above idle",
    " MiB",
    Bound::AtMost(12.0),
);
const RECORD: Row = Row(
    "an idempotency record of a million",
    " B",
    Bound::AtMost(175.0),
);

pub(crate) fn measure() -> Vec<Line> {
    if !cfg!(target_os = "linux") {
        return [SERVICE, RECORD]
            .map(|row| row.missing("needs /proc"))
            .into();
    }
    let records = process::output(process::worker_on(Core::First, RECORDS, &[]));
    let record = records.trim().parse().expect("a number");
    vec![after_many_requests(), RECORD.measured(Spread::of([record]))]
}

fn after_many_requests() -> Line {
    if !is_installed("wrk") {
        return SERVICE.missing("needs wrk");
    }
    let service = Service::start(process::worker_on(Core::First, lab_service::WORKER, &[]));
    let process = service.id().to_string();
    let idle = resident(&process);
    let mut sent = 0;
    while sent < REQUESTS {
        sent += load(&service.url("/items"), "10s").requests;
    }
    let above = (resident(&process) - idle) / 1024.0 / 1024.0;
    SERVICE.measured(Spread::of([above]))
}

/// Stores a million idempotency records, and prints the bytes of one.
pub(crate) fn keep_records() {
    let config = ServiceConfig::builder()
        // The ledger is not measured here.
        .ledger_capacity(1)
        .build()
        .expect("legal");
    let (router, _) = host::router(&config, server::with_room_for(MAX_CAPACITY, 1));
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

/// The bytes of a process that are in memory.
pub(crate) fn resident(process: &str) -> f64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).expect("it runs");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB"));
    let kilobytes: f64 = kilobytes.expect("Linux").parse().expect("a number");
    kilobytes * 1024.0
}
