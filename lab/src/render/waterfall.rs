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

use super::{
    layout::Layout,
    rows::{Row, rows},
};
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
    let [chart] = waterfalls([traces], options);
    chart
}

/// Draws several runs as charts that share one axis and one set of columns:
/// what is as long is drawn as long. Each may have as many rows as the options
/// allow.
#[must_use]
pub fn waterfalls<const N: usize>(runs: [&[Trace]; N], options: &Options) -> [String; N] {
    let charts = runs.map(|traces| Chart::new(traces, options.rows.max(3)));
    let layout = Layout::new(
        charts.iter().flat_map(|chart| &chart.rows),
        charts.iter().flat_map(Chart::shown),
        options,
    );
    charts.map(|chart| chart.draw(&layout))
}

/// The rows of one run, and which of them to show: those before `first` and
/// those from `last`.
struct Chart<'a> {
    rows: Vec<Row<'a>>,
    first: usize,
    last: usize,
    dropped: u64,
}

impl<'a> Chart<'a> {
    fn new(traces: &'a [Trace], most: usize) -> Self {
        let rows = rows(traces);
        let (first, last) = split(rows.len(), most);
        Self {
            rows,
            first,
            last,
            dropped: traces.iter().map(|trace| trace.dropped_spans).sum(),
        }
    }

    fn shown(&self) -> impl Iterator<Item = &Row<'a>> {
        self.rows[..self.first]
            .iter()
            .chain(&self.rows[self.last..])
    }

    fn draw(&self, layout: &Layout) -> String {
        let mut text = String::new();
        for row in &self.rows[..self.first] {
            layout.draw(&mut text, row);
        }
        if self.last > self.first {
            let left_out = self.last - self.first;
            layout.remark(&mut text, &format!("({left_out} rows left out)"));
        }
        for row in &self.rows[self.last..] {
            layout.draw(&mut text, row);
        }
        if self.dropped > 0 {
            let remark = format!(
                "({} more spans were not recorded: the trace was full)",
                self.dropped
            );
            layout.remark(&mut text, &remark);
        }
        text
    }
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
