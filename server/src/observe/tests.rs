use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use axum::Router;
use axum::routing::get;
use http::header::RETRY_AFTER;

use crate::clock::Clock;
use crate::config::ServiceConfig;
use crate::testing::{Service, percent_encode};

const TRACEPARENT: (&str, &str) = (
    "traceparent",
    "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
);

/// A clock that moves when it is told to.
#[derive(Debug, Clone, Default)]
struct ManualClock(Arc<AtomicU64>);

impl ManualClock {
    fn advance(&self, seconds: u64) {
        self.0.fetch_add(seconds, Ordering::Relaxed);
    }
}

impl Clock for ManualClock {
    fn monotonic(&self) -> Duration {
        Duration::from_secs(self.0.load(Ordering::Relaxed))
    }

    fn wall(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH + self.monotonic()
    }
}

#[tokio::test]
async fn what_is_unknown_is_entered_as_other() {
    let service = Service::new();

    service.request("BREW", "/SECRET", &[], "").await;

    let entry = &service.ledger().entries[0];
    assert_eq!((entry.method, &*entry.route), ("_OTHER", "other"));
}

#[tokio::test]
async fn an_entry_holds_what_the_wire_saw_and_no_value() {
    let service = Service::new();
    let cursor = percent_encode(&service.get("/items").await.next_cursor());
    let json = ("content-type", "application/json");
    let headers = [
        TRACEPARENT,
        json,
        ("idempotency-key", "SECRET"),
        ("x-request-id", "id-1"),
    ];

    service.get(&format!("/items?cursor={cursor}")).await;
    service
        .request("POST", "/jobs", &headers, r#"{"a":"SECRET"}"#)
        .await;
    service
        .request("POST", "/jobs", &headers, r#"{"a":"SECRET"}"#)
        .await;

    let ledger = service.ledger();
    let [_, page, first, replay] = &*ledger.entries else {
        panic!("{ledger:?}")
    };
    assert!(page.cursor.is_some() && page.body.is_none() && page.idempotency_key.is_none());
    assert_eq!(
        (first.seq, first.method, &*first.route, first.status),
        (3, "POST", "/jobs", Some(201))
    );
    assert!(first.body.is_some() && first.idempotency_key.is_some());
    assert_eq!(
        (first.body, first.idempotency_key),
        (replay.body, replay.idempotency_key)
    );
    assert_eq!(
        first.trace_id.as_deref(),
        Some("0af7651916cd43dd8448eb211c80319c")
    );
    assert_eq!(first.request_id, "id-1");
    assert!(!serde_json::to_string(&ledger).unwrap().contains("SECRET"));
    assert!(!format!("{ledger:?}").contains("SECRET"));
}

#[tokio::test]
async fn a_retry_within_the_wait_is_early_and_one_after_it_is_not() {
    let clock = ManualClock::default();
    let service = Service::with(ServiceConfig::builder().clock(clock.clone()));
    let retry = || service.request("GET", "/retry-later", &[TRACEPARENT], "");

    retry().await;
    clock.advance(100);
    retry().await;
    clock.advance(120);
    retry().await;

    let ledger = service.ledger();
    let early: Vec<_> = ledger.entries.iter().map(|entry| entry.early).collect();
    assert_eq!(early, [None, Some(Duration::from_secs(20)), None]);
    assert_eq!(ledger.entries[1].arrived, Duration::from_secs(100));
    assert_eq!(ledger.entries[1].retry_after_seconds, Some(120));
    let scrape = service.get("/metrics").await.text();
    assert!(
        scrape.contains("service_early_retries_total{route=\"/retry-later\"} 1"),
        "{scrape}"
    );
}

#[tokio::test]
async fn a_retry_after_date_is_measured_on_the_services_wall_clock() {
    let clock = ManualClock::default();
    let date = httpdate::fmt_http_date(SystemTime::UNIX_EPOCH + Duration::from_secs(30));
    let dated = get(async move || ([(RETRY_AFTER, date)], http::StatusCode::SERVICE_UNAVAILABLE));
    let routes = Router::new().route("/dated", dated);
    let service = Service::with(ServiceConfig::builder().clock(clock.clone()).routes(routes));

    service.request("GET", "/dated", &[TRACEPARENT], "").await;
    clock.advance(29);
    service.request("GET", "/dated", &[TRACEPARENT], "").await;

    let entries = service.ledger().entries;
    assert_eq!(entries[0].retry_after_seconds, Some(30));
    assert_eq!(entries[1].early, Some(Duration::from_secs(1)));
}

#[tokio::test]
async fn a_date_that_is_kept_to_exactly_is_not_early() {
    /// A clock on which every look takes a second.
    #[derive(Debug, Clone, Default)]
    struct SlowClock(ManualClock);

    impl Clock for SlowClock {
        fn monotonic(&self) -> Duration {
            self.0.advance(1);
            self.0.monotonic()
        }

        fn wall(&self) -> SystemTime {
            SystemTime::UNIX_EPOCH + self.monotonic()
        }
    }
    let clock = SlowClock::default();
    let due = Duration::from_secs(100);
    let date = httpdate::fmt_http_date(SystemTime::UNIX_EPOCH + due);
    let routes = Router::new().route("/dated", get(async move || [(RETRY_AFTER, date)]));
    let service = Service::with(ServiceConfig::builder().clock(clock.clone()).routes(routes));

    service.request("GET", "/dated", &[TRACEPARENT], "").await;
    // The look at its arrival is the one that makes it due.
    while clock.0.monotonic() < due - Duration::from_secs(1) {
        clock.0.advance(1);
    }
    service.request("GET", "/dated", &[TRACEPARENT], "").await;

    assert_eq!(service.ledger().entries[1].early, None);
}

#[tokio::test]
async fn a_request_that_is_given_up_stays_in_the_ledger_without_a_status() {
    let never = Router::new().route("/never", get(std::future::pending::<()>));
    let service = Service::with(ServiceConfig::builder().routes(never));

    let mut request = Box::pin(service.get("/never"));
    let pending =
        std::future::poll_fn(|cx| std::task::Poll::Ready(request.as_mut().poll(cx).is_pending()))
            .await;
    let during = service.get("/metrics").await.text();
    drop(request);
    let after = service.get("/metrics").await.text();

    assert!(pending);
    let active = "http_server_active_requests{http_request_method=\"GET\"}";
    assert!(during.contains(&format!("{active} 1")), "{during}");
    assert!(after.contains(&format!("{active} 0")), "{after}");
    let ledger = service.ledger();
    assert_eq!(ledger.entries[0].status, None);
    assert_eq!(
        (
            ledger.routes["/never"].requests,
            ledger.routes["/never"].answered
        ),
        (1, 0)
    );
}

#[tokio::test]
async fn answers_are_counted_by_method_route_and_status() {
    let service = Service::new();

    service.get("/flaky").await;
    service.get("/nowhere").await;
    service.get("/nowhere/else").await;

    let scrape = service.get("/metrics").await.text();
    let count = "http_server_request_duration_seconds_count{http_request_method=\"GET\",http_route";
    for line in [
        format!("{count}=\"/flaky\",http_response_status_code=\"503\"}} 1"),
        format!("{count}=\"other\",http_response_status_code=\"404\"}} 2"),
        "service_faults_total{fault=\"flaky\"} 1".to_owned(),
    ] {
        assert!(scrape.contains(&line), "{line} is not in\n{scrape}");
    }
}

#[tokio::test]
async fn a_scrape_is_neither_counted_nor_entered() {
    let service = Service::new();

    let first = service.get("/metrics").await.text();
    let second = service.get("/metrics").await.text();

    let lines = |scrape: &str| {
        let mut lines: Vec<_> = scrape.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert_eq!(lines(&first), lines(&second));
    assert_eq!(service.ledger().total, 0);
}
