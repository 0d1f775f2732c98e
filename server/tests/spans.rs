//! The request span, as a subscriber sees it.
//!
//! These tests have a process of their own, in which every test installs a
//! subscriber: tracing remembers for the whole process whether anybody cares for a
//! span, and a test without a subscriber could win that race.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::slice;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Body;
use host::telemetry::{REQUEST_SPAN, REQUEST_SPAN_FIELDS, SPAN_TARGET};
use host::{ServiceConfig, ServiceConfigBuilder, router};
use http::Request;
use server::TeachingApi;
use tower::ServiceExt;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Span, Subscriber, subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::registry;

const TRACEPARENT: (&str, &str) = (
    "traceparent",
    "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
);

fn service() -> Router {
    serving(ServiceConfig::builder())
}

fn serving(config: ServiceConfigBuilder) -> Router {
    router(&config.build().unwrap(), server::lessons(1)).0
}

async fn send(service: &Router, method: &str, uri: &str, headers: &[(&str, &str)]) {
    let mut request = Request::builder().method(method).uri(uri);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(Body::from("SECRET")).unwrap();
    service.clone().oneshot(request).await.unwrap();
}

type Fields = BTreeMap<&'static str, String>;

/// Keeps the fields of every span of the service.
#[derive(Clone, Default)]
struct Spans(Arc<Mutex<Vec<(Id, Fields)>>>);

impl Spans {
    fn recorded(&self) -> Vec<Fields> {
        let spans = self.0.lock().unwrap();
        spans.iter().map(|(_, fields)| fields.clone()).collect()
    }
}

struct Collect<'a>(&'a mut Fields);

impl Visit for Collect<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name(), value.to_owned());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name(), format!("{value:?}"));
    }
}

impl<S: Subscriber> Layer<S> for Spans {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, _: Context<'_, S>) {
        assert_eq!(attributes.metadata().target(), SPAN_TARGET);
        assert_eq!(attributes.metadata().name(), REQUEST_SPAN);
        let mut fields = Fields::new();
        attributes.record(&mut Collect(&mut fields));
        self.0.lock().unwrap().push((id.clone(), fields));
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, _: Context<'_, S>) {
        let mut spans = self.0.lock().unwrap();
        let mut newest = spans.iter_mut().rev();
        let (_, fields) = newest.find(|(known, _)| known == id).unwrap();
        values.record(&mut Collect(fields));
    }
}

#[tokio::test]
async fn the_span_of_a_request_holds_the_vocabulary_and_nothing_else() {
    let spans = Spans::default();
    let _tracing = subscriber::set_default(registry().with(spans.clone()));
    let headers = [
        TRACEPARENT,
        ("x-request-id", "caller-1"),
        ("host", "127.0.0.1:8765"),
        ("idempotency-key", "SECRET"),
    ];

    send(&service(), "GET", "/flaky?cursor=SECRET", &headers).await;

    let expected = Fields::from(
        [
            ("otel.name", "GET /flaky"),
            ("otel.kind", "server"),
            ("otel.status_code", "ERROR"),
            ("http.request.method", "GET"),
            ("http.route", "/flaky"),
            ("http.response.status_code", "503"),
            ("url.scheme", "http"),
            ("server.address", "127.0.0.1"),
            ("server.port", "8765"),
            ("error.type", "503"),
            ("lab.request_id", "caller-1"),
            ("lab.fault", "flaky"),
            ("trace_id", "0af7651916cd43dd8448eb211c80319c"),
            ("parent_span_id", "b7ad6b7169203331"),
        ]
        .map(|(name, value)| (name, value.to_owned())),
    );
    assert_eq!(spans.recorded(), slice::from_ref(&expected));
    assert!(
        REQUEST_SPAN_FIELDS
            .iter()
            .all(|field| expected.contains_key(field))
    );
    assert_eq!(REQUEST_SPAN_FIELDS.len(), expected.len());
}

#[tokio::test]
async fn what_is_unknown_is_absent_or_other() {
    let spans = Spans::default();
    let _tracing = subscriber::set_default(registry().with(spans.clone()));

    let headers = [("host", "SECRET.example")];
    send(&service(), "BREW", "/SECRET", &headers).await;

    let span = &spans.recorded()[0];
    assert_eq!(span["otel.name"], "HTTP");
    assert_eq!(span["http.request.method"], "_OTHER");
    for absent in [
        "http.route",
        "lab.fault",
        "error.type",
        "server.address",
        "trace_id",
        "parent_span_id",
        "otel.status_code",
    ] {
        assert!(!span.contains_key(absent), "{absent} is in {span:?}");
    }
}

#[tokio::test]
async fn the_hook_sees_the_headers_before_the_span_is_entered() {
    let _tracing = subscriber::set_default(registry());
    let seen = Arc::new(Mutex::new(Vec::new()));
    let hook = Arc::clone(&seen);
    let config = ServiceConfig::builder().on_request_span(move |span, headers| {
        let is_entered = Span::current().id() == span.id();
        hook.lock()
            .unwrap()
            .push((is_entered, headers.contains_key("traceparent")));
    });
    let service = serving(config);

    send(&service, "GET", "/items", &[TRACEPARENT]).await;

    assert_eq!(*seen.lock().unwrap(), [(false, true)]);
}

#[tokio::test]
async fn a_scrape_opens_no_span() {
    let spans = Spans::default();
    let _tracing = subscriber::set_default(registry().with(spans.clone()));

    send(&service(), "GET", "/metrics", &[]).await;

    assert!(spans.recorded().is_empty());
}

#[tokio::test]
async fn spans_go_to_the_dispatcher_that_was_current_at_start() {
    let spans = Spans::default();
    let service = {
        let _tracing = subscriber::set_default(registry().with(spans.clone()));
        TeachingApi::start(ServiceConfig::builder().port(0).build().unwrap()).unwrap()
    };

    let mut stream = TcpStream::connect(service.local_addr()).unwrap();
    stream
        .write_all(b"GET /items HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
        .unwrap();
    stream.read_to_end(&mut Vec::new()).unwrap();
    service.stop().await.unwrap();

    assert_eq!(spans.recorded()[0]["otel.name"], "GET /items");
}
