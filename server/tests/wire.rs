//! What only a real connection can show.

mod support;

use std::net::{SocketAddr, TcpStream};
use std::sync::Barrier;
use std::thread;

use server::{RunningApi, ServiceConfig, TeachingApi};
use support::{Answer, exchange, request};

fn start() -> RunningApi {
    TeachingApi::start(ServiceConfig::builder().port(0).build().unwrap()).unwrap()
}

#[test]
fn a_hundred_concurrent_submissions_create_one_job() {
    let service = start();
    let address = service.local_addr();
    let together = Barrier::new(100);

    let answers: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..100)
            .map(|_| {
                scope.spawn(|| {
                    let stream = TcpStream::connect(address).unwrap();
                    together.wait();
                    exchange(&stream, submission("k", "{\"a\":1}").as_bytes())
                })
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });

    let created = answers
        .iter()
        .filter(|answer| answer.header("idempotency-replayed").is_none());
    assert_eq!(created.count(), 1);
    for answer in &answers {
        assert_eq!(
            (answer.status, &answer.body),
            (201, &answers[0].body),
            "{answers:?}"
        );
    }
    let scrape = get(address, "/metrics").body;
    for line in [
        "service_jobs_total{result=\"created\"} 1",
        "service_jobs_total{result=\"replayed\"} 99",
    ] {
        assert!(scrape.contains(line), "{line} is not in\n{scrape}");
    }
}

#[test]
fn a_refused_body_does_not_cost_the_answer() {
    let service = start();
    let body = "x".repeat(500_000);

    let stream = TcpStream::connect(service.local_addr()).unwrap();
    let too_large = exchange(&stream, submission("k", &body).as_bytes());
    let next = exchange(&stream, submission("k", "{}").as_bytes());

    assert_eq!(too_large.status, 413, "{too_large:?}");
    assert_eq!(next.status, 201, "the connection is still good");
}

#[test]
fn a_204_has_no_body_and_no_length() {
    let service = start();

    let answer = get(service.local_addr(), "/no-content");

    assert_eq!(answer.status, 204);
    assert_eq!(answer.header("content-length"), None);
    assert_eq!(answer.header("transfer-encoding"), None);
    assert_eq!(answer.header("content-type"), None);
}

#[test]
fn metrics_are_prometheus_text() {
    let service = start();

    let answer = get(service.local_addr(), "/metrics");

    assert_eq!(
        answer.header("content-type"),
        Some("text/plain; version=0.0.4; charset=utf-8")
    );
    for metric in server::telemetry::METRICS {
        assert!(
            answer
                .body
                .contains(&format!("# HELP {} {}\n", metric.name, metric.question))
        );
        assert!(
            answer.body.contains(&format!("\n{}", metric.name)),
            "{} has no series",
            metric.name
        );
    }
}

/// One request on a connection of its own.
fn get(address: SocketAddr, path: &str) -> Answer {
    let stream = TcpStream::connect(address).unwrap();
    exchange(&stream, request("GET", path, "", "").as_bytes())
}

/// The bytes of a job submission.
fn submission(key: &str, body: &str) -> String {
    let headers = format!("content-type: application/json\r\nidempotency-key: {key}\r\n");
    request("POST", "/jobs", &headers, body)
}
