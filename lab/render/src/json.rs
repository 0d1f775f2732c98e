//! A run as JSON, for programs.

use serde::Serialize;

use crate::paint::is_harmful;

/// Serializes a run, or a list of runs, as indented JSON with a final
/// line break.
///
/// A duration is a number with its unit in its name: whole nanoseconds (`_ns`) if it was
/// measured, seconds if it is a setting. Characters that could rewrite a terminal or reorder text
/// are escaped.
#[must_use]
pub fn json(value: &impl Serialize) -> String {
    #[expect(clippy::expect_used, reason = "every key is a string")]
    let text = serde_json::to_string_pretty(value).expect("a run is plain data");
    // serde_json escapes no control from U+007F on. They stand in strings alone.
    let mut escaped = String::with_capacity(text.len() + 1);
    for sign in text.chars() {
        if sign != '\n' && is_harmful(sign) {
            escaped.push_str(&format!("\\u{:04x}", u32::from(sign)));
        } else {
            escaped.push(sign);
        }
    }
    escaped.push('\n');
    escaped
}
