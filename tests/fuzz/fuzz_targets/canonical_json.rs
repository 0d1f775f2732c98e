//! A body of JSON is one job, however it is spelled, and what is no JSON is none.

#![cfg_attr(fuzzing, no_main)]

use axum::body::Body;
use fuzz::{respond, target};
use http::{Request, StatusCode};
use serde_json::Value;

target!(canonical_json);

fn canonical_json(data: &[u8]) {
    let value: Option<Value> = serde_json::from_slice(data).ok();
    let value = value.filter(|value| has_one_meaning(value, data));
    let again = value
        .as_ref()
        .map(|value| format!("{value:#}").into_bytes());
    let bodies = [Some(data.to_vec()), Some(data.to_vec()), again];

    let (served, _) = respond(|config| config, bodies.into_iter().flatten().map(job));

    let (first, replay) = (&served[0], &served[1]);
    assert_eq!(first.status, replay.status);
    match (first.status, &value) {
        (StatusCode::CREATED, _) => assert_eq!(first.body, replay.body),
        (StatusCode::UNPROCESSABLE_ENTITY, value) => {
            assert!(value.as_ref().is_none_or(|value| !value.is_object()));
        }
        (StatusCode::BAD_REQUEST, None) | (StatusCode::PAYLOAD_TOO_LARGE, _) => {}
        (other, _) => panic!("{other}"),
    }
    if let Some(again) = served.get(2) {
        assert_eq!(again.status, first.status);
        assert!(first.status != StatusCode::CREATED || again.body == first.body);
    }
}

fn job(body: Vec<u8>) -> Request<Body> {
    let job = Request::post("/jobs").header("content-type", "application/json");
    let job = job.header("idempotency-key", "k");
    job.body(Body::from(body)).expect("a request")
}

/// Whether nothing was lost as this value was read: no member of a name that came twice,
/// and no digit.
fn has_one_meaning(value: &Value, text: &[u8]) -> bool {
    let colons = text.iter().filter(|byte| **byte == b':').count();
    let in_strings = text_of(value).matches(':').count();
    let escaped = text.windows(5).any(|it| it.eq_ignore_ascii_case(b"u003a"));
    !escaped && members(value) + in_strings == colons && is_exact(value)
}

fn members(value: &Value) -> usize {
    match value {
        Value::Array(elements) => elements.iter().map(members).sum(),
        Value::Object(object) => object.len() + object.values().map(members).sum::<usize>(),
        _ => 0,
    }
}

/// All strings of a value, names included.
fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(elements) => elements.iter().map(text_of).collect(),
        Value::Object(object) => {
            let members = object.iter();
            members.map(|(name, value)| text_of(value) + name).collect()
        }
        _ => String::new(),
    }
}

fn is_exact(value: &Value) -> bool {
    match value {
        Value::Number(number) => !number.is_f64(),
        Value::Array(elements) => elements.iter().all(is_exact),
        Value::Object(object) => object.values().all(is_exact),
        _ => true,
    }
}
