//! The trace context on the wire, and contexts that are ignored.

use super::*;

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
    assert_eq!(traces[0].spans.len(), 2);
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
