//! The content of an export: services, ids, tree, kinds, times and attributes.

use std::{
    collections::HashSet,
    time::{SystemTime, UNIX_EPOCH},
};

use axum::http::StatusCode;
use opentelemetry_proto::tonic::{
    common::v1::any_value::Value,
    trace::v1::{Status, status::StatusCode as Code},
};
use serde_json::{Map, Value as Json};

use super::{
    lab,
    receiver::{Receiver, value},
    stderr,
};

fn json(value: &Value) -> Json {
    match value {
        Value::StringValue(text) => text.as_str().into(),
        Value::IntValue(number) => (*number).into(),
        Value::DoubleValue(number) => (*number).into(),
        Value::BoolValue(yes) => (*yes).into(),
        other => panic!("{other:?} is not recorded"),
    }
}

/// The printed run is what the lab recorded. In virtual time a wait keeps its length.
#[tokio::test]
async fn every_recorded_span_arrives_and_the_run_ends_now() {
    for scenario in [
        &["flaky"][..],
        &["reset"],
        &["retry-later", "--max-retry-after", "120"],
    ] {
        let receiver = Receiver::responding(StatusCode::OK).await;
        let before = SystemTime::now();

        let export = ["--json", "--otlp", &receiver.base];
        let output = lab(&[scenario, &export].concat(), &[]).await;

        let after = SystemTime::now();
        assert_eq!(stderr(&output), "");
        assert_eq!(receiver.paths(), ["/v1/traces"; 2]);
        let arrivals = receiver.arrivals();
        let [client, service] = &arrivals[..] else {
            panic!("two requests expected: {arrivals:#?}");
        };
        assert_eq!(client.headers["content-type"], "application/x-protobuf");
        assert_eq!(
            [&*client.service, &*service.service],
            ["lab-client", "teaching-api"]
        );
        let run: Json = serde_json::from_slice(&output.stdout).expect("JSON");
        let recorded = run["traces"][0]["spans"].as_array().expect("spans");
        assert_eq!(client.spans.len() + service.spans.len(), recorded.len());
        for span in recorded {
            let of = if span["name"] == "request" {
                service
            } else {
                client
            };
            let hex = |bytes: &[u8]| -> String {
                bytes.iter().map(|byte| format!("{byte:02x}")).collect()
            };
            let sent = of
                .spans
                .iter()
                .find(|candidate| span["id"] == hex(&candidate.span_id));
            let sent = sent.unwrap_or_else(|| panic!("{span} is not in {of:#?}"));
            assert_eq!(sent.trace_id, client.spans[0].trace_id, "{span}");
            let parent = span["parent"].as_str().unwrap_or_default();
            assert_eq!(hex(&sent.parent_span_id), parent, "{span}");
            let nanos = |end: &str| span[end].as_u64().expect("a time");
            let length = sent.end_time_unix_nano - sent.start_time_unix_nano;
            assert_eq!(length, nanos("end_ns") - nanos("start_ns"), "{span}");

            let mut fields = span["fields"].as_object().expect("fields").clone();
            assert_eq!(fields["otel.name"], sent.name);
            assert_eq!(
                fields["otel.kind"],
                format!("{:?}", sent.kind()).to_lowercase()
            );
            let code = match fields.get("otel.status_code") {
                Some(_) => Code::Error,
                None => Code::Unset,
            };
            assert_eq!(sent.status.as_ref().map(Status::code), Some(code), "{span}");
            fields.retain(|name, _| !name.starts_with("otel."));
            let pairs = sent.attributes.iter();
            let pairs: Map<_, _> = pairs
                .map(|pair| (pair.key.clone(), json(value(pair))))
                .collect();
            assert_eq!(pairs, fields);
        }
        // A body that broke off has the status of its head.
        if scenario == ["reset"] {
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
        .map(|arrival| (arrival.instance, arrival.spans[0].trace_id.clone()))
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
    assert!(printed.iter().all(|other| *other == printed[0]));
}
