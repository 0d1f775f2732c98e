//! A run as JSON, for programs.

use serde::Serialize;

use crate::hidden::is_hidden;

/// Serializes a run, or a list of runs, as indented JSON with a final
/// line break.
///
/// A duration is a number with its unit in its name: whole nanoseconds (`_ns`) if it was
/// measured, seconds if it is a setting.
///
/// A terminal shows it as it is: characters that control the terminal, or the direction of
/// the text around them, are escaped.
#[must_use]
pub fn json(value: &impl Serialize) -> String {
    #[expect(clippy::expect_used, reason = "every key is a string")]
    let text = serde_json::to_string_pretty(value).expect("a run is plain data");
    let mut escaped = String::with_capacity(text.len() + 1);
    for character in text.chars() {
        if character != '\n' && is_hidden(character) {
            // They stand in strings alone, and have four hexadecimal digits at most.
            escaped.push_str(&format!("\\u{:04x}", u32::from(character)));
        } else {
            escaped.push(character);
        }
    }
    escaped.push('\n');
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_character_of_a_string_controls_a_terminal_or_the_direction_of_text() {
        for code in 0..=0x2100 {
            let Some(character) = char::from_u32(code) else {
                continue;
            };
            let text = format!("a{character}b");

            let json = json(&text);

            assert_eq!(serde_json::from_str::<String>(&json).expect("JSON"), text);
            assert!(!json.trim_end().contains(is_hidden), "{json:?}");
        }
        let shown = json(&"\u{9b}31m\u{202e}é");
        assert_eq!(shown, "\"\\u009b31m\\u202eé\"\n");
    }
}
