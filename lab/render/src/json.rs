//! A run as JSON, for programs.

use serde::Serialize;

/// Sets a [`Run`](evidence::Run), or a list of them, as JSON: indented, with a
/// line break at its end.
///
/// A length of time is a number with its unit in its name: whole nanoseconds
/// (`_ns`) where it was measured, seconds where it was asked for.
#[must_use]
pub fn json(value: &impl Serialize) -> String {
    #[expect(clippy::expect_used, reason = "no key of what is printed is no text")]
    let mut text = serde_json::to_string_pretty(value).expect("a run is plain data");
    text.push('\n');
    text
}
