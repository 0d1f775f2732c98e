//! Requests and their responses.

use std::io::{ErrorKind, Read, Write};
use std::net::Shutdown;
use std::sync::Barrier;
use std::thread;

use axum::routing;
use axum::{Extension, Router};
use host::{ConnectionFault, HeaderCase, RunningService, ServiceConfig};
use testkit::http::{Response, exchange, get, raw, read_response, request};
use wire::BodyState;

use crate::sockets::{connect, serve, start};

#[test]
fn a_hundred_concurrent_submissions_create_one_job() {
    let service = start(ServiceConfig::default());
    let together = Barrier::new(100);

    let submit = || {
        let stream = connect(&service);
        together.wait();
        exchange(stream, submission("k", "{\"a\":1}"))
    };

    let responses: Vec<_> = thread::scope(|scope| {
        let threads = [(); 100].map(|()| scope.spawn(submit));
        threads.map(|thread| thread.join().unwrap()).into()
    });

    let is_new = |it: &&Response| it.header("idempotency-replayed").is_none();
    assert_eq!(responses.iter().filter(is_new).count(), 1);
    let first = &responses[0].body;
    for Response { status, body, .. } in &responses {
        assert_eq!((*status, body), (201, first), "{responses:?}");
    }
    let scrape = get(connect(&service), "/metrics").body;
    for line in [
        "service_jobs_total{result=\"created\"} 1",
        "service_jobs_total{result=\"replayed\"} 99",
    ] {
        assert!(scrape.contains(line), "{line} is not in\n{scrape}");
    }
}

#[test]
fn a_refused_body_does_not_cost_the_response() {
    let service = start(ServiceConfig::default());
    let chunk = "10000\r\n".to_owned() + &"x".repeat(0x10000) + "\r\n";
    let in_chunks = format!(
        "POST /jobs HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\
         content-type: application/json\r\nidempotency-key: k\r\n\r\n{}0\r\n\r\n",
        chunk.repeat(8)
    );

    for request in [submission("k", &"x".repeat(500_000)), in_chunks] {
        let mut stream = connect(&service);
        let too_large = exchange(&stream, request);
        let end = stream.read_to_end(&mut Vec::new());

        assert_eq!(too_large.status, 413, "{too_large:?}");
        assert_eq!(too_large.header("connection"), Some("close"));
        assert_eq!(end.expect("an end in good order"), 0);
    }
}

#[test]
fn a_body_that_is_announced_as_too_large_is_not_waited_for() {
    let service = start(ServiceConfig::default());
    let head = |length: u32, expect: &str| {
        format!(
            "POST /jobs HTTP/1.1\r\nhost: localhost\r\ncontent-length: {length}\r\n{expect}\
             content-type: application/json\r\nidempotency-key: k\r\n\r\n"
        )
    };
    let expect = "expect: 100-continue\r\n";

    for too_large in [head(65_537, ""), head(65_537, expect), head(u32::MAX, "")] {
        let refused = exchange(connect(&service), &too_large);

        assert_eq!(refused.status, 413, "{too_large}");
        assert!(refused.body.contains("\"code\":\"payload_too_large\""));
    }
    // Another rule that is broken as well comes first, and the body is no less unread.
    let as_text = head(65_537, expect).replace("application/json", "text/plain");
    let refused = exchange(connect(&service), as_text);
    assert_eq!(refused.status, 415);
    assert_eq!(refused.header("connection"), Some("close"));
    let stream = connect(&service);
    let asked_for = exchange(&stream, head(2, expect));
    let created = exchange(&stream, b"{}");
    assert_eq!((asked_for.status, created.status), (100, 201));
}

#[test]
fn a_request_that_breaks_off_gets_no_response_and_is_no_submission() {
    let service = start(ServiceConfig::default());
    let stream = connect(&service);
    let whole = submission("k", "{\"a\":1}");
    (&stream)
        .write_all(&whole.as_bytes()[..whole.len() - 1])
        .unwrap();
    let in_flight = "http_server_active_requests{http_request_method=\"POST\"} 1";
    while !get(connect(&service), "/metrics").body.contains(in_flight) {}

    drop(stream);
    while get(connect(&service), "/metrics").body.contains(in_flight) {}

    assert_nothing_counts_as_a_response(&service);
}

#[test]
fn a_client_that_still_reads_learns_that_its_body_broke_off() {
    let service = start(ServiceConfig::default());
    // Neither the missing key nor the JSON, which is none yet, is what is wrong.
    for headers in ["", "content-type: application/json\r\n"] {
        let stream = connect(&service);
        let whole = request("POST", "/jobs", headers, "{\"a\":1}");

        (&stream)
            .write_all(&whole.as_bytes()[..whole.len() - 1])
            .unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        let response = read_response(&stream);

        assert_eq!(response.status, 400);
        assert!(
            response.body.contains("\"code\":\"incomplete_body\""),
            "{response:?}"
        );
    }
    assert_nothing_counts_as_a_response(&service);
}

/// No request counts as having a response, and no job as submitted.
fn assert_nothing_counts_as_a_response(service: &RunningService) {
    let ledger = service.ledger();
    for entry in &ledger.entries {
        assert_eq!((entry.status, entry.body), (None, None), "{entry:?}");
        assert_eq!(entry.body_state, BodyState::Broken, "{entry:?}");
    }
    assert_eq!(ledger.routes["/jobs"].responses, 0, "{ledger:?}");
    let scrape = get(connect(service), "/metrics").body;
    let counted = scrape.lines().filter(|line| {
        let is_count = line.starts_with("http_server_request_duration_seconds_count")
            || line.starts_with("service_jobs_total");
        is_count && !line.ends_with(" 0")
    });
    assert_eq!(counted.collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn no_web_site_moves_a_lesson() {
    let service = start(ServiceConfig::default());
    let ask = |head: String| exchange(connect(&service), head + "\r\n\r\n");
    let before = get(connect(&service), "/metrics").body;
    let site = "host: localhost\r\nsec-fetch-site: cross-site";
    let rebound = "host: evil.example\r\nsec-fetch-site: same-origin";

    for method in ["GET", "PUT", "POST", "OPTIONS"] {
        for path in ["/flaky", "/jobs", "/metrics", "/nowhere"] {
            let cross_site = ask(format!("{method} {path} HTTP/1.1\r\n{site}"));
            let misdirected = ask(format!("{method} {path} HTTP/1.1\r\n{rebound}"));

            let statuses = (cross_site.status, misdirected.status);
            assert_eq!(statuses, (403, 421), "{method} {path}");
        }
    }
    let after = get(connect(&service), "/metrics").body;
    let first = get(connect(&service), "/flaky");

    assert_eq!(of_requests(&after), of_requests(&before));
    let ledger = service.ledger();
    assert_eq!((first.status, ledger.total), (503, 1));
    let refused = ledger.refused.iter();
    let refused: Vec<_> = refused.map(|of| (of.code, of.requests)).collect();
    assert_eq!(refused, [("cross_site", 16), ("host_not_allowed", 16)]);
}

/// The samples of a scrape that only requests move which were not refused.
fn of_requests(scrape: &str) -> Vec<&str> {
    let of_others =
        |line: &&str| !line.starts_with("process_") && !line.contains("http_route=\"refused\"");
    let mut lines: Vec<_> = scrape.lines().filter(of_others).collect();
    lines.sort_unstable();
    lines
}

/// The bytes of a job submission.
fn submission(key: &str, body: &str) -> String {
    let headers = format!("content-type: application/json\r\nidempotency-key: {key}\r\n");
    request("POST", "/jobs", &headers, body)
}

#[test]
fn the_letter_case_of_header_names_can_be_chosen() {
    for (case, name) in [
        (HeaderCase::Lower, "\r\nretry-after: 120\r\n"),
        (HeaderCase::Title, "\r\nRetry-After: 120\r\n"),
    ] {
        let service = start(ServiceConfig {
            header_case: case,
            ..ServiceConfig::default()
        });

        let ask = request("GET", "/retry-later", "connection: close\r\n", "");
        let came = raw(service.local_addr(), &ask);

        assert!(came.contains(name), "{came}");
    }
}

#[test]
fn a_connection_can_be_closed_or_reset_in_place_of_a_response() {
    for (fault, expected) in [
        (ConnectionFault::Close, Ok(0)),
        (ConnectionFault::Reset, Err(ErrorKind::ConnectionReset)),
    ] {
        let route = routing::get(async move || Extension(fault));
        let routes = Router::new().route("/", route);
        let service = serve(ServiceConfig::default(), routes);
        let mut stream = connect(&service);

        let ask = request("GET", "/", "", "");
        stream.write_all(ask.as_bytes()).unwrap();
        let end = stream.read_to_end(&mut Vec::new());

        assert_eq!(end.map_err(|error| error.kind()), expected, "{fault:?}");
    }
}
