//! A run as JSON, for programs.

use serde::Serialize;

/// Serializes a run, or a list of runs, as indented JSON with a final
/// line break.
///
/// A duration is a number with its unit in its name: whole nanoseconds (`_ns`) if it was
/// measured, seconds if it is a setting.
#[must_use]
pub fn json(value: &impl Serialize) -> String {
    #[expect(clippy::expect_used, reason = "every key is a string")]
    let text = serde_json::to_string_pretty(value).expect("a run is plain data");
    text + "\n"
}
