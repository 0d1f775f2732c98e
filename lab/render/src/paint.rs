//! Texts that are safe to print.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Cuts a text to a width and makes it safe to print.
///
/// A label holds text from the wire or of another program, and a control character in it could
/// rewrite the terminal. With `ascii` only ASCII remains.
pub fn fit(text: &str, columns: usize, ascii: bool) -> String {
    let safe: String = text.chars().map(|sign| printable(sign, ascii)).collect();
    if safe.width() <= columns {
        return safe;
    }
    let (ellipsis, room) = (if ascii { '~' } else { '…' }, columns.saturating_sub(1));
    let mut used = 0;
    let mut fitting: String = safe
        .chars()
        .take_while(|sign| {
            used += sign.width().unwrap_or(0);
            used <= room
        })
        .collect();
    fitting.push(ellipsis);
    fitting
}

/// Whether a character could rewrite a terminal, or break or reorder the text around it: a control
/// (Cc), a separator of lines or paragraphs (Zl, Zp), or a bidirectional control.
pub(crate) fn is_harmful(sign: char) -> bool {
    const ARABIC_LETTER_MARK: char = '\u{61c}';
    sign.is_control()
        || matches!(sign, '\u{2028}' | '\u{2029}')
        || matches!(sign, ARABIC_LETTER_MARK | '\u{200e}' | '\u{200f}')
        || matches!(sign, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A text of several lines without characters that could rewrite a terminal, or break or reorder
/// the text around them.
pub fn harmless(text: &str) -> String {
    harmless_except(text, &['\n', '\t'])
}

/// The same, but these characters remain.
pub(crate) fn harmless_except(text: &str, kept: &[char]) -> String {
    let replaced = |sign: char| {
        if is_harmful(sign) && !kept.contains(&sign) {
            '?'
        } else {
            sign
        }
    };
    text.chars().map(replaced).collect()
}

/// The same, but cut between two words, unless the first word alone is too long.
pub(crate) fn fit_words(text: &str, columns: usize, ascii: bool) -> String {
    let cut = fit(text, columns, ascii);
    let whole = fit(text, usize::MAX, ascii);
    let kept = cut.chars().count().saturating_sub(1);
    let is_between_words = cut == whole || whole.chars().nth(kept).is_none_or(char::is_whitespace);
    match cut.rsplit_once(' ') {
        Some((words, _)) if !is_between_words && !words.trim().is_empty() => {
            let ellipsis = if ascii { '~' } else { '…' };
            format!("{} {ellipsis}", words.trim_end())
        }
        _ => cut,
    }
}

fn printable(sign: char, ascii: bool) -> char {
    match sign {
        '\t' => ' ',
        '·' | '–' if ascii => '-',
        '→' | '›' if ascii => '>',
        '←' if ascii => '<',
        '…' if ascii => '~',
        '×' if ascii => 'x',
        '└' if ascii => '`',
        _ if ascii && !sign.is_ascii() => '?',
        _ if is_harmful(sign) => '?',
        // Zero-width characters, such as joiners, could hide in the text around them.
        _ if sign.width().unwrap_or(0) == 0 => '?',
        // XML forbids these two as well.
        '\u{fffe}' | '\u{ffff}' => '?',
        _ => sign,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_by_columns_and_not_by_bytes() {
        assert_eq!(fit("grün", 4, false), "grün");
        assert_eq!(fit("grünlich", 4, false), "grü…");
        assert_eq!(fit("日本語", 6, false), "日本語");
        assert_eq!(fit("日本語", 5, false), "日本…");
        assert_eq!(fit("日本語", 4, false), "日…");
    }

    #[test]
    fn a_label_is_cut_between_words() {
        assert_eq!(
            fit_words("503 Service Unavailable", 23, false),
            "503 Service Unavailable"
        );
        assert_eq!(
            fit_words("503 Service Unavailable", 22, false),
            "503 Service …"
        );
        assert_eq!(
            fit_words("503 Service Unavailable", 12, false),
            "503 Service…"
        );
        assert_eq!(fit_words("503 Service Unavailable", 11, true), "503 ~");
        assert_eq!(fit_words("Unavailable", 5, false), "Unav…");
    }

    #[test]
    fn control_characters_from_the_wire_are_replaced() {
        assert_eq!(
            fit("a\u{1b}[2Jb\nc\u{202e}d\te\u{9b}", 20, false),
            "a?[2Jb?c?d e?"
        );
    }

    #[test]
    fn no_harmful_character_is_left_of_any_text() {
        // All of Cc, Zl and Zp, and all with the property Bidi_Control.
        let controls = ('\0'..='\u{1f}').chain('\u{7f}'..='\u{9f}');
        let separators = ['\u{2028}', '\u{2029}'];
        let directions = "\u{61c}\u{200e}\u{200f}\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\
                          \u{2066}\u{2067}\u{2068}\u{2069}";
        for sign in controls.chain(separators).chain(directions.chars()) {
            let text = format!("a{sign}b");

            let expected = if matches!(sign, '\n' | '\t') {
                &text
            } else {
                "a?b"
            };
            assert_eq!(harmless(&text), expected, "{sign:?}");
            let expected = if sign == '\t' { "a b" } else { "a?b" };
            assert_eq!(fit(&text, 20, false), expected, "{sign:?}");
            let json = crate::json(&text);
            assert!(!json.trim_end().contains(is_harmful), "{sign:?}: {json}");
            assert_eq!(serde_json::from_str::<String>(&json).expect("JSON"), text);
        }
        assert_eq!(harmless("grün\t日本 👩🏽‍💻\n"), "grün\t日本 👩🏽‍💻\n");
    }

    #[test]
    fn with_ascii_only_ascii_remains() {
        assert_eq!(fit("└ service · grün", 20, true), "` service - gr?n");
        assert_eq!(fit("service", 4, true), "ser~");
    }
}
