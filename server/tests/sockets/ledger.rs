//! The ledger's records of real connections.

use std::io::{Read, Write};
use std::net::Shutdown;
use std::thread;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::{Router, routing};
use host::{ConnectionBounds, RunningService, ServiceConfig};
use http::HeaderMap;
use http_body_util::BodyExt;
use testkit::http::{exchange, get, request};
use wire::{ClosedBy, WireConnection, WireRecord};

use crate::sockets::{connect, serve, start};

const HOLDS_WITHIN: Duration = Duration::from_secs(20);

/// The ledger as soon as this holds of it.
fn once(service: &RunningService, holds: impl Fn(&WireRecord) -> bool) -> WireRecord {
    let begun = Instant::now();
    loop {
        let ledger = service.ledger();
        if holds(&ledger) {
            return ledger;
        }
        assert!(begun.elapsed() < HOLDS_WITHIN, "{ledger:?}");
        thread::yield_now();
    }
}

fn closed_by(connection: &WireConnection) -> Option<ClosedBy> {
    connection.closed.map(|end| end.by)
}

/// Who closed the one connection of this service.
fn closer_of(service: &RunningService) -> Option<ClosedBy> {
    let ledger = once(service, |ledger| {
        let first = ledger.connections.first();
        first.is_some_and(|connection| connection.closed.is_some())
    });
    closed_by(&ledger.connections[0])
}

#[test]
fn a_request_names_its_connection_its_place_on_it_and_its_version() {
    let service = start(ServiceConfig::default());
    let (one, other) = (connect(&service), connect(&service));

    get(&one, "/items");
    get(&other, "/flaky");
    get(&one, "/metrics");
    exchange(&one, b"GET /redirect HTTP/1.0\r\n\r\n");

    let ledger = service.ledger();
    let entries = ledger.entries.iter();
    let requests = entries.map(|entry| {
        (
            &*entry.route,
            entry.connection,
            entry.position,
            entry.version,
        )
    });
    let expected = [
        ("/items", Some(1), Some(1), "HTTP/1.1"),
        ("/flaky", Some(2), Some(1), "HTTP/1.1"),
        ("/redirect", Some(1), Some(3), "HTTP/1.0"),
    ];
    assert_eq!(requests.collect::<Vec<_>>(), expected);
}

#[test]
fn it_is_known_who_closed_a_connection_and_after_how_many_requests() {
    let ask = request("GET", "/items", "", "");
    let last = request("GET", "/items", "connection: close\r\n", "");
    let http2 = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";
    for (sent, half_closes, by, requests) in [
        (http2, false, ClosedBy::Http2, 0),
        // Such a request is not handled, but it came.
        (&ask, true, ClosedBy::Client, 1),
        (&last, false, ClosedBy::Service, 1),
        ("no request at all\r\n\r\n", false, ClosedBy::Service, 0),
    ] {
        let service = start(ServiceConfig::default());
        let mut client = connect(&service);

        client.write_all(sent.as_bytes()).unwrap();
        if half_closes {
            client.shutdown(Shutdown::Write).unwrap();
        }

        assert_eq!(closer_of(&service), Some(by), "{sent}");
        assert_eq!(service.ledger().connections[0].requests, requests, "{sent}");
    }
}

#[test]
fn a_connection_that_is_silent_for_too_long_is_closed_by_its_bound() {
    let bounds = ConnectionBounds {
        idle: Duration::from_millis(1),
        ..ConnectionBounds::default()
    };
    let impatient = start(ServiceConfig {
        connection_bounds: bounds,
        ..ServiceConfig::default()
    });
    let _silent = connect(&impatient);

    assert_eq!(closer_of(&impatient), Some(ClosedBy::Bound));
}

#[test]
fn a_connection_without_a_request_is_known() {
    let service = start(ServiceConfig::default());

    let silent = connect(&service);
    let open = once(&service, |ledger| !ledger.connections.is_empty());
    drop(silent);

    assert_eq!(closed_by(&open.connections[0]), None);
    assert_eq!(closer_of(&service), Some(ClosedBy::Client));
    let ledger = service.ledger();
    let [connection] = &*ledger.connections else {
        panic!("{ledger:?}")
    };
    assert_eq!((connection.number, connection.requests), (1, 0));
    assert!(connection.closed.unwrap().at >= connection.opened);
    assert_eq!((ledger.total, ledger.connections_dropped), (0, 0));
}

/// So what a client did is compared with the record on one axis.
#[test]
fn the_record_counts_from_the_moment_that_the_service_names() {
    let service = start(ServiceConfig::default());

    let before = service.begun().elapsed();
    get(connect(&service), "/items");
    let arrived = service.ledger().entries[0].arrived;
    let after = service.begun().elapsed();

    let between = before..=after;
    assert!(between.contains(&arrived), "{between:?}, {arrived:?}");
}

#[test]
fn the_requests_of_a_connection_are_counted_while_it_is_open_and_after() {
    let service = start(ServiceConfig::default());
    let stream = connect(&service);
    for _ in 0..2 {
        get(&stream, "/items");
    }
    // This one stands in no ledger.
    get(&stream, "/metrics");

    let open = service.ledger().connections[0].requests;
    drop(stream);
    let closed = once(&service, |ledger| ledger.connections[0].closed.is_some());

    assert_eq!(open, 2);
    assert_eq!(closed.connections[0].requests, 3);
}

#[test]
fn a_client_that_leaves_a_response_unread_resets_its_connection() {
    let service = start(ServiceConfig::default());
    let stream = connect(&service);
    let ask = request("GET", "/items", "", "");

    (&stream).write_all(ask.as_bytes()).unwrap();
    // Closed with bytes to read, a socket is reset.
    stream.peek(&mut [0]).unwrap();
    drop(stream);

    assert_eq!(closer_of(&service), Some(ClosedBy::Reset));
}

#[tokio::test]
async fn a_stop_is_the_services_close() {
    let service = start(ServiceConfig::default());
    let ledger = service.ledger_handle();
    let _idle = connect(&service);
    once(&service, |ledger| !ledger.connections.is_empty());

    service.stop().await.unwrap();

    let connections = ledger.snapshot().connections;
    assert_eq!(closed_by(&connections[0]), Some(ClosedBy::Service));
}

#[test]
fn a_response_that_breaks_off_has_a_head_and_no_end() {
    let error = || std::future::ready(Some(Err(axum::Error::new("it breaks off"))));
    // Mapped, a body has no known length.
    let half = move || {
        Body::from("half")
            .with_trailers(error())
            .map_frame(|frame| frame)
    };
    let breaks_off = routing::get(async move || Body::new(half()));
    let service = serve(
        ServiceConfig::default(),
        Router::new().route("/breaks-off", breaks_off),
    );
    let mut stream = connect(&service);

    let ask = request("GET", "/breaks-off", "", "");
    stream.write_all(ask.as_bytes()).unwrap();
    stream.read_to_end(&mut Vec::new()).unwrap();

    assert_eq!(closer_of(&service), Some(ClosedBy::Service));
    let entry = &service.ledger().entries[0];
    assert_eq!((entry.status, entry.ended), (Some(200), None));
    assert!(entry.head.is_some());
}

#[test]
fn a_response_of_a_known_length_ends_with_its_last_byte() {
    let never = || std::future::pending::<Option<Result<HeaderMap, axum::Error>>>();
    let whole = routing::get(async move || Body::new(Body::from("whole").with_trailers(never())));
    let service = serve(
        ServiceConfig::default(),
        Router::new().route("/whole", whole),
    );

    let response = get(connect(&service), "/whole");

    assert_eq!(response.body, "whole");
    let ledger = once(&service, |ledger| ledger.entries[0].ended.is_some());
    assert!(ledger.entries[0].ended >= ledger.entries[0].head);
}
