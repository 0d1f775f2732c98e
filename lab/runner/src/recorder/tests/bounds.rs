//! What is turned away when there is too much, and how that shows.

use super::*;

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
    assert_eq!(context.map(|context| context.trace_id), Some(trace.id));
}

#[test]
fn a_full_trace_begins_anew_where_the_latest_spans_are_watched() {
    let limits = Limits {
        traces: NonZeroUsize::new(3).expect("not zero"),
        spans_per_trace: NonZeroUsize::new(2).expect("not zero"),
        full_trace: FullTrace::BeginsAnew,
    };
    let hand = Hand::default();
    let recorder = hand.recorder(7, limits);
    let caller = SpanContext {
        trace_id: TraceId::from_hex("4bf92f3577b34da6a3ce929d0e0e4736").expect("an id"),
        span_id: SpanId::from_hex("00f067aa0ba902b7").expect("an id"),
    };

    listen(&recorder, || {
        for millis in 0..9 {
            hand.to(millis);
            drop(request(Some(caller)));
        }
    });

    let traces = recorder.snapshot();
    let starts: Vec<_> = traces
        .iter()
        .flat_map(|trace| &trace.spans)
        .map(|span| span.start.as_millis())
        .collect();
    assert_eq!(starts, [4, 5, 6, 7, 8]);
    assert!(traces.iter().all(|trace| trace.id == caller.trace_id));
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
}
