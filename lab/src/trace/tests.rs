//! The trace as a whole, heard through real spans.

use std::{
    num::NonZeroUsize,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use http::HeaderMap;
use tracing::{Span as Live, field::Empty, info_span, subscriber::with_default};
use tracing_subscriber::{Registry, layer::SubscriberExt};

use super::*;

/// A clock that a test moves by hand.
#[derive(Clone, Default)]
struct Hand(Arc<AtomicU64>);

impl Hand {
    fn to(&self, millis: u64) {
        self.0.store(millis, Ordering::Relaxed);
    }

    fn recorder(&self, seed: u64, limits: Limits) -> Recorder {
        let millis = Arc::clone(&self.0);
        let now = move || Duration::from_millis(millis.load(Ordering::Relaxed));
        Recorder::new(Arc::new(now), seed, limits)
    }
}

fn recorder() -> Recorder {
    Hand::default().recorder(7, Limits::default())
}

/// Runs `story` with `recorder` listening.
fn listen<T>(recorder: &Recorder, story: impl FnOnce() -> T) -> T {
    with_default(Registry::default().with(recorder.layer()), story)
}

fn operation() -> Live {
    info_span!(target: "client", "operation", endpoint = "flaky", attempts = Empty, outcome = Empty)
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

fn only(recorder: &Recorder) -> Trace {
    let mut traces = recorder.snapshot();
    assert_eq!(traces.len(), 1, "one trace expected: {traces:#?}");
    traces.remove(0)
}

#[test]
fn tells_a_call_as_a_tree_of_spans_with_the_times_of_the_run() {
    let clock = Hand::default();
    let recorder = clock.recorder(7, Limits::default());

    listen(&recorder, || {
        let _operation = operation().entered();
        clock.to(3);
        let attempt = attempt();
        clock.to(5);
        attempt.record("http.response.status_code", 503_u64);
        drop(attempt);
        clock.to(9);
    });

    let trace = only(&recorder);
    let [operation, attempt] = &trace.spans[..] else {
        panic!("two spans expected: {trace:#?}");
    };
    assert_eq!(operation.name, SpanName::Operation);
    assert_eq!(operation.parent, None);
    assert_eq!(operation.start, Duration::ZERO);
    assert_eq!(operation.end, Some(Duration::from_millis(9)));
    assert_eq!(operation.fields.text("endpoint"), Some("flaky"));
    assert_eq!(attempt.name, SpanName::Attempt);
    assert_eq!(attempt.parent, Some(operation.id));
    assert_eq!(attempt.trace_id, trace.id);
    assert_eq!(attempt.start, Duration::from_millis(3));
    assert_eq!(attempt.end, Some(Duration::from_millis(5)));
    assert_eq!(
        attempt.fields.number("http.response.status_code"),
        Some(503)
    );
}

#[test]
fn shows_a_span_while_it_is_open() {
    let clock = Hand::default();
    let recorder = clock.recorder(7, Limits::default());

    let trace = listen(&recorder, || {
        let _open = attempt();
        clock.to(40);
        only(&recorder)
    });

    assert_eq!(trace.spans[0].end, None);
    assert_eq!(trace.taken_at, Duration::from_millis(40));
}

#[test]
fn keeps_no_field_and_no_span_that_is_not_listed() {
    let recorder = recorder();

    listen(&recorder, || {
        let span = info_span!(
            target: "client",
            "attempt",
            http.request.method = "GET",
            url.full = "http://127.0.0.1/items?cursor=SECRET",
            cursor = "SECRET",
            fault = "SECRET",
            trace_id = "5ec0e75ec0e75ec0e75ec0e75ec0e700",
            server.address = Empty,
            authorization = Empty,
        );
        span.record("authorization", "Bearer SECRET");
        span.record("server.address", "127.0.0.1");
        let _other_target = info_span!(target: "hyper", "attempt", http.request.method = "SECRET");
        let _other_name = info_span!(target: "client", "body", endpoint = "SECRET");
    });

    let trace = only(&recorder);
    let fields: Vec<_> = trace.spans[0].fields.iter().map(|(name, _)| name).collect();
    assert_eq!(fields, ["http.request.method", "server.address"]);
    assert!(!format!("{trace:?}").to_lowercase().contains("secret"));
    assert!(!serde_json::to_string(&trace).unwrap().contains("5ec0e7"));
}

#[test]
fn never_formats_a_value_it_will_not_keep() {
    struct Unspeakable;
    impl std::fmt::Debug for Unspeakable {
        fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            panic!("a value off the list was formatted");
        }
    }
    let recorder = recorder();

    listen(&recorder, || {
        let _span = info_span!(target: "client", "attempt", body = ?Unspeakable);
    });

    assert_eq!(only(&recorder).spans[0].fields, Fields::default());
}

#[test]
fn holds_no_lock_while_a_value_formats_itself() {
    struct Curious(Recorder);
    impl std::fmt::Debug for Curious {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            write!(f, "{}", self.0.snapshot().len())
        }
    }
    let recorder = recorder();

    listen(&recorder, || {
        let span = info_span!(target: "client", "operation", outcome = ?Curious(recorder.clone()));
        span.record("outcome", tracing::field::debug(Curious(recorder.clone())));
    });

    assert_eq!(only(&recorder).spans[0].fields.text("outcome"), Some("1"));
}

#[test]
fn holds_no_lock_while_the_clock_is_read() {
    let asked = Arc::new(OnceLock::<Recorder>::new());
    let clock = {
        let asked = Arc::clone(&asked);
        move || Duration::from_secs(asked.get().map_or(0, |recorder| recorder.dropped().spans))
    };
    let recorder = Recorder::new(Arc::new(clock), 7, Limits::default());
    asked.set(recorder.clone()).expect("set once");

    listen(&recorder, || drop(operation()));

    assert_eq!(only(&recorder).spans[0].end, Some(Duration::ZERO));
}

#[test]
fn keeps_each_value_in_its_own_type() {
    let recorder = recorder();

    listen(&recorder, || {
        let _span = info_span!(
            target: "client",
            "wait",
            otel.name = true,
            otel.kind = -1,
            retry.reason = 503_u64,
            wait.source = "backoff",
            wait.seconds = 0.131,
        );
    });

    let trace = only(&recorder);
    let values: Vec<_> = trace.spans[0]
        .fields
        .iter()
        .map(|(_, value)| value)
        .collect();
    assert_eq!(
        values,
        [
            &FieldValue::Bool(true),
            &FieldValue::I64(-1),
            &FieldValue::U64(503),
            &FieldValue::Str("backoff".into()),
            &FieldValue::F64(0.131),
        ]
    );
}

#[test]
fn links_over_a_span_that_is_not_recorded() {
    let recorder = recorder();

    listen(&recorder, || {
        let _operation = operation().entered();
        let _between = info_span!("between").entered();
        let _attempt = attempt();
    });

    let trace = only(&recorder);
    assert_eq!(trace.spans[1].parent, Some(trace.spans[0].id));
}

#[test]
fn gathers_the_operations_of_a_run_into_one_trace() {
    let recorder = recorder();

    listen(&recorder, || {
        let _run = info_span!(target: "lab", "run", scenario = "replay").entered();
        drop(operation());
        drop(operation());
    });

    assert_eq!(only(&recorder).spans.len(), 3);
}

#[test]
fn makes_each_operation_a_trace_where_nothing_gathers_them() {
    let recorder = recorder();

    listen(&recorder, || {
        let _foreign = info_span!("main").entered();
        drop(operation());
        drop(operation());
    });

    let traces = recorder.snapshot();
    assert_eq!(traces.len(), 2);
    assert_ne!(traces[0].id, traces[1].id);
}

#[test]
fn carries_the_tree_across_the_wire() {
    let recorder = recorder();
    let mut headers = HeaderMap::new();

    listen(&recorder, || {
        let _operation = operation().entered();
        let attempt = attempt();
        inject(&recorder, &attempt, &mut headers);
        let _request = request(recorder.context(&attempt));
    });

    let trace = only(&recorder);
    let [_, attempt, request] = &trace.spans[..] else {
        panic!("three spans expected: {trace:#?}");
    };
    assert_eq!(request.name, SpanName::Request);
    assert_eq!(request.parent, Some(attempt.id));
    assert_eq!(
        headers[TRACEPARENT],
        format!("00-{}-{}-01", trace.id, attempt.id)
    );
}

#[test]
fn gives_a_foreign_client_a_trace_under_the_id_it_chose() {
    let recorder = recorder();
    let context = SpanContext {
        trace_id: TraceId::from_hex("0000000000000000000000000000abcd").unwrap(),
        span_id: SpanId::from_hex("00000000000000ef").unwrap(),
    };

    listen(&recorder, || {
        drop(request(Some(context)));
        drop(request(Some(context)));
        drop(request(None));
    });

    let traces = recorder.snapshot();
    assert_eq!(traces.len(), 2, "{traces:#?}");
    assert_eq!(traces[0].id, context.trace_id);
    assert_eq!(traces[0].roots().count(), 2);
    assert!(
        traces[0]
            .spans
            .iter()
            .all(|span| span.parent == Some(context.span_id))
    );
    assert_eq!(traces[1].spans[0].parent, None);
}

#[test]
fn ignores_a_context_that_is_only_half_valid() {
    let recorder = recorder();

    listen(&recorder, || {
        let _request = info_span!(
            target: "server",
            "request",
            trace_id = "0000000000000000000000000000abcd",
            parent_span_id = "0000000000000000",
        );
    });

    let trace = only(&recorder);
    assert_eq!(trace.spans[0].parent, None);
    assert_ne!(trace.id.to_string(), "0000000000000000000000000000abcd");
}

#[test]
fn numbers_two_runs_with_one_seed_alike() {
    let story = |seed| {
        let recorder = Hand::default().recorder(seed, Limits::default());
        listen(&recorder, || {
            let _operation = operation().entered();
            let _attempt = attempt();
        });
        recorder.snapshot()
    };

    assert_eq!(story(7), story(7));
    assert_ne!(story(7)[0].id, story(8)[0].id);
}

#[test]
fn turns_spans_away_from_a_full_trace_and_says_how_many() {
    let limits = Limits {
        spans_per_trace: NonZeroUsize::MIN,
        ..Limits::default()
    };
    let recorder = Hand::default().recorder(7, limits);

    let context = listen(&recorder, || {
        let _operation = operation().entered();
        let attempt = attempt();
        attempt.in_scope(|| drop(request(None)));
        recorder.context(&attempt)
    });

    let trace = only(&recorder);
    assert_eq!(trace.spans.len(), 1);
    assert_eq!(trace.dropped_spans, 2);
    assert_eq!(
        recorder.dropped(),
        Dropped {
            traces: 0,
            spans: 2
        }
    );
    assert_eq!(context.map(|context| context.trace_id), Some(trace.id));
}

#[test]
fn lets_the_oldest_trace_go_and_stays_right_about_the_rest() {
    let limits = Limits {
        traces: NonZeroUsize::MIN,
        ..Limits::default()
    };
    let recorder = Hand::default().recorder(7, limits);

    listen(&recorder, || {
        let old = operation();
        let new = operation();
        old.record("outcome", "old");
        new.record("outcome", "new");
        old.in_scope(|| drop(attempt()));
        drop(old);
    });

    let trace = only(&recorder);
    assert_eq!(trace.spans.len(), 1);
    assert_eq!(trace.spans[0].fields.text("outcome"), Some("new"));
    assert_eq!(
        recorder.dropped(),
        Dropped {
            traces: 1,
            spans: 1
        }
    );
}

#[test]
fn two_recorders_in_one_subscriber_do_not_mix_their_ids() {
    let (one, two) = (recorder(), Hand::default().recorder(8, Limits::default()));
    let both = Registry::default().with(one.layer()).with(two.layer());

    let (first, second) = with_default(both, || {
        let _operation = operation().entered();
        let attempt = attempt();
        (one.context(&attempt), two.context(&attempt))
    });

    assert_eq!(first.map(|context| context.trace_id), Some(only(&one).id));
    assert_eq!(second.map(|context| context.trace_id), Some(only(&two).id));
    assert_eq!(only(&two).spans.len(), 2);
}

#[test]
fn knows_no_context_for_a_span_it_did_not_record() {
    let recorder = recorder();

    listen(&recorder, || {
        assert_eq!(recorder.context(&info_span!("unlisted")), None);
        assert_eq!(recorder.context(&Live::none()), None);
    });
}

#[test]
fn reads_an_id_only_in_the_form_of_the_header() {
    let table = [
        ("0f1e2d3c4b5a6978", true),
        ("0000000000000001", true),
        ("0000000000000000", false),
        ("0F1E2D3C4B5A6978", false),
        ("+f1e2d3c4b5a6978", false),
        ("f1e2d3c4b5a6978", false),
        ("00f1e2d3c4b5a6978", false),
        ("", false),
    ];

    for (hex, valid) in table {
        assert_eq!(SpanId::from_hex(hex).is_some(), valid, "span id {hex}");
        let twice = format!("{hex}{hex}");
        assert_eq!(
            TraceId::from_hex(&twice).is_some(),
            valid,
            "trace id {twice}"
        );
    }
}

#[test]
fn tells_a_machine_the_same_as_a_program() {
    let clock = Hand::default();
    let recorder = clock.recorder(7, Limits::default());

    listen(&recorder, || {
        let _operation = operation().entered();
        clock.to(1);
    });

    let trace = only(&recorder);
    assert_eq!(
        serde_json::to_value(&trace).unwrap(),
        serde_json::json!({
            "id": trace.id.to_string(),
            "spans": [{
                "id": trace.spans[0].id.to_string(),
                "parent": null,
                "trace_id": trace.id.to_string(),
                "name": "operation",
                "start_ns": 0,
                "end_ns": 1_000_000,
                "fields": { "endpoint": "flaky" },
            }],
            "dropped_spans": 0,
            "taken_at_ns": 1_000_000,
        })
    );
}
