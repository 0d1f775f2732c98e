//! Whole traces, recorded from real spans.

mod redaction;
mod tree;
mod wire;

use std::{
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use futures_util::FutureExt;
use http::HeaderMap;
use tracing::{Span as Live, field::Empty, info_span, subscriber::with_default};
use tracing_subscriber::{Registry, layer::SubscriberExt};

use super::{propagation::TRACEPARENT, *};
use crate::trace::{FieldValue, Fields, SpanContext, SpanId, SpanName, TraceId};

/// A clock that a test moves by hand.
#[derive(Clone, Default)]
struct Hand(Arc<AtomicU64>);

impl Hand {
    fn to(&self, millis: u64) {
        self.0.store(millis, Ordering::Relaxed);
    }

    fn recorder(&self, seed: u64) -> Recorder {
        let millis = Arc::clone(&self.0);
        let now = move || Duration::from_millis(millis.load(Ordering::Relaxed));
        Recorder::new(Arc::new(now), seed, Recorder::SPANS)
    }
}

fn recorder() -> Recorder {
    Hand::default().recorder(7)
}

/// Runs `story` with `recorder` listening.
fn listen<T>(recorder: &Recorder, story: impl FnOnce() -> T) -> T {
    with_default(Registry::default().with(recorder.clone()), story)
}

fn operation() -> Live {
    info_span!(
        target: "client",
        "operation",
        reliable_api_client.endpoint = "flaky",
        reliable_api_client.attempts = Empty,
        reliable_api_client.outcome = Empty,
    )
}

fn attempt() -> Live {
    info_span!(
        target: "client",
        "attempt",
        http.request.method = "GET",
        http.response.status_code = Empty,
        error.type = Empty,
    )
}

fn request(context: Option<SpanContext>) -> Live {
    info_span!(
        target: "server",
        "request",
        http.route = "/flaky",
        trace_id = context.map(|context| context.trace_id.to_string()),
        parent_span_id = context.map(|context| context.span_id.to_string()),
    )
}
