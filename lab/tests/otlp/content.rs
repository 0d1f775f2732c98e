//! The content of an export: services, ids, tree, kinds, times and attributes.

use std::{
    collections::HashSet,
    time::{SystemTime, UNIX_EPOCH},
};

use axum::http::StatusCode;
use scenario::Overrides;
use serde_json::{Map, Value as Json};
use tokio::process::Command;

use super::{
    export, export_flaky,
    receiver::{AnyValue, Receiver},
    run,
};

fn json(value: &AnyValue) -> Json {
    match value {
        AnyValue::String(text) => text.as_str().into(),
        AnyValue::Int(number) => (*number).into(),
        AnyValue::Double(number) => (*number).into(),
        AnyValue::Bool(yes) => (*yes).into(),
    }
}

/// In virtual time a wait keeps its length.
#[tokio::test]
async fn every_recorded_span_arrives_and_the_run_ends_now() {
    for scenario in ["flaky", "reset", "retry-later"] {
        let patient = Overrides {
            max_retry_after_seconds: Some(120),
            ..Overrides::default()
        };
        let run = run(scenario, patient).await;
        let receiver = Receiver::responding(StatusCode::OK).await;
        let before = SystemTime::now();

        let sent = export(&run, &receiver.base).await;

        let after = SystemTime::now();
        assert_eq!(sent, Ok(()));
        assert_eq!(receiver.paths(), ["/v1/traces"]);
        let [client, service] = &receiver.received()[0].arrivals;
        assert_eq!(
            [&*client.service, &*service.service],
            ["lab-client", "teaching-api"]
        );
        let run = serde_json::to_value(&run).expect("JSON");
        let recorded = run["trace"]["spans"].as_array().expect("spans");
        assert_eq!(client.spans.len() + service.spans.len(), recorded.len());
        for span in recorded {
            let of = if span["name"] == "request" {
                service
            } else {
                client
            };
            let sent = of
                .spans
                .iter()
                .find(|candidate| span["id"] == candidate.span_id);
            let sent = sent.unwrap_or_else(|| panic!("{span} is not in {of:#?}"));
            assert_eq!(sent.trace_id, client.spans[0].trace_id, "{span}");
            let parent = span["parent"].as_str().unwrap_or_default();
            assert_eq!(sent.parent_span_id, parent, "{span}");
            let is_remote = span["name"] == "request" && !parent.is_empty();
            let flags = if is_remote { 0x301 } else { 0x101 };
            assert_eq!(sent.flags, flags, "{span}");
            let nanos = |end: &str| span[end].as_u64().expect("a time");
            let length = sent.end_time_unix_nano - sent.start_time_unix_nano;
            assert_eq!(length, nanos("end_ns") - nanos("start_ns"), "{span}");

            let mut fields = span["fields"].as_object().expect("fields").clone();
            assert_eq!(fields["otel.name"], sent.name);
            let kinds = ["unspecified", "internal", "server", "client"];
            assert_eq!(fields["otel.kind"], kinds[usize::from(sent.kind)]);
            let error = if fields.contains_key("otel.status_code") {
                2
            } else {
                0
            };
            assert_eq!(sent.status.code, error, "{span}");
            fields.retain(|name, _| !name.starts_with("otel."));
            let pairs = sent.attributes.iter();
            let pairs: Map<_, _> = pairs
                .map(|pair| (pair.key.clone(), json(&pair.value)))
                .collect();
            assert_eq!(pairs, fields);
        }
        // A body that broke off has the status of its head.
        if scenario == "reset" {
            let first = |name| {
                recorded
                    .iter()
                    .find(|span| span["name"] == name)
                    .expect(name)
            };
            for span in ["attempt", "request"].map(first) {
                assert_eq!(span["fields"]["http.response.status_code"], 200, "{span}");
            }
            assert_eq!(first("attempt")["fields"]["error.type"], "connection_lost");
        }
        let ends = client.spans.iter().map(|span| span.end_time_unix_nano);
        let end = ends.max().expect("a span");
        let [before, after] =
            [before, after].map(|time| time.duration_since(UNIX_EPOCH).expect("later"));
        let now = before.as_nanos()..=after.as_nanos();
        assert!(now.contains(&end.into()), "{end} is not in {now:?}");
    }
}

/// The other lab is a process of its own, told by the environment where the receiver is.
#[tokio::test]
async fn one_seed_in_two_labs_gives_two_traces_with_instance_ids() {
    let receiver = Receiver::responding(StatusCode::OK).await;

    let here = export_flaky(&receiver).await;
    let there = Command::from(crate::program::lab())
        .args(["scenario", "flaky", "--pace", "virtual", "--seed", "7"])
        .env("OTEL_EXPORTER_OTLP_ENDPOINT", &receiver.base)
        .env("OTEL_EXPORTER_OTLP_HEADERS", "x-scope-orgid=lab")
        .output()
        .await
        .expect("lab runs");

    assert_eq!(here, Ok(()));
    assert_eq!(there.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&there.stderr), "");
    let received = receiver.received();
    assert_eq!(received[1].headers["x-scope-orgid"], "lab");
    let labs = received.iter().map(|request| {
        // Client and service of one run are one lab and one trace.
        let [client, service] = request.arrivals.each_ref();
        assert_eq!(client.instance, service.instance);
        assert_eq!(client.spans[0].trace_id, service.spans[0].trace_id);
        (&client.instance, &client.spans[0].trace_id)
    });
    let (instances, traces): (HashSet<_>, HashSet<_>) = labs.unzip();
    assert_eq!((instances.len(), traces.len()), (2, 2));
}
