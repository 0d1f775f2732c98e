use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use axum::body::Body;
use axum::routing::get;
use axum::{Extension, Router};
use http::Request;
use http::header::RETRY_AFTER;
use http_body_util::BodyExt;

use crate::testing::{JSON, Service, percent_encode};
use host::{ConnectionFault, FaultLabel, NextCursor, ServiceConfig};
use wire::{BodyState, Clock, IssuedCursor, JobResult, RecordedHeader, RetryAfter, UnusableValue};

const TRACEPARENT: (&str, &str) = (
    "traceparent",
    "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
);

/// A clock that moves by `advance`, and by so many seconds with each reading.
#[derive(Debug, Clone, Default)]
struct ManualClock {
    now: Arc<AtomicU64>,
    step: u64,
}

impl ManualClock {
    fn advance(&self, seconds: u64) {
        self.now.fetch_add(seconds, Ordering::Relaxed);
    }
}

/// A configuration with this clock.
fn on(clock: &ManualClock) -> ServiceConfig {
    ServiceConfig {
        clock: Arc::new(clock.clone()),
        ..ServiceConfig::default()
    }
}

impl Clock for ManualClock {
    fn monotonic(&self) -> Duration {
        self.advance(self.step);
        Duration::from_secs(self.now.load(Ordering::Relaxed))
    }

    fn wall(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH + self.monotonic()
    }
}

#[tokio::test]
async fn an_entry_holds_what_the_wire_saw_and_no_value() {
    let service = Service::new();
    let cursor = percent_encode(&service.get("/items").await.next_cursor());
    let headers = [
        TRACEPARENT,
        JSON,
        ("accept", "text/html, */*"),
        ("authorization", "SECRET"),
        ("idempotency-key", "SECRET"),
        ("x-request-id", "SECRET"),
    ];

    service.get(&format!("/items?cursor={cursor}")).await;
    for _ in 0..2 {
        service.post("/jobs", &headers, r#"{"a":"SECRET"}"#).await;
    }

    let ledger = service.ledger();
    let [_, page, first, replay] = &*ledger.entries else {
        panic!("{ledger:?}")
    };
    assert!(page.cursor.is_some() && page.body.is_none() && page.idempotency_key.is_none());
    assert_eq!(page.body_state, BodyState::Empty);
    assert!(page.content_type.is_none() && !page.authorization);
    assert_eq!((first.seq, first.status), (3, Some(201)));
    assert_eq!((first.method, &*first.route), ("POST", "/jobs"));
    assert!(first.body.is_some() && first.idempotency_key.is_some());
    assert_eq!(first.body, replay.body);
    assert_eq!(first.idempotency_key, replay.idempotency_key);
    let trace_id = first.trace_id.as_deref();
    assert_eq!(trace_id, Some("0af7651916cd43dd8448eb211c80319c"));
    assert_ne!(first.request_id, replay.request_id);
    assert_eq!(first.body_state, BodyState::Complete);
    assert!(first.authorization);
    let headers = [&first.accept, &first.content_type];
    let values = headers.map(|header| header.as_ref().and_then(RecordedHeader::value));
    assert_eq!(values, [Some("text/html, */*"), Some("application/json")]);
    let position = (first.connection, first.position);
    assert_eq!(position, (None, None), "it was called as a function");
    assert!(!format!("{ledger:?}").contains("SECRET"));
}

#[tokio::test]
async fn a_cursor_that_is_sent_is_the_one_that_was_issued() {
    let service = Service::new();

    for path in ["/items", "/looping-items", "/endless-items"] {
        let first = service.get(path).await.next_cursor();
        service.page(path, &first).await;
    }
    service.get("/bad-items").await;
    service.get("/bad-cursor").await;
    service.get("/flaky").await;

    let entries = service.ledger().entries;
    for pages in entries.chunks(2).take(3) {
        let sent = pages[1].cursor.map(IssuedCursor::Hash);
        assert!(sent.is_some(), "{pages:?}");
        assert_eq!(pages[0].cursor_issued, sent, "{pages:?}");
        assert_ne!(pages[1].cursor_issued, sent, "{pages:?}");
    }
    assert_eq!(entries[1].cursor_issued, Some(IssuedCursor::Null));
    let of_bad_items = entries[6].cursor_issued;
    assert_eq!(of_bad_items, Some(IssuedCursor::Null));
    assert_eq!(entries[7].cursor_issued, None, "a number is no cursor");
    assert_eq!(entries[8].cursor_issued, None, "/flaky is no listing");
}

#[tokio::test]
async fn an_added_route_says_what_it_served_in_the_same_way() {
    let said = (
        Extension(FaultLabel("of_the_lab")),
        Extension(JobResult::Created),
        Extension(UnusableValue("soon")),
        Extension(NextCursor(Some("a cursor".to_owned()))),
    );
    let routes = Router::new().route("/added", get(async move || said));
    let service = Service::adding(routes, ServiceConfig::default());

    service.get("/added").await;
    service.page("/added", "a cursor").await;

    let entries = service.ledger().entries;
    assert_eq!(entries[0].fault, Some(FaultLabel("of_the_lab")));
    assert_eq!(entries[0].job, Some(JobResult::Created));
    let unusable = RetryAfter::unusable(UnusableValue("soon"));
    assert_eq!(entries[0].retry_after, Some(unusable));
    let issued = entries[0].cursor_issued.unwrap();
    assert_eq!(entries[1].cursor.map(IssuedCursor::Hash), Some(issued));
    let created = "service_jobs_total{result=\"created\"} 2";
    service.assert_counts(&[created]).await;
}

#[tokio::test]
async fn a_response_that_is_withheld_is_entered_as_none() {
    let lost = (
        Extension(ConnectionFault::Close),
        Extension(FaultLabel("response_lost")),
        Extension(JobResult::Created),
    );
    let routes = Router::new().route("/lost", get(async move || lost));
    let service = Service::adding(routes, ServiceConfig::default());

    service.get("/lost").await;

    let entry = &service.ledger().entries[0];
    assert_eq!((entry.status, entry.head, entry.ended), (None, None, None));
    assert_eq!(entry.fault, Some(FaultLabel("response_lost")));
    assert_eq!(entry.job, Some(JobResult::Created));
    assert_eq!(service.ledger().routes["/lost"].responses, 0);
}

#[tokio::test]
async fn a_response_has_a_head_on_both_clocks_and_an_end() {
    let clock = ManualClock::default();
    clock.advance(1_000);
    let (working, sending) = (clock.clone(), clock.clone());
    let slow = get(async move || {
        working.advance(10);
        let body = Body::from("body").map_frame(move |frame| {
            sending.advance(5);
            frame
        });
        Body::new(body)
    });
    let routes = Router::new().route("/slow", slow);
    let service = Service::adding(routes, on(&clock));

    service.get("/slow").await;
    service.head("/slow").await;
    service.get("/no-content").await;

    let [get, head, empty] = &*service.ledger().entries else {
        panic!("{:?}", service.ledger())
    };
    let seconds = |seconds| Some(Duration::from_secs(seconds));
    assert_eq!((get.head, get.ended), (seconds(10), seconds(15)));
    assert_eq!((head.head, head.ended), (seconds(25), seconds(25)));
    assert_eq!(empty.ended, seconds(25));
}

#[tokio::test]
async fn a_response_that_nobody_reads_to_its_end_has_none() {
    let service = Service::new();

    let response = service.respond(Request::get("/items").body(Body::empty()).unwrap());
    drop(response.await);

    let entry = &service.ledger().entries[0];
    assert_eq!((entry.status, entry.ended), (Some(200), None));
}

#[tokio::test]
async fn a_body_that_no_handler_reads_is_unread() {
    let service = Service::new();

    service.request("GET", "/items", &[], "a body").await;

    let entry = &service.ledger().entries[0];
    assert_eq!((entry.body_state, entry.body), (BodyState::Unread, None));
}

#[tokio::test]
async fn without_a_trace_or_a_key_only_one_call_can_be_early() {
    let [known, unknown] = [true, false].map(|one_call| {
        Service::with(ServiceConfig {
            one_call,
            ..on(&ManualClock::default())
        })
    });

    for service in [&known, &unknown] {
        service.get("/retry-later").await;
        service.get("/retry-later").await;
        service.get("/items").await;
    }

    let early = |service: &Service| -> Vec<_> {
        let entries = service.ledger().entries;
        entries.iter().map(|entry| entry.early).collect()
    };
    let wait = Some(Duration::from_secs(120));
    assert_eq!(early(&known), [None, wait, None]);
    assert_eq!(early(&unknown), [None; 3]);
}

#[tokio::test]
async fn a_retry_within_the_wait_is_early_and_one_after_it_is_not() {
    let clock = ManualClock::default();
    let service = Service::with(on(&clock));
    let retry = || service.request("GET", "/retry-later", &[TRACEPARENT], "");

    retry().await;
    clock.advance(100);
    retry().await;
    clock.advance(120);
    retry().await;

    let ledger = service.ledger();
    let early: Vec<_> = ledger.entries.iter().map(|entry| entry.early).collect();
    assert_eq!(early, [None, Some(Duration::from_secs(20)), None]);
    assert_eq!(ledger.routes["/retry-later"].early, 1);
    assert_eq!(ledger.entries[1].arrived, Duration::from_secs(100));
    let wait = RetryAfter::seconds(Duration::from_secs(120));
    assert_eq!(ledger.entries[1].retry_after, Some(wait));
    let early = "service_early_retries_total{route=\"/retry-later\"} 1";
    service.assert_counts(&[early]).await;
}

#[tokio::test]
async fn a_retry_after_date_is_measured_on_the_services_wall_clock() {
    let clock = ManualClock::default();
    let date = httpdate::fmt_http_date(SystemTime::UNIX_EPOCH + Duration::from_secs(30));
    let dated = get(async move || ([(RETRY_AFTER, date)], http::StatusCode::SERVICE_UNAVAILABLE));
    let routes = Router::new().route("/dated", dated);
    let service = Service::adding(routes, on(&clock));

    service.request("GET", "/dated", &[TRACEPARENT], "").await;
    clock.advance(29);
    service.request("GET", "/dated", &[TRACEPARENT], "").await;

    let entries = service.ledger().entries;
    let wait = Duration::from_secs(30);
    assert_eq!(entries[0].retry_after, Some(RetryAfter::date(wait)));
    assert_eq!(entries[1].early, Some(Duration::from_secs(1)));
}

#[tokio::test]
async fn a_date_that_is_kept_to_exactly_is_not_early() {
    let clock = ManualClock {
        step: 1,
        ..ManualClock::default()
    };
    let due = Duration::from_secs(100);
    let date = httpdate::fmt_http_date(SystemTime::UNIX_EPOCH + due);
    let routes = Router::new().route("/dated", get(async move || [(RETRY_AFTER, date)]));
    let service = Service::adding(routes, on(&clock));

    service.request("GET", "/dated", &[TRACEPARENT], "").await;
    // The reading at its arrival makes it due.
    clock.now.store(due.as_secs() - 1, Ordering::Relaxed);
    service.request("GET", "/dated", &[TRACEPARENT], "").await;

    assert_eq!(service.ledger().entries[1].early, None);
}

#[tokio::test]
async fn a_request_that_is_given_up_stays_in_the_ledger_without_a_status() {
    let never = Router::new().route("/never", get(std::future::pending::<()>));
    let service = Service::adding(never, ServiceConfig::default());

    let active = "http_server_active_requests{http_request_method=\"GET\"}";
    let [during, after] = [1, 0].map(|count| format!("{active} {count}"));
    let during = [&*during];
    tokio::select! {
        biased;
        _ = service.get("/never") => unreachable!(),
        () = service.assert_counts(&during) => {}
    }

    service.assert_counts(&[&after]).await;
    let ledger = service.ledger();
    assert_eq!(ledger.entries[0].status, None);
    let totals = ledger.routes["/never"];
    assert_eq!((totals.requests, totals.responses), (1, 0));
}

#[tokio::test]
async fn responses_are_counted_by_method_route_and_status_and_by_no_other_service() {
    let (service, other) = (Service::new(), Service::new());

    service.get("/flaky").await;
    service.get("/nowhere").await;
    service.get("/nowhere/else").await;

    let count = "http_server_request_duration_seconds_count{http_request_method=\"GET\",http_route";
    let flaky = format!("{count}=\"/flaky\",http_response_status_code=\"503\"}} 1");
    let nowhere = format!("{count}=\"other\",http_response_status_code=\"404\"}} 2");
    let fault = "service_faults_total{fault=\"flaky\"} 1";
    service.assert_counts(&[&flaky, &nowhere, fault]).await;
    let no_fault = "service_faults_total{fault=\"flaky\"} 0";
    other.assert_counts(&[no_fault]).await;
    assert_eq!(other.get("/flaky").await.status, 503);
    assert_eq!(other.get("/flaky").await.status, 503);
    assert_eq!((service.ledger().total, other.ledger().total), (3, 2));
}

#[tokio::test]
async fn a_scrape_is_neither_counted_nor_entered() {
    let service = Service::new();

    let first = service.get("/metrics").await.text();
    let second = service.get("/metrics").await.text();

    // All but what the process says of itself, which goes on living between the two.
    let counted = |scrape: &str| -> Vec<String> {
        let lines = scrape.lines().map(str::to_owned);
        let mut lines: Vec<_> = lines.filter(|line| !line.starts_with("process_")).collect();
        // The exporter lists its series in any order.
        lines.sort();
        lines
    };
    assert!(!counted(&first).is_empty());
    assert_eq!(counted(&first), counted(&second));
    assert_eq!(service.ledger().total, 0);
}
