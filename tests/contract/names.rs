//! Both catalogues list every span, event and metric, and no others.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use client::{ConcurrencyLimit, teaching::endpoint};
use host::{
    ServiceConfig,
    telemetry::{REQUEST_SPAN, REQUEST_SPAN_FIELDS, SPAN_TARGET},
};
use tests::{Bench, Loopback, Script, Series, Spans, Tally, call, json, retry_after};

/// The fields that every span has for any OpenTelemetry layer.
const OTEL: [&str; 3] = ["otel.name", "otel.kind", "otel.status_code"];

/// The spans and events of the client with their fields, as the documentation of its
/// `telemetry` lists them.
fn client_spans_and_events() -> Vec<(&'static str, BTreeSet<String>)> {
    const DOCUMENTED: &str = include_str!("../../client/src/telemetry/mod.rs");
    let context = DOCUMENTED.split("The *decision context*").nth(1);
    let context = context.and_then(|rest| rest.split("//!\n").next());
    let mut listed = Vec::new();
    for (heading, common) in [("# Spans", &OTEL[..]), ("# Events", &["message"])] {
        let (_, section) = DOCUMENTED.split_once(heading).expect("the section");
        let section = section.split("\n//! # ").next().expect("its text");
        let rows = section
            .lines()
            .filter_map(|line| line.strip_prefix("//! | `"));
        listed.extend(rows.map(|row| {
            let (name, rest) = row.split_once('`').expect("a name");
            let mut fields = fields(rest);
            if rest.contains("the decision context") {
                fields.extend(self::fields(context.expect("a paragraph")));
            }
            fields.extend(owned(common));
            (name, fields)
        }));
    }
    listed
}

/// A word that is set as code and has a dot is the name of a field.
fn fields(text: &str) -> BTreeSet<String> {
    let code = text.split('`').skip(1).step_by(2);
    code.filter(|code| code.contains('.'))
        .map(str::to_owned)
        .collect()
}

/// Runs into most of what can be run into.
async fn exercise(loopback: &Loopback) {
    let client = &loopback.client;
    // Two at once under a limit of one: the second has to queue.
    drop(tokio::join!(client.flaky(), client.flaky()));
    for endpoint in endpoint::ALL {
        drop(call(client, endpoint).await);
    }
    // The teaching service never sends a 429, nor a wait within the budget.
    let refusal = retry_after(429, "1");
    let flaky = json(200, &serde_json::json!({ "attempt": 2 }));
    let bench = Bench::with(Script::of([refusal, flaky]), |builder| {
        builder.concurrency_limit(ConcurrencyLimit::new(2))
    });
    let bench = bench.await;
    bench.client.flaky().await.expect("the second is a success");
}

type Catalogue = BTreeMap<String, BTreeSet<String>>;

fn owned(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

/// Every series that was registered is in the catalogue, and the other way
/// round; a label with nothing to say may be left out.
fn assert_in_catalogue(series: &[Series], catalogue: &Catalogue) {
    for series in series {
        let labels: BTreeSet<_> = series.labels.keys().cloned().collect();
        let listed = catalogue.get(&series.name);
        let is_listed = listed.is_some_and(|listed| labels.is_subset(listed));
        assert!(is_listed, "not in the catalogue: {series:?}");
    }
    let registered: BTreeSet<_> = series.iter().map(|series| &series.name).collect();
    assert_eq!(registered, catalogue.keys().collect());
}

#[tokio::test]
async fn every_metric_span_and_event_is_in_the_published_catalogues() {
    let (ours, theirs) = (Tally::new(), Tally::new());
    let (spans, _watch) = Spans::watch();
    let metrics = host::Metrics::new(theirs.recorder(), String::new);
    let loopback = Loopback::start_all(
        &[],
        |service| ServiceConfig { metrics, ..service },
        |builder| {
            builder
                .recorder(ours.recorder())
                .concurrency_limit(ConcurrencyLimit::new(1))
                .deadline(Duration::from_secs(600))
                .max_pages(3)
        },
    );

    exercise(&loopback).await;
    loopback.stop().await;

    let client =
        client::telemetry::METRICS.map(|metric| (metric.name.to_owned(), owned(metric.labels)));
    let server =
        host::telemetry::METRICS.map(|metric| (metric.name.to_owned(), owned(metric.labels)));
    assert_in_catalogue(&ours.read(), &client.into());
    assert_in_catalogue(&theirs.read(), &server.into());

    let mut seen = Catalogue::new();
    let mut listed = Catalogue::new();
    for span in spans.records() {
        // What the crates below say is theirs; a target of a module of ours would
        // be as good a leak as any other.
        let crate_name = span.target.split("::").next();
        if !matches!(crate_name, Some("client" | "server")) {
            continue;
        }
        let name = format!("{} {}", span.target, span.name);
        let fields = span.fields.into_keys().map(str::to_owned);
        seen.entry(name).or_default().extend(fields);
    }
    for (name, fields) in client_spans_and_events() {
        listed.insert(format!("{} {name}", client::telemetry::TARGET), fields);
    }
    let request = format!("{SPAN_TARGET} {REQUEST_SPAN}");
    listed.insert(request.clone(), owned(&REQUEST_SPAN_FIELDS));
    let names = |catalogue: &Catalogue| catalogue.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&seen), names(&listed));
    for (name, fields) in &seen {
        let unlisted: Vec<_> = fields.difference(&listed[name]).collect();
        assert_eq!(unlisted, [""; 0], "{name} has fields of its own");
    }
    // Of the lists nothing stays unused but what a caller's trace would bring.
    let unused = |name: &str| -> Vec<_> { listed[name].difference(&seen[name]).cloned().collect() };
    assert_eq!(unused(&request), ["parent_span_id", "trace_id"]);
    for (name, _) in client_spans_and_events() {
        let mut unused = unused(&format!("{} {name}", client::telemetry::TARGET));
        unused.retain(|field| field != "otel.status_code");
        assert_eq!(unused, [""; 0], "{name}");
    }
}
