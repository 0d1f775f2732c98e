//! A waterfall: one row for each attempt and each wait, in order of their start, with a
//! bar for the time and duration.
//!
//! ```text
//!     0 ms  ▕█▏                           attempt 1   503 Service Unavailable
//!     2 ms   ▕░░░░░░░▏                    wait 131 ms   backoff (status 503)
//!   133 ms           ▕█▏                  attempt 2   200 OK
//! ```
//!
//! A wait that is much longer than all else is cut with a visible break (`░░╱╱░░`); the
//! times beside the bars are still true. An open span ends in an arrow at the time of the
//! picture.

use render::Options;

use super::layout::Layout;
use crate::{chart::Chart, trace::Trace};

/// Draws a trace as a chart; every row ends with a line break. Several operations each get a
/// heading. Without spans the text is empty.
#[must_use]
pub fn waterfall(trace: &Trace, options: &Options) -> String {
    let [chart] = waterfalls([trace], options);
    chart
}

/// Draws several runs as charts that share one axis and one set of columns, so that equal
/// durations have equal lengths. Each may have as many rows as the options allow.
#[must_use]
pub fn waterfalls<const N: usize>(runs: [&Trace; N], options: &Options) -> [String; N] {
    let charts = runs.map(|trace| Chart::unfolded(trace, options.rows));
    let layout = Layout::new(&charts, options);
    charts.map(|chart| draw(&chart, &layout))
}

fn draw(chart: &Chart, layout: &Layout) -> String {
    let mut text = String::new();
    let (head, tail) = chart.ends();
    layout.draw_all(&mut text, chart, head);
    if chart.left_out > 0 {
        layout.remark(&mut text, &format!("({} rows not shown)", chart.left_out));
    }
    layout.draw_all(&mut text, chart, tail);
    if let Some(limit) = &chart.limit {
        layout.limit(&mut text, limit);
    }
    if chart.unrecorded > 0 {
        let spans = chart.unrecorded;
        let remark = format!("({spans} more spans were not recorded: the trace was full)");
        layout.remark(&mut text, &remark);
    }
    text
}

#[cfg(test)]
mod tests;
