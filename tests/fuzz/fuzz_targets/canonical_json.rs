//! A body of JSON is one job, however it is spelled, and what is no JSON is none.

#![cfg_attr(fuzzing, no_main)]

use fuzz::target;
use http::{HeaderValue, StatusCode};
use serde_json::Value;
use tests::{job, respond};

target!(canonical_json);

fn canonical_json(data: &[u8]) {
    let value: Option<Value> = serde_json::from_slice(data).ok();
    let value = value.filter(|value| has_one_meaning(value, data));
    let again = value.as_ref().map(|value| format!("{value:#}"));
    let bodies = [Some(data), Some(data), again.as_ref().map(String::as_bytes)];
    let [json, key] = ["application/json", "k"].map(HeaderValue::from_static);

    let (served, _) = respond(bodies.iter().flatten().map(|body| job(&json, &key, body)));

    let (first, replay) = (&served[0], &served[1]);
    assert_eq!(first.status(), replay.status());
    match (first.status(), &value) {
        (StatusCode::CREATED, _) => assert_eq!(first.body(), replay.body()),
        (StatusCode::UNPROCESSABLE_ENTITY, value) => {
            assert!(value.as_ref().is_none_or(|value| !value.is_object()));
        }
        (StatusCode::BAD_REQUEST, None) | (StatusCode::PAYLOAD_TOO_LARGE, _) => {}
        (other, _) => panic!("{other}"),
    }
    if let Some(again) = served.get(2) {
        assert_eq!(again.status(), first.status());
        assert!(first.status() != StatusCode::CREATED || again.body() == first.body());
    }
}

/// Whether nothing was lost as this value was read: no member of a name that came twice,
/// and no digit.
fn has_one_meaning(value: &Value, text: &[u8]) -> bool {
    let colons = text.iter().filter(|byte| **byte == b':').count();
    let escaped = text.windows(5).any(|it| it.eq_ignore_ascii_case(b"u003a"));
    !escaped && value.to_string().matches(':').count() == colons && is_exact(value)
}

fn is_exact(value: &Value) -> bool {
    match value {
        Value::Number(number) => !number.is_f64(),
        Value::Array(elements) => elements.iter().all(is_exact),
        Value::Object(object) => object.values().all(is_exact),
        _ => true,
    }
}
