//! The tree of spans: parents, times and ids.

use super::*;

#[test]
fn a_call_is_a_tree_of_spans_with_the_times_of_the_run_and_the_same_in_json() {
    let clock = Hand::default();
    let recorder = clock.recorder(7);

    listen(&recorder, || {
        let _operation = operation().entered();
        clock.to(3);
        let attempt = attempt();
        clock.to(5);
        attempt.record("http.response.status_code", 503_u64);
        drop(attempt);
        clock.to(9);
    });

    let trace = recorder.snapshot();
    assert_eq!(
        serde_json::to_value(&trace).unwrap(),
        serde_json::json!({
            "id": trace.id.to_string(),
            "spans": [{
                "id": trace.spans[0].id.to_string(),
                "parent": null,
                "name": "operation",
                "start_ns": 0,
                "end_ns": 9_000_000,
                "fields": { "reliable_api_client.endpoint": "flaky" },
            }, {
                "id": trace.spans[1].id.to_string(),
                "parent": trace.spans[0].id.to_string(),
                "name": "attempt",
                "start_ns": 3_000_000,
                "end_ns": 5_000_000,
                "fields": {
                    "http.request.method": "GET",
                    "http.response.status_code": 503,
                },
            }],
            "dropped_spans": 0,
            "taken_at_ns": 9_000_000,
        })
    );
}

#[test]
fn shows_a_span_while_it_is_open() {
    let clock = Hand::default();
    let recorder = clock.recorder(7);

    let trace = listen(&recorder, || {
        let _open = attempt();
        clock.to(40);
        recorder.snapshot()
    });

    assert_eq!(trace.spans[0].end, None);
    assert_eq!(trace.taken_at, Duration::from_millis(40));
}

#[test]
fn links_over_a_span_that_is_not_recorded() {
    let recorder = recorder();

    listen(&recorder, || {
        let _operation = operation().entered();
        let _between = info_span!("between").entered();
        let _attempt = attempt();
    });

    let trace = recorder.snapshot();
    assert_eq!(trace.spans[1].parent, Some(trace.spans[0].id));
}

#[test]
fn a_full_trace_drops_further_spans_and_counts_them() {
    let recorder = Recorder::new(Arc::new(Duration::default), 7, 1);

    let context = listen(&recorder, || {
        let _operation = operation().entered();
        let attempt = attempt();
        attempt.in_scope(|| drop(request(None)));
        recorder.context(&attempt)
    });

    let trace = recorder.snapshot();
    assert_eq!(trace.spans.len(), 1);
    assert_eq!(trace.dropped_spans, 2);
    assert_eq!(context.map(|context| context.trace_id), Some(trace.id));
}

#[test]
fn a_wait_ends_at_each_change_also_at_an_earlier_one() {
    let recorder = recorder();
    let changed = || recorder.changed().now_or_never().is_some();

    let heard = listen(&recorder, || {
        let operation = operation();
        let opened = [changed(), changed()];
        operation.record("reliable_api_client.outcome", "ok");
        let recorded = [changed(), changed()];
        drop(operation);
        [opened, recorded, [changed(), changed()]]
    });

    assert_eq!(heard, [[true, false]; 3]);
}
