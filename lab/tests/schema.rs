//! The JSON Schemas of the lab's output. All runs must conform to that of a run, and
//! changed runs must be refused.

use std::{future::ready, ops::ControlFlow, time::Duration};

use evidence::{Comparison, Overrides, Run, compare::Sample, storm::Tally};
use jsonschema::Validator;
use runner::{
    ClientUnderTest, Naive, Reliable, Settings, run, run_until,
    scenario::{CATALOGUE, Scenario, find},
    storm::{Plan, STORIES, simulate},
};
use serde_json::{Map, Value, json};
use tracing_subscriber::layer::Identity;

/// The objects with optional and additional members.
const MAPS: [&str; 4] = ["facts", "fields", "labels", "routes"];

fn schema() -> Value {
    parsed(&render::run_schema())
}

/// Every schema of the lab's output.
fn schemas() -> [Value; 4] {
    let [card, storm] = [render::card_schema(), render::storm_schema()];
    let proxy = render::proxy_schema();
    [schema(), parsed(&card), parsed(&storm), parsed(&proxy)]
}

fn parsed(schema: &str) -> Value {
    serde_json::from_str(schema).expect("the schema is JSON")
}

fn validator() -> Validator {
    jsonschema::draft202012::new(&schema()).expect("the schema can be used")
}

/// The schema of a run alone: with the whole schema, the error would only say that the
/// value matches no alternative.
fn run_validator() -> Validator {
    let mut schema = schema();
    let object = schema.as_object_mut().expect("an object");
    object.remove("anyOf");
    object.insert("$ref".to_owned(), json!("#/$defs/Run"));
    jsonschema::draft202012::new(&schema).expect("the schema can be used")
}

async fn finished(
    scenario: &Scenario,
    client: &'static dyn ClientUnderTest,
    overrides: Overrides,
) -> Run {
    let settings = Settings {
        overrides,
        ..Settings::in_virtual_time(client, u64::MAX)
    };
    run(scenario, &settings).await.expect("a run")
}

fn as_json(value: &impl serde::Serialize) -> Value {
    serde_json::from_str(&render::json(value)).expect("JSON")
}

async fn flaky() -> Value {
    let scenario = find("flaky").expect("a scenario of the catalogue");
    as_json(&finished(scenario, &Reliable, Overrides::NONE).await)
}

fn errors(validator: &Validator, value: &Value) -> Vec<String> {
    let errors = validator.iter_errors(value);
    errors
        .map(|error| format!("{error} at {}", error.instance_path))
        .collect()
}

#[test]
fn a_storm_conforms_to_its_schema() {
    let mut plan = Plan::of(&STORIES[0]);
    plan.settings.incident_starts = Duration::ZERO;
    plan.settings.incident_lasts = Duration::from_millis(500);
    plan.settings.length = Duration::from_secs(3);
    let storm = simulate(&plan, |_| ControlFlow::Continue(()));
    let storm = storm.expect("run");
    let tally = Tally::of(&storm);
    let tally = parsed(&render::json(&tally));
    let storm = parsed(&render::json(&storm));
    let schema = parsed(&render::storm_schema());
    let schema = jsonschema::draft202012::new(&schema).expect("the schema can be used");

    assert!(schema.is_valid(&storm));
    assert!(schema.is_valid(&tally));
    let mut other = storm.clone();
    other["policies"][0]["more"] = 1.into();
    assert!(!schema.is_valid(&other));
}

#[test]
fn the_schema_conforms_to_its_draft() {
    for schema in schemas() {
        let checked = jsonschema::draft202012::meta::validate(&schema);

        assert!(checked.is_ok(), "{checked:?}");
        assert_eq!(
            schema["$schema"],
            "https://json-schema.org/draft/2020-12/schema"
        );
    }
}

#[tokio::test]
async fn every_run_and_comparison_conforms_to_the_schema() {
    let (of_a_run, of_all) = (run_validator(), validator());
    let once = Overrides {
        max_attempts: Some(1),
        ..Overrides::NONE
    };
    let mut runs = Vec::new();
    for scenario in CATALOGUE {
        let name = scenario.words.name;
        for (client, overrides) in [
            (&Reliable as &'static dyn ClientUnderTest, Overrides::NONE),
            (&Reliable, once),
            (&Naive, Overrides::NONE),
        ] {
            let run = finished(scenario, client, overrides).await;
            assert_eq!(errors(&of_a_run, &as_json(&run)), [""; 0], "{name}");
            runs.push(run);
        }
        let [reliable, _, naive] = &runs[runs.len() - 3..] else {
            unreachable!("three were run")
        };
        let comparison = {
            let runs = [reliable.clone(), naive.clone()];
            let sample = runs.each_ref().map(|run| vec![run.wire.clone()]);
            Comparison::of(runs, Some(&Sample(sample)), String::new())
        };
        assert_eq!(errors(&of_all, &as_json(&comparison)), [""; 0], "{name}");
    }

    assert_eq!(errors(&of_all, &as_json(&runs)), [""; 0]);
}

#[tokio::test]
async fn a_cancelled_run_conforms_to_the_schema() {
    let scenario = find("flaky").expect("a scenario of the catalogue");
    let settings = Settings::in_virtual_time(&Reliable, u64::MAX);

    let run = run_until(ready(()), Identity::new(), scenario, &settings).await;

    let run = as_json(&run.expect("a run"));
    assert_eq!(run["outcome"]["ending"], "cancelled");
    assert_eq!(errors(&run_validator(), &run), [""; 0]);
}

/// Every object in a document, as a JSON Pointer.
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
fn with(run: &Value, at: &str, change: impl FnOnce(&mut Map<String, Value>)) -> Value {
    let mut run = run.clone();
    let object = run.pointer_mut(at).and_then(Value::as_object_mut);
    change(object.expect("an object"));
    run
}

#[tokio::test]
async fn the_schema_refuses_extra_missing_and_mistyped_members() {
    let (validator, run) = (run_validator(), flaky().await);
    let mut workers = Vec::new();
    objects(&run, String::new(), &mut workers);

    let mut accepted = Vec::new();
    for at in &workers {
        let more = with(&run, at, |object| {
            object.insert("surprise".to_owned(), json!({ "secs": 1 }));
        });
        if validator.is_valid(&more) {
            accepted.push(format!("{at}: a member that nobody knows"));
        }
        let object = run.pointer(at).and_then(Value::as_object);
        for name in object.expect("an object").keys() {
            let less = with(&run, at, |object| drop(object.remove(name)));
            let is_map = MAPS.iter().any(|map| at.ends_with(&format!("/{map}")));
            if !is_map && validator.is_valid(&less) {
                accepted.push(format!("{at}: no {name}"));
            }
            let other = with(&run, at, |object| {
                object.insert(name.clone(), json!([[]]));
            });
            if validator.is_valid(&other) {
                accepted.push(format!("{at}: {name} of another type"));
            }
        }
    }

    assert!(workers.len() > 30, "{workers:?}");
    assert!(accepted.is_empty(), "{accepted:#?}");
}

/// Every property of the schema without a description.
fn undescribed(schema: &Value, at: &str, found: &mut Vec<String>) {
    let Value::Object(keywords) = schema else {
        return;
    };
    for (name, property) in keywords
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
    {
        if !property["description"].is_string() {
            found.push(format!("{at}.{name}"));
        }
    }
    for (keyword, value) in keywords {
        undescribed(value, &format!("{at}.{keyword}"), found);
    }
}

#[test]
fn every_type_and_every_property_has_a_description() {
    let mut found = Vec::new();

    for schema in schemas() {
        undescribed(&schema, "", &mut found);
        let types = schema["$defs"].as_object().expect("an object").iter();
        found.extend(
            types
                .filter(|(_, of_type)| !of_type["description"].is_string())
                .map(|(name, _)| name.clone()),
        );
    }

    assert!(found.is_empty(), "{found:#?}");
}
