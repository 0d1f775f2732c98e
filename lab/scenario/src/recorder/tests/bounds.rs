//! The bounds of the recorder, and how dropped spans are counted.

use super::*;

#[test]
fn a_full_trace_drops_further_spans_and_counts_them() {
    let limits = RecorderLimits {
        spans_per_trace: NonZeroUsize::MIN,
        ..RecorderLimits::default()
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
    assert_eq!(context.map(|context| context.trace_id), Some(trace.id));
}

#[test]
fn removes_the_oldest_trace_and_keeps_the_others_intact() {
    let limits = RecorderLimits {
        traces: NonZeroUsize::MIN,
        ..RecorderLimits::default()
    };
    let recorder = Hand::default().recorder(7, limits);

    listen(&recorder, || {
        let old = operation();
        let new = operation();
        old.record("reliable_api_client.outcome", "old");
        new.record("reliable_api_client.outcome", "new");
        old.in_scope(|| drop(attempt()));
        drop(old);
    });

    let trace = only(&recorder);
    assert_eq!(trace.spans.len(), 1);
    assert_eq!(
        trace.spans[0].fields.text("reliable_api_client.outcome"),
        Some("new")
    );
}
