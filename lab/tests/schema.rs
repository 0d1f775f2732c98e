//! The JSON Schema of a run, held to runs: every one is described by it, and
//! what is not quite a run is refused.

use runner::{NAIVE, RELIABLE};
use std::{collections::BTreeSet, future::ready};

use client::telemetry::MetricKind;
use evidence::{Client, Comparison, Overrides, Pace, trace::SpanName};
use jsonschema::{Resource, Validator};
use runner::{NAIVE_METRICS, Settings, run, run_until, scenario::CATALOGUE, scenario::Scenario};
use serde_json::{Value, json};
use tracing_subscriber::layer::Identity;

const SPANS: [SpanName; 5] = [
    SpanName::Run,
    SpanName::Operation,
    SpanName::Attempt,
    SpanName::Wait,
    SpanName::Request,
];

/// The objects whose members a run need not all have, and may have more of.
const OPEN: [&str; 4] = ["facts", "fields", "labels", "routes"];

fn schema() -> Value {
    serde_json::from_str(render::RUN_SCHEMA).expect("the schema is JSON")
}

fn validator() -> Validator {
    jsonschema::draft202012::new(&schema()).expect("the schema can be used")
}

async fn played(scenario: &Scenario, client: Client, overrides: Overrides) -> Value {
    let settings = Settings {
        seed: u64::MAX,
        client,
        pace: Pace::Virtual,
        overrides,
    };
    let run = run(scenario, &settings).await.expect("a run");
    serde_json::from_str(&render::json(&run)).expect("a run is JSON")
}

async fn flaky() -> Value {
    let scenario = runner::scenario::find("flaky").expect("a scenario of the catalogue");
    played(scenario, RELIABLE, Overrides::default()).await
}

#[test]
fn is_a_schema_of_its_draft() {
    let schema = schema();

    let checked = jsonschema::draft202012::meta::validate(&schema);

    assert!(checked.is_ok(), "{checked:?}");
    assert_eq!(
        schema["$schema"],
        "https://json-schema.org/draft/2020-12/schema"
    );
}

#[tokio::test]
async fn describes_every_run_of_the_catalogue() {
    let validator = validator();
    let once = Overrides {
        max_attempts: Some(1),
        ..Overrides::default()
    };
    for scenario in CATALOGUE {
        for (client, overrides) in [
            (RELIABLE, Overrides::default()),
            (RELIABLE, once),
            (NAIVE, Overrides::default()),
        ] {
            let run = played(scenario, client, overrides).await;

            let errors: Vec<_> = validator
                .iter_errors(&run)
                .map(|error| format!("{} at {}", error, error.instance_path))
                .collect();

            assert!(errors.is_empty(), "{}: {errors:#?}", scenario.words.name);
        }
    }
}

#[tokio::test]
async fn describes_every_comparison_of_the_catalogue() {
    let schema = Resource::from_contents(schema()).expect("a resource");
    let validator = jsonschema::options()
        .with_resource("urn:lab:run", schema)
        .build(&json!({ "$ref": "urn:lab:run#/$defs/comparison" }))
        .expect("the schema can be used");
    let settings = |client| Settings {
        seed: u64::MAX,
        client,
        pace: Pace::Virtual,
        overrides: Overrides::default(),
    };
    for scenario in CATALOGUE {
        let [reliable, naive] = [RELIABLE, NAIVE].map(settings);
        let reliable = run(scenario, &reliable).await.expect("a run");
        let naive = run(scenario, &naive).await.expect("a run");
        let comparison = render::json(&Comparison::of(reliable, naive, String::new()));
        let mut comparison: Value = serde_json::from_str(&comparison).expect("JSON");

        let errors: Vec<_> = validator
            .iter_errors(&comparison)
            .map(|error| format!("{} at {}", error, error.instance_path))
            .collect();
        comparison["naive"]["client"] = json!("careful");

        assert!(errors.is_empty(), "{}: {errors:#?}", scenario.words.name);
        assert!(!validator.is_valid(&comparison), "{}", scenario.words.name);
    }
}

/// Every place in a document that holds an object, as a JSON Pointer.
fn objects(value: &Value, at: String, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let name = name.replace('~', "~0").replace('/', "~1");
                objects(member, format!("{at}/{name}"), found);
            }
            found.push(at);
        }
        Value::Array(elements) => {
            for (index, element) in elements.iter().enumerate() {
                objects(element, format!("{at}/{index}"), found);
            }
        }
        _ => {}
    }
}

/// A run with one of its objects changed.
fn with(run: &Value, at: &str, change: impl FnOnce(&mut serde_json::Map<String, Value>)) -> Value {
    let mut run = run.clone();
    let object = run.pointer_mut(at).and_then(Value::as_object_mut);
    change(object.expect("an object"));
    run
}

#[tokio::test]
async fn refuses_a_member_more_less_or_of_another_shape_anywhere() {
    let (validator, run) = (validator(), flaky().await);
    let mut places = Vec::new();
    objects(&run, String::new(), &mut places);

    let mut accepted = Vec::new();
    for at in &places {
        let more = with(&run, at, |object| {
            object.insert("surprise".to_owned(), Value::Null);
        });
        if validator.is_valid(&more) {
            accepted.push(format!("{at}: a member that nobody knows"));
        }
        let object = run.pointer(at).and_then(Value::as_object);
        for name in object.expect("an object").keys() {
            let less = with(&run, at, |object| drop(object.remove(name)));
            let open = OPEN.iter().any(|open| at.ends_with(&format!("/{open}")));
            if !open && validator.is_valid(&less) {
                accepted.push(format!("{at}: no {name}"));
            }
            let other = with(&run, at, |object| {
                object.insert(name.clone(), json!([null]));
            });
            if validator.is_valid(&other) {
                accepted.push(format!("{at}: {name} of another shape"));
            }
        }
    }

    assert!(places.len() > 30, "{places:?}");
    assert!(accepted.is_empty(), "{accepted:#?}");
}

#[tokio::test]
async fn refuses_values_outside_their_closed_sets_and_bounds() {
    let (validator, run) = (validator(), flaky().await);
    let broken = [
        ("/seed", json!(-1)),
        ("/client", json!("careful")),
        ("/pace", json!("fast")),
        ("/policy/max_attempts", json!(0)),
        ("/policy/max_retry_after_seconds", json!("30 s")),
        ("/outcome/ending", json!("okay")),
        ("/outcome/facts/attempt", json!(2.5)),
        ("/traces/0/id", json!("0AF7651916CD43DD8448EB211C80319C")),
        ("/traces/0/id", json!("0".repeat(32))),
        ("/traces/0/spans/0/name", json!("walk")),
        // Its fields are those of another span.
        ("/traces/0/spans/0/name", json!("wait")),
        ("/traces/0/spans/0/start_ns", json!(0.5)),
        (
            "/ledger/entries/0/arrived_ns",
            json!({ "secs": 1, "nanos": 0 }),
        ),
        ("/ledger/entries/0/arrived_ns", json!(-1)),
        ("/ledger/entries/0/method", json!("get")),
        ("/ledger/entries/0/status", json!(99)),
        ("/counters/0/name", json!("requests")),
        ("/counters/0/value", json!(0)),
        ("/verdict", json!([])),
    ];

    for (at, value) in broken {
        let mut run = run.clone();
        *run.pointer_mut(at).expect("a place in a run") = value;

        assert!(
            !validator.is_valid(&run),
            "{at}: {}",
            run.pointer(at).expect("a place")
        );
    }
}

/// Half a run is described, and held to having no verdict.
#[tokio::test]
async fn describes_a_run_that_was_cancelled() {
    let validator = validator();
    let settings = Settings {
        seed: u64::MAX,
        client: RELIABLE,
        pace: Pace::Virtual,
        overrides: Overrides::default(),
    };
    let scenario = runner::scenario::find("flaky").expect("a scenario of the catalogue");
    let run = run_until(ready(()), Identity::new(), scenario, &settings).await;
    let run = serde_json::to_value(run.expect("a run")).expect("JSON");
    let mut judged = run.clone();
    judged["verdict"] = flaky().await["verdict"].clone();

    let errors: Vec<_> = validator
        .iter_errors(&run)
        .map(|error| format!("{} at {}", error, error.instance_path))
        .collect();

    assert_eq!(run["outcome"]["ending"], "cancelled");
    assert!(errors.is_empty(), "{errors:#?}");
    assert!(!validator.is_valid(&judged));
}

fn names(list: &Value) -> BTreeSet<&str> {
    let names = list.as_array().expect("a list").iter();
    names.map(|name| name.as_str().expect("a name")).collect()
}

#[test]
fn lists_the_fields_of_every_span_as_the_vocabulary_does() {
    let schema = schema();
    let span = &schema["$defs"]["span"];

    let listed: Vec<_> = span["oneOf"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|span| {
            let span = &span["properties"];
            let name = span["name"]["const"].as_str().expect("a name");
            (name, names(&span["fields"]["propertyNames"]["enum"]))
        })
        .collect();

    let vocabulary = SPANS.map(|span| (span.as_str(), span.fields().iter().copied().collect()));
    assert_eq!(listed, vocabulary);
    assert_eq!(
        names(&span["properties"]["name"]["enum"]),
        SPANS.map(SpanName::as_str).into(),
    );
    let described = schema["$defs"]["fields"]["properties"].as_object();
    assert_eq!(
        described
            .expect("an object")
            .keys()
            .map(String::as_str)
            .collect::<BTreeSet<_>>(),
        SPANS
            .iter()
            .flat_map(|span| span.fields())
            .copied()
            .collect(),
    );
}

#[test]
fn lists_the_counters_and_labels_of_every_catalogue() {
    let schema = schema();
    let counter = &schema["$defs"]["counter"]["properties"];

    let listed = (
        names(&counter["name"]["enum"]),
        names(&counter["labels"]["propertyNames"]["enum"]),
    );

    let client = client::telemetry::METRICS
        .into_iter()
        .filter(|metric| metric.kind == MetricKind::Counter)
        .map(|metric| (metric.name, metric.labels));
    let server = server::telemetry::METRICS
        .into_iter()
        .filter(|metric| metric.kind == server::telemetry::MetricKind::Counter)
        .map(|metric| (metric.name, metric.labels));
    let naive = NAIVE_METRICS
        .into_iter()
        .map(|metric| (metric.name, metric.labels));
    let (metrics, labels): (BTreeSet<_>, Vec<_>) = client.chain(server).chain(naive).unzip();
    assert_eq!(listed, (metrics, labels.concat().into_iter().collect()));
}

#[test]
fn lists_the_reasons_as_the_client_has_them() {
    let schema = schema();
    let defs = &schema["$defs"];

    let listed = (
        names(&defs["fields"]["properties"]["retry.reason"]["enum"]),
        names(&defs["give_up"]["enum"]),
    );

    let statuses = client::RETRY_STATUSES.map(|status| status.as_u16().to_string());
    let failures = client::FailureKind::ALL.map(client::FailureKind::as_str);
    let reasons = statuses
        .iter()
        .map(String::as_str)
        .chain(["other"])
        .chain(failures);
    let give_ups = client::telemetry::GiveUp::ALL.map(client::telemetry::GiveUp::as_str);
    assert_eq!(listed, (reasons.collect(), give_ups.into()));
}

/// Every member that the schema names, with what it says of it.
fn members(schema: &Value, found: &mut Vec<(String, Value)>) {
    match schema {
        Value::Object(keywords) => {
            for (name, member) in keywords
                .get("properties")
                .and_then(Value::as_object)
                .into_iter()
                .flatten()
            {
                found.push((name.clone(), member.clone()));
            }
            keywords.values().for_each(|value| members(value, found));
        }
        Value::Array(schemas) => schemas.iter().for_each(|schema| members(schema, found)),
        _ => {}
    }
}

#[test]
fn says_of_every_member_what_it_is() {
    let schema = schema();
    let mut found = Vec::new();
    members(&schema, &mut found);
    for (name, member) in schema["$defs"].as_object().expect("an object") {
        assert!(member["title"].is_string(), "{name} has no title");
        found.push((name.clone(), member.clone()));
    }

    for (name, member) in found {
        let narrowed = member.get("const").is_some() || member.get("propertyNames").is_some();
        let described = member.get("description").is_some() || member.get("$ref").is_some();
        assert!(described || narrowed, "{name} has no description");
    }
}
