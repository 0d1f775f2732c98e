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

use evidence::{plot::Chart, trace::Trace};

use super::layout::Layout;

/// How a text is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Columns of the terminal. Fewer than 40 are taken as 40.
    pub width: usize,
    /// Lines of the terminal, if it is one.
    pub height: Option<usize>,
    /// Whether to add colour, as ANSI escapes. It never says anything new.
    pub color: bool,
    /// Whether to use nothing but ASCII.
    pub ascii: bool,
    /// The most rows to show; of more the middle is left out. Fewer than 3 are
    /// taken as 3.
    pub rows: usize,
    /// Whether to say under each row why it is so.
    pub explain: bool,
    /// Whether to show each request and its response as they went over the wire.
    pub exchanges: bool,
    /// How the reader called the lab: what a text advises to run begins with it.
    pub lab: &'static str,
}

impl Options {
    /// The default of [`Options::width`].
    pub const WIDTH: usize = 80;
    /// The fewest columns that anything is set in.
    pub const NARROWEST: usize = 40;
    /// The default of [`Options::rows`].
    pub const ROWS: usize = 60;
    /// The default of [`Options::lab`]: how the lab is called in a checkout.
    pub const LAB: &'static str = "cargo run -p lab --";
}

impl Default for Options {
    fn default() -> Self {
        Self {
            width: Self::WIDTH,
            height: None,
            color: false,
            ascii: false,
            rows: Self::ROWS,
            explain: false,
            exchanges: false,
            lab: Self::LAB,
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
    let charts = runs.map(|traces| Chart::new(traces, options.rows));
    let layout = Layout::new(&charts, options);
    charts.map(|chart| draw(&chart, &layout))
}

fn draw(chart: &Chart, layout: &Layout) -> String {
    let mut text = String::new();
    layout.draw_all(&mut text, chart, chart.head());
    if chart.left_out() > 0 {
        layout.remark(&mut text, &format!("({} rows left out)", chart.left_out()));
    }
    layout.draw_all(&mut text, chart, chart.tail());
    if let Some(limit) = &chart.limit {
        layout.limit(&mut text, limit);
    }
    if chart.unrecorded > 0 {
        let remark = format!(
            "({} more spans were not recorded: the trace was full)",
            chart.unrecorded
        );
        layout.remark(&mut text, &remark);
    }
    text
}

#[cfg(test)]
mod tests;
