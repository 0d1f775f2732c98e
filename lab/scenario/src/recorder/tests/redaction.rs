//! The fields of a span that are kept, and those that are never formatted.

use super::*;

#[test]
fn keeps_only_listed_spans_and_fields() {
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
        let _other_name =
            info_span!(target: "client", "body", reliable_api_client.endpoint = "SECRET");
    });

    let trace = recorder.snapshot();
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

    assert_eq!(recorder.snapshot().spans[0].fields, Fields::default());
}

#[test]
fn holds_no_lock_while_a_value_formats_itself() {
    struct Curious(Recorder);
    impl std::fmt::Debug for Curious {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            write!(f, "{}", self.0.snapshot().spans.len())
        }
    }
    let recorder = recorder();

    listen(&recorder, || {
        let span = info_span!(target: "client", "operation", reliable_api_client.outcome = ?Curious(recorder.clone()));
        span.record(
            "reliable_api_client.outcome",
            tracing::field::debug(Curious(recorder.clone())),
        );
    });

    assert_eq!(
        recorder.snapshot().spans[0]
            .fields
            .text("reliable_api_client.outcome"),
        Some("1")
    );
}

#[test]
fn holds_no_lock_while_the_clock_is_read() {
    let asked = Arc::new(OnceLock::<Recorder>::new());
    let clock = {
        let (asked, reads) = (Arc::clone(&asked), AtomicU64::new(0));
        move || {
            // A snapshot takes the lock, and reads the clock in turn.
            if reads.fetch_add(1, Ordering::Relaxed) % 2 == 0 {
                asked.get().map(Recorder::snapshot);
            }
            Duration::ZERO
        }
    };
    let recorder = Recorder::new(Arc::new(clock), 7, Recorder::SPANS);
    asked.set(recorder.clone()).expect("set once");

    listen(&recorder, || drop(operation()));

    assert_eq!(recorder.snapshot().spans[0].end, Some(Duration::ZERO));
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
            reliable_api_client.retry.reason = 503_u64,
            reliable_api_client.wait.source = "backoff",
            reliable_api_client.wait.seconds = 0.131,
        );
    });

    let trace = recorder.snapshot();
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
