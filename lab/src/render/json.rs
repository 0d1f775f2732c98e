//! A run as JSON, for programs.

use crate::run::Run;

/// Sets a run as one JSON object, indented, with a line break at its end.
///
/// Times within a trace are whole nanoseconds; a duration of the ledger is an
/// object of whole seconds and nanoseconds.
#[must_use]
pub fn json(run: &Run) -> String {
    let mut text = serde_json::to_string_pretty(run).expect("a run is plain data");
    text.push('\n');
    text
}
