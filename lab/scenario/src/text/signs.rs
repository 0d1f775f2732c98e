//! Signs and colours: the look of a row whose content is known.

use anstyle::{AnsiColor, Style};
use render::Mark;

use crate::chart::Row;

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
