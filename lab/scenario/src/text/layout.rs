//! The layout of a row: the positions of its parts, and the signs of its bar.

use std::{fmt::Write, time::Duration};

use render::{Mark, Options, Scale, fit};
use unicode_width::UnicodeWidthStr;

use super::signs;
use crate::{
    chart::{Chart, LimitLine, Part, Row},
    trace::SpanName,
};

/// The minimum width of the time column. Most runs have the same.
const NARROWEST_TIME: usize = 8;

/// The minimum width of a chart beside long labels, caps included.
const NARROWEST_CHART: usize = 24;

/// The gap between time, chart and label.
const GAP: &str = "  ";

/// The widths of the columns, and the signs to fill them with.
pub(super) struct Layout {
    scale: Scale,
    /// The widths of time, chart and label, in this order.
    time: usize,
    chart: usize,
    label: usize,
    options: Options,
}

impl Layout {
    /// Divides the columns so that the labels of the shown rows fit.
    pub(super) fn new(charts: &[Chart], options: &Options) -> Self {
        let width = options.width.max(Options::NARROWEST);
        let (least_time, least_chart) = if width < Options::WIDTH {
            (0, width / 5)
        } else {
            (NARROWEST_TIME, NARROWEST_CHART)
        };
        let (mut time, mut label) = (least_time, 0);
        for row in charts.iter().flat_map(|chart| &chart.rows) {
            time = time.max(row.at.width());
            if !row.is_heading() || row.folded {
                label = label.max(fit(&row.label(), width, options.ascii).width());
            }
        }
        let room = width - time - 2 * GAP.len();
        let label = label.min(room - least_chart);
        let chart = room - label;
        Self {
            // The caps of a bar are outside its columns.
            scale: Chart::scale(charts, chart - 2),
            time,
            chart,
            label,
            options: *options,
        }
    }

    /// Adds rows.
    pub(super) fn draw_all(&self, text: &mut String, chart: &Chart, rows: &[Row]) {
        for row in rows {
            self.draw(text, chart, row);
        }
    }

    /// Adds a row.
    fn draw(&self, text: &mut String, chart: &Chart, row: &Row) {
        let _ = write!(text, "{:>1$}{GAP}", row.at, self.time);
        if row.folded && row.is_heading() {
            let line = self.line(chart, row);
            self.paint(text, row, &line, self.chart);
            text.push_str(GAP);
            self.paint(text, row, &row.label(), self.label);
        } else if row.is_heading() {
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

    /// The bars of a whole call in one line. Attempts are drawn over waits, so that none
    /// is hidden, and failed attempts differ from others.
    #[expect(
        clippy::indexing_slicing,
        reason = "a bar and its two caps fit the chart"
    )]
    fn line(&self, chart: &Chart, row: &Row) -> String {
        let signs = self.signs();
        let mut line = vec![' '; self.chart];
        let waits = |part: &&Part| matches!(part.kind, SpanName::Wait | SpanName::Queue);
        let parts = || row.parts.iter();
        for part in parts()
            .filter(waits)
            .chain(parts().filter(|part| !waits(part)))
        {
            let sign = match (part.kind, part.mark) {
                (SpanName::Wait, _) => signs.wait,
                (SpanName::Queue, _) => signs.queue,
                (SpanName::Stop | SpanName::Crash, _) => continue,
                (_, Mark::Failed) => signs.failed,
                _ => signs.attempt,
            };
            let columns = self.scale.bar(part.start, chart.end(part));
            // The caps of other bars are outside their columns.
            line[columns.start + 1..columns.end + 1].fill(sign);
        }
        line.into_iter().collect()
    }

    /// Adds the concurrency limit over time: each number is placed where it took effect, if
    /// there is room for it before the next one.
    pub(super) fn limit(&self, text: &mut String, limit: &LimitLine) {
        let signs = self.signs();
        let mut line = vec![signs.request; self.chart - 2];
        let starts = limit.steps.iter().map(|step| (step.at, step.limit));
        let numbers = std::iter::once((Duration::ZERO, limit.from)).chain(starts);
        let numbers = numbers.map(|(at, limit)| (self.scale.bar(at, at).start, limit.to_string()));
        let numbers: Vec<_> = numbers.collect();
        let mut free = line.len() + 1;
        for (start, number) in numbers.into_iter().rev() {
            if start + number.len() < free {
                for (place, sign) in line.iter_mut().skip(start).zip(number.chars()) {
                    *place = sign;
                }
                free = start;
            }
        }
        let line: String = line.into_iter().collect();
        let label = fit("attempts in flight", self.label, self.options.ascii);
        let _ = writeln!(text, "{:1$}{GAP} {line} {GAP}{label}", "", self.time);
    }

    /// Adds a line about rows that are not shown.
    pub(super) fn remark(&self, text: &mut String, words: &str) {
        let _ = writeln!(text, "{:1$}{GAP}{words}", "", self.time);
    }

    /// The number of columns to leave free, and the bar.
    fn bar(&self, row: &Row, until: Duration) -> (usize, String) {
        let signs = self.signs();
        let columns = self.scale.bar(row.start, until);
        let sign = match row.kind {
            SpanName::Wait => signs.wait,
            SpanName::Queue => signs.queue,
            SpanName::Stop | SpanName::Crash => signs.stop,
            SpanName::Request => signs.request,
            SpanName::Run | SpanName::Operation | SpanName::Attempt => signs.attempt,
        };
        let cut: Vec<_> = self.scale.cuts(&columns).flatten().collect();
        let body = columns.clone().map(|column| {
            if cut.contains(&column) {
                signs.cut
            } else {
                sign
            }
        });
        let right = match (row.end, row.kind) {
            (None, _) => signs.open,
            (Some(_), SpanName::Request | SpanName::Stop | SpanName::Crash) => ' ',
            (Some(_), _) => signs.right,
        };
        let left = match row.kind {
            SpanName::Request | SpanName::Stop | SpanName::Crash => ' ',
            _ => signs.left,
        };
        let beyond = row.ceiling.map_or(0, |ceiling| {
            let drawn_below = self.scale.bar(row.start, ceiling);
            drawn_below.end.saturating_sub(columns.end)
        });
        let bar = std::iter::once(left)
            .chain(body)
            .chain([right])
            .chain(std::iter::repeat_n(signs.ceiling, beyond));
        (columns.start, bar.collect())
    }

    fn paint(&self, text: &mut String, row: &Row, words: &str, columns: usize) {
        let words = fit(words, columns, self.options.ascii);
        let style = signs::style(row);
        let _ = if self.options.color {
            write!(text, "{style}{words}{style:#}")
        } else {
            write!(text, "{words}")
        };
    }

    fn signs(&self) -> &'static signs::Signs {
        self.options.or_ascii(&signs::UNICODE, &signs::ASCII)
    }
}
