//! Signs and colours: the look of a row whose content is known.

use anstyle::{AnsiColor, Style};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use evidence::plot::{Mark, Row};

/// The signs of a bar. Each is one column wide.
#[derive(Debug)]
pub(super) struct Signs {
    pub(super) left: char,
    pub(super) right: char,
    /// The right end of a span that has not ended.
    pub(super) open: char,
    pub(super) attempt: char,
    /// A failed attempt, in the line of a whole call.
    pub(super) failed: char,
    pub(super) wait: char,
    /// The rest of a wait up to its ceiling, which jitter did not use.
    pub(super) ceiling: char,
    /// Waiting for a turn.
    pub(super) queue: char,
    /// The moment at which a call gave up.
    pub(super) stop: char,
    pub(super) request: char,
    /// A break, where time was cut out.
    pub(super) cut: char,
}

pub(super) const UNICODE: Signs = Signs {
    left: '▕',
    right: '▏',
    open: '→',
    attempt: '█',
    failed: '×',
    wait: '░',
    ceiling: '·',
    queue: '┄',
    stop: '■',
    request: '─',
    cut: '╱',
};

pub(super) const ASCII: Signs = Signs {
    left: '|',
    right: '|',
    open: '>',
    attempt: '#',
    failed: 'x',
    wait: '.',
    ceiling: '_',
    queue: '~',
    stop: 'X',
    request: '-',
    cut: '/',
};

/// The colour of a row. It repeats the text and adds no meaning.
pub(super) fn style(row: &Row) -> Style {
    match row.mark {
        _ if row.is_heading() && !row.folded => Style::new().bold(),
        Mark::Service => Style::new().dimmed(),
        Mark::Wait => AnsiColor::Yellow.on_default(),
        Mark::Queue => AnsiColor::Cyan.on_default(),
        Mark::Failed => AnsiColor::Red.on_default(),
        Mark::Open => Style::new(),
        Mark::Ok => AnsiColor::Green.on_default(),
    }
}

/// Cuts a text to a width and makes it safe to print.
///
/// A label holds text from the wire, and a control character in it could rewrite the
/// terminal. With `ascii` only ASCII remains.
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
        assert_eq!(fit("a\u{1b}[2Jb\nc\u{202e}d", 20, false), "a?[2Jb?c?d");
    }

    #[test]
    fn with_ascii_only_ascii_remains() {
        assert_eq!(fit("└ service · grün", 20, true), "` service - gr?n");
        assert_eq!(fit("service", 4, true), "ser~");
    }
}
