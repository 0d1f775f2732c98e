//! A run as JSON, for programs.

use serde::Serialize;

/// Sets a [`Run`](crate::Run), or a list of them, as JSON: indented, with a
/// line break at its end.
///
/// Times within a trace are whole nanoseconds; a duration of the ledger is an
/// object of whole seconds and nanoseconds.
#[must_use]
pub fn json(value: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(value).expect("a run is plain data");
    text.push('\n');
    text
}
