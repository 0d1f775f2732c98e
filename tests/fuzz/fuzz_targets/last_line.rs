//! A learner's client is believed what a reader of JSON finds on its last line.

#![cfg_attr(fuzzing, no_main)]

use fuzz::target;
use grade::{Goal, GoalVerdict};
use serde_json::{Map, Value, json};
use wire::{ProcessRecord, WireRecord};
target!(last_line);

fn last_line(data: &[u8]) {
    let line = String::from_utf8_lossy(data);
    let process = ProcessRecord {
        exit: Some(0),
        last_line: (!line.is_empty()).then(|| line.clone().into_owned()),
        ..ProcessRecord::default()
    };
    let wire = WireRecord {
        total: 1,
        ..WireRecord::default()
    };

    let goal = Goal::result(json!({"attempt": 3}));
    let result = goal.judge(&wire, Some(&process));

    let read: Map<String, Value> = serde_json::from_str(&line).unwrap_or_default();
    let expected = match (
        read.get("skip"),
        read.get("attempt").and_then(Value::as_f64),
    ) {
        (Some(Value::Bool(true)), _) => GoalVerdict::Skipped,
        (_, Some(3.0)) => GoalVerdict::Reached,
        _ => GoalVerdict::Missed,
    };
    assert_eq!(result.verdict, expected);
}
