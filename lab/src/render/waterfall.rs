//! A waterfall: one row for each attempt and each wait, in the order they
//! began, with a bar that says when and how long.
//!
//! ```text
//!     0 ms  ▕█▏                           attempt 1   503 Service Unavailable
//!     2 ms   ▕░░░░░░░▏                    wait 131 ms   backoff (status 503)
//!   133 ms           ▕█▏                  attempt 2   200 OK
//! ```
//!
//! A wait that dwarfs all else is cut short with a visible break (`░░╱╱░░`);
//! the times beside the bars are true all the same. What is still open ends in
//! an arrow at the time of the picture.

use super::{layout::Layout, rows::rows};
use crate::trace::Trace;

/// How a waterfall is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Columns of the terminal. Fewer than 80 are taken as 80.
    pub width: usize,
    /// Whether to add colour, as ANSI escapes. It never says anything new.
    pub color: bool,
    /// Whether to use nothing but ASCII.
    pub ascii: bool,
    /// The most rows to show; of more the middle is left out. Fewer than 3 are
    /// taken as 3.
    pub rows: usize,
}

impl Options {
    /// The fewest columns anything is drawn in, and the default.
    pub const WIDTH: usize = 80;
    /// The default of [`Options::rows`].
    pub const ROWS: usize = 60;
}

impl Default for Options {
    fn default() -> Self {
        Self {
            width: Self::WIDTH,
            color: false,
            ascii: false,
            rows: Self::ROWS,
        }
    }
}

/// Draws traces as one chart on one axis; every row ends with a line break.
///
/// Takes all traces of a run, since without a span around them each operation
/// is a trace of its own. Where there are several operations each gets a
/// heading. No traces make an empty text.
#[must_use]
pub fn waterfall(traces: &[Trace], options: &Options) -> String {
    let rows = rows(traces);
    let (first, last) = split(rows.len(), options.rows.max(3));
    let (head, tail) = (&rows[..first], &rows[last..]);

    let layout = Layout::new(&rows, head.iter().chain(tail), options);
    let mut text = String::new();
    for row in head {
        layout.draw(&mut text, row);
    }
    if last > first {
        layout.remark(&mut text, &format!("({} rows left out)", last - first));
    }
    for row in tail {
        layout.draw(&mut text, row);
    }
    let dropped: u64 = traces.iter().map(|trace| trace.dropped_spans).sum();
    if dropped > 0 {
        let remark = format!("({dropped} more spans were not recorded: the trace was full)");
        layout.remark(&mut text, &remark);
    }
    text
}

/// Which rows to show: those before the first number and those from the
/// second. The line that tells of the others counts as a row.
fn split(rows: usize, most: usize) -> (usize, usize) {
    if rows <= most {
        (rows, rows)
    } else {
        (most / 2, rows + 1 + most / 2 - most)
    }
}

#[cfg(test)]
mod tests;
