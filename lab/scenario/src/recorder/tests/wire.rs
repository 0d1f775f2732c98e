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

    let trace = recorder.snapshot();
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
fn a_context_of_another_trace_or_only_half_of_one_is_ignored() {
    let recorder = recorder();
    let foreign = SpanContext {
        trace_id: TraceId::from_hex("0000000000000000000000000000abcd").unwrap(),
        span_id: SpanId::from_hex("00000000000000ef").unwrap(),
    };
    let own = recorder.snapshot().id.to_string();

    listen(&recorder, || {
        drop(request(Some(foreign)));
        drop(request(None));
        drop(info_span!(
            target: "server",
            "request",
            trace_id = own,
            parent_span_id = "0000000000000000",
        ));
    });

    let parents = recorder.snapshot().spans.into_iter();
    let parents: Vec<_> = parents.map(|span| span.parent).collect();
    assert_eq!(parents, [None; 3]);
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
