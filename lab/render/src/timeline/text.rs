//! A timeline as text: rows with a bar for the time and duration of each.
//!
//! ```text
//!     0 ms  ▕█▏                           attempt 1   503 Service Unavailable
//!     2 ms   ▕░░░░░░░▏···                 wait 131 ms   backoff, at most 200 ms
//!   133 ms           ▕█▏                  attempt 2   200 OK
//! ```
//!
//! A wait that is much longer than all else is cut with a visible break (`░░╱╱░░`); the times
//! beside the bars are still true. A bar that goes on ends in an arrow.

use std::{fmt::Write, time::Duration};

use anstyle::Style;
use unicode_width::UnicodeWidthStr;
use wire::duration;

use super::{
    Bar, Kind, Limit, Row, Timeline,
    look::{ASCII, Signs, UNICODE},
};
use crate::{
    Options, Sheet,
    paint::{fit, fit_words},
    scale::{Extent, Scale},
};

/// The minimum width of the time column. Most timelines have the same.
const NARROWEST_TIME: usize = 8;

/// The minimum width of the bars beside long labels, caps included.
const NARROWEST_CHART: usize = 24;

/// The gap between time, bars and label.
const GAP: &str = "  ";

/// The width of the bars of a brief timeline, and of the times before them.
const BRIEF_CHART: usize = 20;
const BRIEF_TIME: usize = 9;

/// The indentation of a brief timeline's remark on rows that are left out.
const BRIEF_REMARK: usize = 5;

/// Draws timelines over the whole width, on one axis and in one set of columns, so that equal
/// times have equal lengths. Each row is one line and ends with a line break; a label that is
/// too long is cut. Without rows the text is empty.
#[must_use]
pub fn text<const N: usize>(timelines: [&Timeline; N], options: &Options) -> [String; N] {
    let page = Page::new(&timelines, options);
    timelines.map(|timeline| page.draw(timeline))
}

/// Draws a timeline beside its labels, which are wrapped: the evidence of a card, indented by so
/// many columns. A row with a bad tag is red.
pub fn brief(sheet: &mut Sheet<'_>, indent: usize, timeline: &Timeline) {
    let signs = signs(sheet.options);
    let scale = scale(&[timeline], BRIEF_CHART);
    let (head, tail) = timeline.ends();
    for row in head {
        brief_row(sheet, indent, row, &bars(timeline, row, &scale, signs));
    }
    if let Some(gap) = &timeline.gap {
        let remark = " ".repeat(indent + BRIEF_REMARK);
        sheet.beside(&remark, &format!("({})", gap.words));
    }
    for row in tail {
        brief_row(sheet, indent, row, &bars(timeline, row, &scale, signs));
    }
}

fn brief_row(sheet: &mut Sheet<'_>, indent: usize, row: &Row, bars: &str) {
    let at = duration(row.at);
    let times = format!("{:indent$}{at:>BRIEF_TIME$}{GAP}{bars}{GAP}", "");
    let label = format!("{:<4} {}", row.label, row.note);
    let is_bad = row.tags.iter().any(|tag| tag.is_bad);
    if times.width() + label.width() <= sheet.width() {
        let line = sheet.red_if(is_bad, &format!("{times}{label}"));
        sheet.line(&line);
    } else {
        let label = sheet.red_if(is_bad, &label);
        sheet.beside(&times, &label);
    }
}

fn signs(options: &Options) -> &'static Signs {
    options.or_ascii(&UNICODE, &ASCII)
}

/// One axis for these timelines.
fn scale(timelines: &[&Timeline], columns: usize) -> Scale {
    let extents = timelines.iter().flat_map(|timeline| {
        timeline.bars().flat_map(|bar| {
            let extent = |end: Duration| Extent {
                start: bar.from,
                end: end.max(bar.from),
                pause: bar.kind.is_waiting(),
            };
            [Some(timeline.end(bar)), bar.at_most].map(|end| end.map(extent))
        })
    });
    Scale::new(&extents.flatten().collect::<Vec<_>>(), columns)
}

/// The bars of a row in one line, without caps. Attempts are drawn over waits, so that none is
/// hidden.
#[expect(clippy::indexing_slicing, reason = "a bar is within its columns")]
fn bars(timeline: &Timeline, row: &Row, scale: &Scale, signs: &Signs) -> String {
    let mut line = vec![' '; scale.columns()];
    let (waits, others): (Vec<&Bar>, Vec<_>) =
        row.bars.iter().partition(|bar| bar.kind.is_waiting());
    for bar in waits.into_iter().chain(others) {
        let sign = match (row.is_call, bar.kind) {
            // The moment at which a call ended would hide its last attempt.
            (true, Kind::Stop) => continue,
            (true, kind) => signs.in_call(kind),
            (false, kind) => signs.of(kind),
        };
        line[scale.bar(bar.from, timeline.end(bar))].fill(sign);
    }
    line.into_iter().collect()
}

/// The widths of the columns, and the signs to fill them with.
struct Page {
    scale: Scale,
    /// The widths of time, bars and label, in this order.
    time: usize,
    chart: usize,
    label: usize,
    options: Options,
}

impl Page {
    /// Divides the columns so that the labels fit.
    fn new(timelines: &[&Timeline], options: &Options) -> Self {
        let width = options.width.max(Options::NARROWEST);
        let (least_time, least_chart) = if width < Options::WIDTH {
            (0, width / 5)
        } else {
            (NARROWEST_TIME, NARROWEST_CHART)
        };
        let (mut time, mut label) = (least_time, 0);
        for row in timelines.iter().flat_map(|timeline| &timeline.rows) {
            time = time.max(duration(row.at).width());
            if !row.is_heading() {
                label = label.max(fit(&label_of(row), width, options.ascii).width());
            }
        }
        let room = width - time - 2 * GAP.len();
        let label = label.min(room - least_chart);
        let chart = room - label;
        Self {
            // The caps of a bar are outside its columns.
            scale: scale(timelines, chart - 2),
            time,
            chart,
            label,
            options: *options,
        }
    }

    fn draw(&self, timeline: &Timeline) -> String {
        let mut text = String::new();
        let (head, tail) = timeline.ends();
        for row in head {
            self.row(&mut text, timeline, row);
        }
        if let Some(gap) = &timeline.gap {
            self.remark(&mut text, &gap.words);
        }
        for row in tail {
            self.row(&mut text, timeline, row);
        }
        if let Some(limit) = &timeline.limit {
            self.limit(&mut text, limit);
        }
        for remark in &timeline.remarks {
            self.remark(&mut text, remark);
        }
        text
    }

    fn row(&self, text: &mut String, timeline: &Timeline, row: &Row) {
        let label = label_of(row);
        let _ = write!(text, "{:>1$}{GAP}", duration(row.at), self.time);
        if row.is_heading() {
            let columns = self.chart + GAP.len() + self.label;
            self.paint(
                text,
                Style::new().bold(),
                &fit_words(&label, columns, self.options.ascii),
            );
            text.push('\n');
            return;
        }
        let style = row.kind.style();
        match row.bars.as_slice() {
            [bar, others @ ..] if !row.is_call => self.capped(text, timeline, style, bar, others),
            _ => {
                let bars = bars(timeline, row, &self.scale, signs(&self.options));
                self.paint(text, style, &format!(" {bars} "));
            }
        }
        text.push_str(GAP);
        self.paint(
            text,
            style,
            &fit_words(&label, self.label, self.options.ascii),
        );
        text.push('\n');
    }

    /// A bar with caps, and behind it what it could have been, or by how much it was late.
    #[expect(
        clippy::indexing_slicing,
        reason = "a bar and its two caps fit the chart"
    )]
    fn capped(
        &self,
        text: &mut String,
        timeline: &Timeline,
        style: Style,
        bar: &Bar,
        others: &[Bar],
    ) {
        let signs = signs(&self.options);
        let columns = self.scale.bar(bar.from, timeline.end(bar));
        let (start, end) = (columns.start, columns.end);
        let mut line = vec![' '; self.chart];
        line[start + 1..=end].fill(signs.of(bar.kind));
        for cut in self.scale.cuts(&columns) {
            line[cut.start + 1..=cut.end].fill(signs.cut);
        }
        let is_capped = !matches!(bar.kind, Kind::Service | Kind::Stop);
        if is_capped {
            line[start] = signs.left;
        }
        line[end + 1] = match bar.to {
            None => signs.open,
            Some(_) if is_capped => signs.right,
            Some(_) => ' ',
        };
        let mut behind = |until: Duration, sign| {
            let until = self.scale.bar(bar.from, until).end;
            if until > end {
                line[end + 2..until + 2].fill(sign);
            }
        };
        if let Some(at_most) = bar.at_most {
            behind(at_most, signs.ceiling);
        }
        for other in others {
            behind(timeline.end(other), signs.of(other.kind));
        }
        let drawn: String = line.into_iter().collect();
        let bars = drawn.trim_end();
        let before = bars.len() - bars.trim_start().len();
        let _ = write!(text, "{:before$}", "");
        self.paint(text, style, bars.trim_start());
        let _ = write!(text, "{:1$}", "", self.chart - bars.width());
    }

    /// The limit over time: each number is placed where it took effect, if there is room for it
    /// before the next one.
    fn limit(&self, text: &mut String, limit: &Limit) {
        let mut line = vec![signs(&self.options).limit; self.chart - 2];
        let numbers = limit.steps.iter();
        let numbers =
            numbers.map(|(at, limit)| (self.scale.bar(*at, *at).start, limit.to_string()));
        let mut free = line.len() + 1;
        for (start, number) in numbers.rev() {
            if start + number.len() < free {
                for (place, sign) in line.iter_mut().skip(start).zip(number.chars()) {
                    *place = sign;
                }
                free = start;
            }
        }
        let line: String = line.into_iter().collect();
        let label = fit_words(&limit.label, self.label, self.options.ascii);
        let _ = writeln!(text, "{:1$}{GAP} {line} {GAP}{label}", "", self.time);
    }

    /// A line about rows that are not shown.
    fn remark(&self, text: &mut String, words: &str) {
        let _ = writeln!(text, "{:1$}{GAP}({words})", "", self.time);
    }

    fn paint(&self, text: &mut String, style: Style, words: &str) {
        let _ = if self.options.color {
            write!(text, "{style}{words}{style:#}")
        } else {
            write!(text, "{words}")
        };
    }
}

/// The label and the note of a row, on one line.
pub(super) fn label_of(row: &Row) -> String {
    let note = &row.note;
    let label = match row.delay() {
        Some(delay) => format!("{}, {delay}", row.label),
        None => row.label.clone(),
    };
    match row.kind {
        _ if note.is_empty() => label,
        _ if row.is_call => format!("{label} · {note}"),
        Kind::Service if row.is_nested() => format!("└ {label}  {note}"),
        Kind::Service => format!("{label}  {note}"),
        _ => format!("{label}   {note}"),
    }
}
