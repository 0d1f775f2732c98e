//! Characters that a terminal does not show, but obeys.

/// A line of another program as it is, except that the characters are escaped that control
/// the terminal, or the direction of the text around them.
#[must_use]
pub fn visible(line: &str) -> String {
    let mut shown = String::with_capacity(line.len());
    for character in line.chars() {
        if is_hidden(character) {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    shown
}

/// Whether a character is a control character, or one that changes the direction of text
/// (Unicode, `Bidi_Control`).
pub(crate) fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_stay_and_what_a_terminal_obeys_is_escaped() {
        let line = "{\"é\": 'C:\\x'}\t\u{1b}[2J\u{9b}\u{202e}";

        let shown = visible(line);

        assert_eq!(shown, r#"{"é": 'C:\x'}\t\u{1b}[2J\u{9b}\u{202e}"#);
    }
}
