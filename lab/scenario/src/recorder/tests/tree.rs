//! The tree of spans: parents, times and ids.

use super::*;

#[test]
fn a_call_is_a_tree_of_spans_with_the_times_of_the_run_and_the_same_in_json() {
    let clock = Hand::default();
    let recorder = clock.recorder(7, RecorderLimits::default());

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
    assert!(trace.spans.iter().all(|span| span.trace_id == trace.id));
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
    let recorder = clock.recorder(7, RecorderLimits::default());

    let trace = listen(&recorder, || {
        let _open = attempt();
        clock.to(40);
        only(&recorder)
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

    let trace = only(&recorder);
    assert_eq!(trace.spans[1].parent, Some(trace.spans[0].id));
}

#[test]
fn the_operations_of_a_run_are_in_one_trace() {
    let recorder = recorder();

    listen(&recorder, || {
        let _run = info_span!(target: "lab", "run", lab.scenario = "replay").entered();
        drop(operation());
        drop(operation());
    });

    assert_eq!(only(&recorder).spans.len(), 3);
}

#[test]
fn an_operation_outside_a_run_is_a_trace_of_its_own() {
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
fn two_runs_with_one_seed_have_the_same_ids() {
    let story = |seed| {
        let recorder = Hand::default().recorder(seed, RecorderLimits::default());
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
