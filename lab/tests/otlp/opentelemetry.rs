//! The spans of client and service as any OpenTelemetry user gets them: through
//! `tracing-opentelemetry`, without the lab's recorder.
//!
//! Nothing global is used: the subscriber belongs to the test's thread, and the
//! propagator is called directly.

use std::{
    mem,
    sync::{Arc, Mutex},
    time::SystemTime,
};

use client::{Clock, SeededRandom, VirtualClock, teaching::ReliableApiClient};
use host::ServiceConfig;
use opentelemetry::{
    Key, Value,
    propagation::TextMapPropagator,
    trace::{SpanId, SpanKind, Status, TracerProvider},
};
use opentelemetry_http::{HeaderExtractor, HeaderInjector};
use opentelemetry_sdk::{
    error::OTelSdkResult,
    propagation::TraceContextPropagator,
    trace::{SdkTracerProvider, SpanData, SpanExporter},
};
use server::TeachingApi;
use tracing::subscriber;
use tracing_opentelemetry::OpenTelemetrySpanExt;
use tracing_subscriber::{Registry, layer::SubscriberExt};

/// Keeps the spans that have ended.
#[derive(Clone, Debug, Default)]
struct Ended(Arc<Mutex<Vec<SpanData>>>);

impl SpanExporter for Ended {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        self.0.lock().expect("no panic").extend(batch);
        Ok(())
    }
}

/// Lets a client call `/flaky` on a fresh service, and returns the spans of both
/// in the order in which they began.
async fn spans_of_flaky(max_attempts: u32) -> Vec<SpanData> {
    let exporter = Ended::default();
    let provider = SdkTracerProvider::builder()
        .with_simple_exporter(exporter.clone())
        .build();
    let layer = tracing_opentelemetry::layer().with_tracer(provider.tracer("test"));
    let _tracing = subscriber::set_default(Registry::default().with(layer));

    let config = ServiceConfig {
        on_request_span: Some(Arc::new(|span, headers| {
            let caller = TraceContextPropagator::new().extract(&HeaderExtractor(headers));
            span.set_parent(caller).expect("the span has not begun");
        })),
        ..ServiceConfig::default()
    };
    let service = TeachingApi::start(config).expect("it starts");
    let clock: Arc<dyn Clock> = Arc::new(VirtualClock::starting_at(SystemTime::UNIX_EPOCH));
    let client = ReliableApiClient::builder(&service.base_url())
        .max_attempts(max_attempts)
        .clock(clock)
        .random(Arc::new(SeededRandom::new(7)))
        .injector(Arc::new(|span, headers| {
            let mut headers = HeaderInjector(headers);
            TraceContextPropagator::new().inject_context(&span.context(), &mut headers);
        }))
        .build()
        .expect("valid");
    let _outcome = client.flaky().await;
    service.stop().await.expect("it stops");

    let mut spans = mem::take(&mut *exporter.0.lock().expect("no panic"));
    spans.sort_by_key(|span| span.start_time);
    spans
}

fn id(span: &SpanData) -> SpanId {
    span.span_context.span_id()
}

fn children(spans: &[SpanData], parent: SpanId) -> Vec<&SpanData> {
    let under = |span: &&SpanData| span.parent_span_id == parent;
    spans.iter().filter(under).collect()
}

fn attribute<'a>(span: &'a SpanData, key: &'static str) -> Option<&'a Value> {
    let mut pairs = span.attributes.iter();
    let pair = pairs.find(|pair| pair.key == Key::from_static_str(key));
    pair.map(|pair| &pair.value)
}

#[tokio::test]
async fn one_call_is_one_tree_across_the_wire() {
    let spans = spans_of_flaky(3).await;

    let [operation] = &children(&spans, SpanId::INVALID)[..] else {
        panic!("one root expected: {spans:#?}");
    };
    let calls = children(&spans, id(operation));
    let names: Vec<_> = calls.iter().map(|span| &*span.name).collect();
    let kinds: Vec<_> = calls.iter().map(|span| &span.span_kind).collect();
    assert_eq!(
        (&*operation.name, &operation.span_kind),
        ("flaky", &SpanKind::Internal)
    );
    assert_eq!(
        names,
        ["GET /flaky", "wait", "GET /flaky", "wait", "GET /flaky"]
    );
    let (client, internal) = (&SpanKind::Client, &SpanKind::Internal);
    assert_eq!(kinds, [client, internal, client, internal, client]);
    for (resend, attempt) in calls.iter().step_by(2).enumerate() {
        let count = (resend > 0).then_some(Value::I64(resend as i64));
        assert_eq!(
            attribute(attempt, "http.request.resend_count"),
            count.as_ref()
        );
        let [request] = &children(&spans, id(attempt))[..] else {
            panic!("one request expected under {attempt:#?}");
        };
        assert_eq!(
            (&*request.name, &request.span_kind),
            ("GET /flaky", &SpanKind::Server)
        );
        assert!(request.parent_span_is_remote);
    }
    assert_eq!(spans.len(), 1 + 5 + 3);
    for span in &spans {
        let trace = span.span_context.trace_id();
        assert_eq!(trace, operation.span_context.trace_id(), "{}", span.name);
    }
}

#[tokio::test]
async fn only_failed_spans_have_a_status() {
    for (max_attempts, failures) in [(3, 2), (2, 2)] {
        let spans = spans_of_flaky(max_attempts).await;

        let of_kind = |kind: SpanKind| -> Vec<_> {
            let spans = spans.iter().filter(move |span| span.span_kind == kind);
            spans.map(|span| span.status.clone()).collect()
        };
        let mut expected = vec![Status::error(""); failures];
        expected.resize(max_attempts as usize, Status::Unset);
        assert_eq!(of_kind(SpanKind::Client), expected);
        assert_eq!(of_kind(SpanKind::Server), expected);
        let operation = spans.iter().find(|span| span.name == "flaky");
        assert_eq!(operation.map(|span| &span.status), expected.last());
    }
}
