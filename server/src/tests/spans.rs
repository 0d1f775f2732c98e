//! The request span, as a subscriber sees it.

use std::io::{self, PipeReader};
use std::sync::{Arc, Mutex};

use host::telemetry::{REQUEST_SPAN, REQUEST_SPAN_FIELDS, SPAN_TARGET};
use host::{ServiceConfig, SpanHook};
use testkit::http::{connect, get};
use tracing::subscriber::{self, DefaultGuard};
use tracing::{Dispatch, Span, Subscriber};
use tracing_subscriber::fmt::format::FmtSpan;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::{fmt, registry};

use crate::TeachingApi;
use crate::testing::Service;

const TRACEPARENT: (&str, &str) = (
    "traceparent",
    "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
);

/// Sends a request with a secret as its body; the id that the service gave it.
async fn send(service: &Service, method: &str, uri: &str, headers: &[(&str, &str)]) -> String {
    let response = service.request(method, uri, headers, "SECRET").await;
    response.headers["x-request-id"]
        .to_str()
        .unwrap()
        .to_owned()
}

/// A subscriber of this thread, and of the services that it starts, until this is dropped.
struct Tracing {
    _default: DefaultGuard,
    _second: Dispatch,
}

impl Tracing {
    fn of(subscriber: impl Subscriber + Send + Sync + 'static) -> Self {
        Self {
            // With a single dispatcher in the process, tracing asks only the present thread
            // whether a span that it meets for the first time is wanted, and remembers the
            // result for all threads: a test without a subscriber could silence this one.
            _second: Dispatch::new(registry()),
            _default: subscriber::set_default(subscriber),
        }
    }
}

/// Logs each span to a pipe when it closes, until the second is dropped.
fn log() -> (PipeReader, Tracing) {
    let (reader, writer) = io::pipe().unwrap();
    let layer = fmt::layer()
        .with_writer(Arc::new(writer))
        .with_ansi(false)
        .with_level(false)
        .without_time()
        .with_span_events(FmtSpan::CLOSE);
    (reader, Tracing::of(registry().with(layer)))
}

/// The fields of the one span in a log, as it has them.
fn fields_of(log: PipeReader) -> String {
    let log = io::read_to_string(log).unwrap();
    let begin = format!("{REQUEST_SPAN}{{");
    let end = format!("}}: {SPAN_TARGET}: close\n");
    let fields = log
        .strip_prefix(&begin)
        .and_then(|rest| rest.strip_suffix(&end));
    let fields = fields.filter(|fields| !fields.contains('\n'));
    fields.expect(&log).to_owned()
}

#[tokio::test]
async fn the_span_of_a_request_holds_the_vocabulary_and_nothing_else() {
    let (log, tracing) = log();
    let headers = [
        TRACEPARENT,
        ("x-request-id", "SECRET"),
        ("host", "127.0.0.1:8765"),
        ("idempotency-key", "SECRET"),
    ];

    let id = send(&Service::new(), "GET", "/flaky?cursor=SECRET", &headers).await;

    drop(tracing);
    let id = format!(r#"lab.request_id="{id}""#);
    let expected = [
        r#"otel.name="GET /flaky""#,
        r#"otel.kind="server""#,
        r#"http.request.method="GET""#,
        r#"http.route="/flaky""#,
        r#"url.scheme="http""#,
        r#"server.address="127.0.0.1""#,
        "server.port=8765",
        &id,
        r#"trace_id="0af7651916cd43dd8448eb211c80319c""#,
        r#"parent_span_id="b7ad6b7169203331""#,
        r#"lab.fault="flaky""#,
        "http.response.status_code=503",
        r#"otel.status_code="ERROR""#,
        r#"error.type="503""#,
    ];
    assert_eq!(fields_of(log), expected.join(" "));
    let mut names = expected.map(|field| field.split('=').next().unwrap());
    let mut known = REQUEST_SPAN_FIELDS;
    names.sort_unstable();
    known.sort_unstable();
    assert_eq!(names, known);
}

#[tokio::test]
async fn what_is_unknown_is_absent_or_other() {
    let (log, tracing) = log();

    let headers = [("host", "SECRET.example")];
    send(&Service::new(), "BREW", "/SECRET", &headers).await;

    drop(tracing);
    let fields = fields_of(log);
    let begin = r#"otel.name="HTTP" otel.kind="server" http.request.method="_OTHER" "#;
    assert!(fields.starts_with(begin), "{fields}");
    for absent in [
        "http.route",
        "lab.fault",
        "error.type",
        "server.address",
        "trace_id",
        "parent_span_id",
        "otel.status_code",
    ] {
        assert!(!fields.contains(absent), "{absent} is in {fields}");
    }
}

#[tokio::test]
async fn the_hook_sees_the_headers_before_the_span_is_entered() {
    let _tracing = Tracing::of(registry());
    let seen = Arc::new(Mutex::new(Vec::new()));
    let hook = Arc::clone(&seen);
    let note: SpanHook = Arc::new(move |span, headers| {
        let is_entered = Span::current().id() == span.id();
        hook.lock()
            .unwrap()
            .push((is_entered, headers.contains_key("traceparent")));
    });
    let service = Service::with(ServiceConfig {
        on_request_span: Some(note),
        ..ServiceConfig::default()
    });

    send(&service, "GET", "/items", &[TRACEPARENT]).await;

    assert_eq!(*seen.lock().unwrap(), [(false, true)]);
}

#[tokio::test]
async fn a_scrape_opens_no_span() {
    let (log, tracing) = log();

    send(&Service::new(), "GET", "/metrics", &[]).await;

    drop(tracing);
    assert_eq!(io::read_to_string(log).unwrap(), "");
}

#[tokio::test]
async fn spans_go_to_the_dispatcher_that_was_current_at_start() {
    let (log, tracing) = log();
    let service = TeachingApi::start(ServiceConfig::default()).unwrap();
    drop(tracing);

    get(connect(service.local_addr()), "/items");
    service.stop().await.unwrap();

    let fields = fields_of(log);
    assert!(fields.starts_with(r#"otel.name="GET /items" "#), "{fields}");
}
