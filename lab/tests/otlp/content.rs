//! The content of an export: ids, tree, kinds, times, attributes, resources.

use std::{
    collections::HashSet,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use axum::http::StatusCode;
use opentelemetry_proto::tonic::{
    common::v1::any_value::Value,
    trace::v1::{Span, Status, span::SpanKind, status::StatusCode as Code},
};

use super::{
    lab,
    receiver::{Receiver, value},
    stderr,
};

fn attribute<'a>(span: &'a Span, key: &str) -> Option<&'a Value> {
    let mut pairs = span.attributes.iter();
    pairs.find(|pair| pair.key == key).map(value)
}

fn children<'a>(spans: &'a [Span], parent: &Span) -> Vec<&'a Span> {
    let under = |span: &&Span| span.parent_span_id == parent.span_id;
    spans.iter().filter(under).collect()
}

fn length(span: &Span) -> Duration {
    Duration::from_nanos(span.end_time_unix_nano - span.start_time_unix_nano)
}

fn failed(span: &Span) -> bool {
    match span.status.as_ref().map(Status::code) {
        Some(Code::Error) => true,
        Some(Code::Unset) => false,
        other => panic!("{} has the status {other:?}", span.name),
    }
}

#[tokio::test]
async fn a_run_arrives_as_one_tree_of_two_services() {
    let receiver = Receiver::responding(StatusCode::OK).await;

    let output = lab(&["flaky", "--otlp", &receiver.base], &[]).await;

    assert_eq!(output.status.code(), Some(0));
    assert_eq!(stderr(&output), "");
    let arrivals = receiver.arrivals();
    let [client, service] = &arrivals[..] else {
        panic!("two requests expected: {:?}", receiver.paths());
    };
    assert_eq!(receiver.paths(), ["/v1/traces", "/v1/traces"]);
    assert_eq!(client.headers["content-type"], "application/x-protobuf");
    assert_eq!(client.service, "lab-client");
    assert_eq!(service.service, "teaching-api");

    let [run] = &children(&client.spans, &Span::default())[..] else {
        panic!("one root expected: {client:#?}");
    };
    let [operation] = &children(&client.spans, run)[..] else {
        panic!("one call expected: {client:#?}");
    };
    let calls = children(&client.spans, operation);
    let names: Vec<_> = calls.iter().map(|span| span.name.as_str()).collect();
    assert_eq!(
        (run.name.as_str(), operation.name.as_str()),
        ("flaky", "flaky")
    );
    assert_eq!(
        names,
        ["GET /flaky", "wait", "GET /flaky", "wait", "GET /flaky"]
    );
    assert_eq!(client.spans.len(), 2 + calls.len());
    assert_eq!(service.spans.len(), 3);

    for span in [run, operation, &calls[1], &calls[3]] {
        assert_eq!(span.kind(), SpanKind::Internal, "{}", span.name);
        assert!(!failed(span), "{}", span.name);
    }
    for (resend, attempt) in calls.iter().step_by(2).enumerate() {
        let [request] = &children(&service.spans, attempt)[..] else {
            panic!("one request expected under {attempt:#?}");
        };
        assert_eq!(attempt.kind(), SpanKind::Client);
        assert_eq!(request.kind(), SpanKind::Server);
        assert_eq!(request.name, "GET /flaky");
        assert_eq!(failed(attempt), resend < 2);
        assert_eq!(failed(request), resend < 2);
        let count = (resend > 0).then_some(Value::IntValue(resend as i64));
        assert_eq!(
            attribute(attempt, "http.request.resend_count"),
            count.as_ref()
        );
    }
    let all = client.spans.iter().chain(&service.spans);
    for span in all {
        assert_eq!(span.trace_id, run.trace_id, "{}", span.name);
        let special = span
            .attributes
            .iter()
            .find(|it| it.key.starts_with("otel."));
        assert_eq!(special, None, "{}", span.name);
    }
}

#[tokio::test]
async fn the_recorded_attributes_keep_their_types() {
    let receiver = Receiver::responding(StatusCode::OK).await;

    lab(&["flaky", "--otlp", &receiver.base], &[]).await;

    let arrivals = receiver.arrivals();
    let attributes = |service: usize, name: &str| -> Vec<(String, Value)> {
        let mut spans = arrivals[service].spans.iter();
        let span = spans.find(|span| span.name == name).expect(name);
        let pairs = span.attributes.iter();
        pairs
            .map(|it| (it.key.clone(), value(it).clone()))
            .collect()
    };
    let text = |text: &str| Value::StringValue(text.to_owned());
    let attempt = [
        ("http.request.method", text("GET")),
        ("url.template", text("/flaky")),
        ("server.address", text("127.0.0.1")),
        ("http.response.status_code", Value::IntValue(503)),
        ("error.type", text("503")),
    ];
    let attempt = attempt.map(|(key, value)| (key.to_owned(), value));
    assert_eq!(attributes(0, "GET /flaky"), attempt);
    let wait = attributes(0, "wait");
    assert!(
        wait.iter()
            .any(|(key, value)| key == "reliable_api_client.wait.seconds"
                && matches!(value, Value::DoubleValue(_))),
        "{wait:?}"
    );
    let request = attributes(1, "GET /flaky");
    assert!(
        request.contains(&("lab.fault".to_owned(), text("flaky"))),
        "{request:?}"
    );
}

#[tokio::test]
async fn a_body_that_broke_off_has_the_status_of_its_head() {
    let receiver = Receiver::responding(StatusCode::OK).await;

    lab(&["reset", "--otlp", &receiver.base], &[]).await;

    let arrivals = receiver.arrivals();
    let firsts = [0, 1].map(|service: usize| {
        let mut spans = arrivals[service].spans.iter();
        spans
            .find(|span| span.name == "GET /items")
            .expect("a span")
    });
    for span in firsts {
        let status = attribute(span, "http.response.status_code");
        assert_eq!(status, Some(&Value::IntValue(200)), "{span:#?}");
    }
    let lost = Value::StringValue("connection_lost".to_owned());
    assert_eq!(attribute(firsts[0], "error.type"), Some(&lost));
    assert!(failed(firsts[0]));
}

#[tokio::test]
async fn the_ids_of_spans_are_those_of_the_recorded_trace() {
    let receiver = Receiver::responding(StatusCode::OK).await;

    let output = lab(&["flaky", "--json", "--otlp", &receiver.base], &[]).await;

    let run: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let recorded = run["traces"][0]["spans"].as_array().expect("spans");
    let hex = |bytes: &[u8]| -> String { bytes.iter().map(|it| format!("{it:02x}")).collect() };
    let arrivals = receiver.arrivals();
    let sent: Vec<_> = arrivals.iter().flat_map(|it| &it.spans).collect();
    assert_eq!(sent.len(), recorded.len());
    for span in recorded {
        let id = span["id"].as_str().expect("an id");
        let twin = sent.iter().find(|it| hex(&it.span_id) == id).expect(id);
        assert_eq!(twin.trace_id, sent[0].trace_id);
        assert_eq!(
            hex(&twin.parent_span_id),
            span["parent"].as_str().unwrap_or("")
        );
    }
}

#[tokio::test]
async fn one_seed_in_two_labs_gives_two_traces_with_instance_ids() {
    let receiver = Receiver::responding(StatusCode::OK).await;
    let run = ["flaky", "--json", "--otlp", &receiver.base];
    let named = |name: &'static str| [("OTEL_RESOURCE_ATTRIBUTES", name)];
    let (anna, ben) = ("service.instance.id=anna", "service.instance.id=ben");

    let mut printed = Vec::new();
    for variables in [&named(anna)[..], &named(ben), &[], &[]] {
        printed.push(lab(&run, variables).await.stdout);
    }

    let sent: Vec<_> = receiver
        .arrivals()
        .into_iter()
        .map(|it| (it.instance, it.spans[0].trace_id.clone()))
        .collect();
    // Client and service of one run are one lab and one trace.
    let labs: Vec<_> = sent
        .chunks(2)
        .inspect(|both| assert_eq!(both[0], both[1]))
        .map(|both| &both[0])
        .collect();
    assert_eq!([&*labs[0].0, &*labs[1].0], ["anna", "ben"]);
    let names: HashSet<_> = labs.iter().map(|(name, _)| name).collect();
    let traces: HashSet<_> = labs.iter().map(|(_, trace)| trace).collect();
    assert_eq!((names.len(), traces.len()), (4, 4));
    // The lab itself shows the same everywhere.
    assert!(printed.iter().all(|it| *it == printed[0]));
}

#[tokio::test]
async fn a_virtual_wait_keeps_its_length_and_the_run_ends_now() {
    let receiver = Receiver::responding(StatusCode::OK).await;
    let patient = ["retry-later", "--max-retry-after", "120", "--otlp"];
    let before = SystemTime::now();

    lab(&[&patient[..], &[&receiver.base]].concat(), &[]).await;

    let after = SystemTime::now();
    let spans = &receiver.arrivals()[0].spans;
    let waits: Vec<_> = spans.iter().filter(|it| it.name == "wait").collect();
    let lengths: Vec<_> = waits.iter().map(|wait| length(wait)).collect();
    assert_eq!(lengths, [Duration::from_secs(120); 2]);
    let end = spans.iter().map(|span| span.end_time_unix_nano).max();
    let end = UNIX_EPOCH + Duration::from_nanos(end.expect("a span"));
    assert!(
        before <= end && end <= after,
        "{before:?} {end:?} {after:?}"
    );
}
