//! Where the parts of a row stand, and what its bar is made of.

use std::{fmt::Write, time::Duration};

use unicode_width::UnicodeWidthStr;

use super::{
    paint::{self, fit},
    waterfall::Options,
};
use evidence::{
    plot::{Chart, Row, Scale},
    trace::SpanName,
};

/// The narrowest column of times: most runs have the same.
const NARROWEST_TIME: usize = 8;

/// The narrowest a chart gets for the sake of long labels, caps included.
const NARROWEST_CHART: usize = 24;

/// Stands between time, chart and label.
const GAP: &str = "  ";

/// How the columns are divided, and the signs to fill them with.
pub(super) struct Layout {
    scale: Scale,
    /// Columns for the time, the chart and the label, in this order.
    time: usize,
    chart: usize,
    label: usize,
    options: Options,
}

impl Layout {
    /// Divides the columns so that the labels of the rows that are shown fit.
    pub(super) fn new(charts: &[Chart], options: &Options) -> Self {
        let width = options.width.max(Options::WIDTH);
        let (mut time, mut label) = (NARROWEST_TIME, 0);
        for row in charts.iter().flat_map(Chart::shown) {
            time = time.max(row.at.width());
            if !row.is_heading() {
                label = label.max(fit(&row.label(), width, options.ascii).width());
            }
        }
        let room = width - time - 2 * GAP.len();
        let label = label.min(room - NARROWEST_CHART);
        let chart = room - label;
        Self {
            // The caps of a bar stand beside its columns.
            scale: Chart::scale(charts, chart - 2),
            time,
            chart,
            label,
            options: *options,
        }
    }

    /// Adds a row.
    pub(super) fn draw(&self, text: &mut String, chart: &Chart, row: &Row) {
        let _ = write!(text, "{:>1$}{GAP}", row.at, self.time);
        if row.is_heading() {
            let columns = self.chart + GAP.len() + self.label;
            self.paint(text, row, &row.label(), columns);
        } else {
            let (before, bar) = self.bar(row, chart.until(row));
            let after = self.chart - before - bar.width();
            let _ = write!(text, "{:before$}", "");
            self.paint(text, row, &bar, self.chart);
            let _ = write!(text, "{:after$}{GAP}", "");
            self.paint(text, row, &row.label(), self.label);
        }
        text.push('\n');
    }

    /// Adds a line about what is not shown.
    pub(super) fn remark(&self, text: &mut String, words: &str) {
        let _ = writeln!(text, "{:1$}{GAP}{words}", "", self.time);
    }

    /// The columns to leave free, and the bar.
    fn bar(&self, row: &Row, until: Duration) -> (usize, String) {
        let signs = self.signs();
        let columns = self.scale.bar(row.start, until);
        let sign = match row.kind {
            SpanName::Wait => signs.wait,
            SpanName::Request => signs.request,
            SpanName::Run | SpanName::Operation | SpanName::Attempt => signs.attempt,
        };
        let cut: Vec<_> = self.scale.cuts(&columns).flatten().collect();
        let body = columns.clone().map(|column| match cut.contains(&column) {
            true => signs.cut,
            false => sign,
        });
        let right = match (row.end, row.kind) {
            (None, _) => signs.open,
            (Some(_), SpanName::Request) => ' ',
            (Some(_), _) => signs.right,
        };
        let left = match row.kind {
            SpanName::Request => ' ',
            _ => signs.left,
        };
        let bar = std::iter::once(left).chain(body).chain([right]);
        (columns.start, bar.collect())
    }

    fn paint(&self, text: &mut String, row: &Row, words: &str, columns: usize) {
        let words = fit(words, columns, self.options.ascii);
        let style = paint::style(row);
        let _ = match self.options.color {
            true => write!(text, "{style}{words}{style:#}"),
            false => write!(text, "{words}"),
        };
    }

    fn signs(&self) -> &'static paint::Signs {
        match self.options.ascii {
            true => &paint::ASCII,
            false => &paint::UNICODE,
        }
    }
}
