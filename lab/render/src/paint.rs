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

fn printable(sign: char, ascii: bool) -> char {
    match sign {
        '\t' => ' ',
        '·' | '–' if ascii => '-',
        '→' if ascii => '>',
        '←' if ascii => '<',
        '…' if ascii => '~',
        '×' if ascii => 'x',
        '└' if ascii => '`',
        _ if ascii && !sign.is_ascii() => '?',
        // Zero-width characters (controls, joiners, directions) could hide or reorder the
        // text around them.
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
    fn control_characters_from_the_wire_are_replaced() {
        assert_eq!(
            fit("a\u{1b}[2Jb\nc\u{202e}d\te\u{9b}", 20, false),
            "a?[2Jb?c?d e?"
        );
    }

    #[test]
    fn with_ascii_only_ascii_remains() {
        assert_eq!(fit("└ service · grün", 20, true), "` service - gr?n");
        assert_eq!(fit("service", 4, true), "ser~");
    }
}
