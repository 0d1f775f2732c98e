//! The waterfall of a run: a row for every span, with its texts and its bar on an axis of
//! time. A row opens to show its fields, and its request and response.

use std::{collections::HashMap, iter, time::Duration};

use judge::Names;
use maud::{Markup, html};
use render::{
    Axis, Mark,
    page::{PartKind, legend, percent},
};
use wire::{WireRecord, WireRequest};

use super::{ShownRun, exchange};
use crate::{
    ScenarioRun,
    chart::{Chart, LimitLine, Part, Row, under_no_folded_one},
    trace::SpanName,
    wire_facts::carried,
};

/// How many of the rows that repeat each other are drawn before the others are folded: three
/// pages of a listing show a cycle. Of calls with rows of their own one is enough.
const REPEATED_ROWS: usize = 3;
const REPEATED_CALLS: usize = 1;

/// The waterfall of a side, on an axis that all sides share.
pub(super) struct Waterfall<'a> {
    side: &'a ShownRun<'a>,
    /// The position of the side, which distinguishes its rows from those of the other.
    number: usize,
    axis: &'a Axis,
    /// Whether some row of any side is so deep that the names need more space: equal times
    /// stand below each other.
    is_deep: bool,
    /// Whether repeated rows are folded: two runs are to be seen at once. The rows of a run that
    /// goes on stay where a reader may have opened them.
    folds: bool,
    wire: Option<Requests<'a>>,
    service: &'a str,
}

/// The record of the wire by request id, and the names of its values.
struct Requests<'a> {
    record: &'a WireRecord,
    by_id: HashMap<String, &'a WireRequest>,
    names: Names,
}

impl<'a> Waterfall<'a> {
    /// The waterfall of the side at this position.
    pub(super) fn new(
        (side, number): (&'a ShownRun<'a>, usize),
        sides: &[ShownRun<'_>],
        axis: &'a Axis,
        service: &'a str,
    ) -> Self {
        let wire = side.run.map(|run| {
            let requests = run.wire.entries.iter();
            Requests {
                record: &run.wire,
                by_id: requests
                    .map(|request| (request.request_id.to_string(), request))
                    .collect(),
                names: Names::of(&run.wire.entries),
            }
        });
        Self {
            side,
            number,
            axis,
            is_deep: sides.iter().any(|side| {
                let mut rows = side.chart.rows.iter();
                rows.any(|row| row.level > 2)
            }),
            folds: sides.len() > 1 && side.run.is_some(),
            wire,
            service,
        }
    }

    pub(super) fn draw(&self) -> Markup {
        let chart = &self.side.chart;
        let title = self.side.client.title();
        html! {
            div.waterfall.deep[self.is_deep] {
                div.row.head aria-hidden="true" {
                    span.at { "since start" }
                    span.what {}
                    (self.ticks())
                    span.how {}
                }
                @if let Some(limit) = &chart.limit { (self.limit(limit)) }
                ol.rows aria-label={ "Waterfall of " (title) } { (self.list(&chart.rows, false)) }
                (not_drawn(chart))
            }
        }
    }

    fn ticks(&self) -> Markup {
        html! {
            svg.chart.ticks {
                @for tick in &self.axis.ticks {
                    @let x = percent(self.share(tick.at));
                    line x1=(x) x2=(x) y1="70%" y2="100%" {}
                    // At the very end a number would overlap the next column.
                    @if self.share(tick.at) <= 93.0 {
                        text x=(x) y="55%" text-anchor=(if tick.at.is_zero() { "start" } else { "middle" }) {
                            (tick.label)
                        }
                    }
                }
            }
        }
    }

    /// Rows in order; those under a folded row are inside it, and so are most of those that
    /// repeat each other. `is_shown` tells whether the row around them shows their request.
    fn list(&self, rows: &[Row], is_shown: bool) -> Markup {
        let blocks = blocks(rows);
        let repeated = blocks.chunk_by(|one, next| self.folds && self.repeats(one, next));
        html! {
            @for alike in repeated {
                @let (drawn, more) = alike.split_at(drawn_of(alike));
                @for block in drawn { (self.block(block, is_shown)) }
                @if let Some(first) = more.first().and_then(|block| block.first()) {
                    (self.more(first, more, is_shown))
                }
            }
        }
    }

    /// Whether a row and the rows below it say the same as those before them. Their requests may
    /// carry other keys and cursors.
    fn repeats(&self, one: &[Row], next: &[Row]) -> bool {
        let is_after_gap = next.first().map(|row| row.span) == self.side.chart.after_gap();
        let said = |row: &Row| (row.level, row.kind, row.mark, row.how.clone());
        !is_after_gap && one.iter().map(said).eq(next.iter().map(said))
    }

    /// A row, and the rows below it.
    fn block(&self, block: &[Row], is_shown: bool) -> Markup {
        html! {
            @if let Some((row, below)) = block.split_first() {
                (self.row(row, if row.folded { below } else { &[] }, below, is_shown))
                @if !row.folded { (self.list(below, is_shown)) }
            }
        }
    }

    /// The line for rows that repeat those before it, with the bars of all.
    fn more(&self, first: &Row, blocks: &[&[Row]], is_shown: bool) -> Markup {
        let kind = row_kind(self.side, first);
        let drawn = blocks.iter().copied().flatten();
        let drawn = drawn.filter(|row| !row.is_nested() && (row.folded || !row.is_heading()));
        html! {
            li id={ "more-" (self.number) "-" (first.span) } {
                details class={ "span more " (kind.class()) } {
                    summary.row data-level=(first.level) {
                        span.at { (first.at) }
                        span.what {
                            span.sign aria-hidden="true" { (kind.sign()) }
                            "× " (blocks.len()) " more"
                        }
                        svg.chart aria-hidden="true" {
                            @for row in drawn { (self.bars(row, row_kind(self.side, row))) }
                        }
                        span.how { (first.how) }
                    }
                    ol.rows { @for block in blocks { (self.block(block, is_shown)) } }
                }
            }
        }
    }

    fn row(&self, row: &Row, inside: &[Row], below: &[Row], is_shown: bool) -> Markup {
        let kind = row_kind(self.side, row);
        let is_summary = row.is_heading() && !row.folded;
        let is_beside = is_summary || row.is_nested() || is_shown;
        let request = self.request(row, below).filter(|_| !is_beside);
        let after_gap = self.side.chart.after_gap() == Some(row.span);
        html! {
            li id={ "row-" (self.number) "-" (row.span) } .after-gap[after_gap] {
                details class={ "span " (row.kind.as_str()) " " (kind.class()) } {
                    summary.row data-level=(row.level) {
                        span.at { (row.at) }
                        span.what { span.sign aria-hidden="true" { (kind.sign()) } (row.what) }
                        svg.chart aria-hidden="true" {
                            @if !is_summary { (self.bars(row, kind)) (self.lasted(row)) }
                        }
                        span.how {
                            @if let Some(due) = row.due { (left(due, self.side.chart.taken_at)) " left · " }
                            (row.how)
                            @if let Some(note) = request.and_then(|request| self.note(request)) {
                                " " span.note { (note) }
                            }
                        }
                    }
                    (self.facts(row, request))
                    @if !inside.is_empty() { ol.rows { (self.list(inside, is_shown || request.is_some())) } }
                }
            }
        }
    }

    /// The bars of a row: that of its span, or those of the spans of a folded call, waits
    /// first, so that no attempt is hidden under one.
    fn bars(&self, row: &Row, own: PartKind) -> Markup {
        let is_pause = |part: &&Part| matches!(part.kind, SpanName::Wait | SpanName::Queue);
        let pauses = row.parts.iter().filter(is_pause);
        let others = row.parts.iter().filter(|part| !is_pause(part));
        let chart = &self.side.chart;
        html! {
            @if let Some(ceiling) = row.ceiling.or(row.due) {
                (self.bar(PartKind::Ceiling, row.start, ceiling))
            }
            @if row.parts.is_empty() { (self.bar(own, row.start, chart.until(row))) }
            @for part in pauses.chain(others) {
                (self.bar(kind(part.kind, part.mark), part.start, chart.end(part)))
            }
        }
    }

    fn bar(&self, kind: PartKind, from: Duration, to: Duration) -> Markup {
        kind.bar(self.share(from), self.share(to))
    }

    /// The duration of an attempt beside its bar: before the bar if there is no space after
    /// it, and on the bar if there is none before it either.
    fn lasted(&self, row: &Row) -> Markup {
        let end = row.end.filter(|_| row.kind == SpanName::Attempt);
        let Some(to) = end.map(|end| self.share(end.max(row.start))) else {
            return Markup::default();
        };
        let from = self.share(row.start);
        let (x, dx, anchor, class) = match (to > 85.0, from < 15.0) {
            (true, false) => (from, -6, "end", "lasted"),
            (true, true) => (to, -6, "end", "lasted on"),
            (false, _) => (to, 6, "start", "lasted"),
        };
        html! {
            text class=(class) x=(percent(x)) dx=(dx) y="50%" text-anchor=(anchor) { (row.lasted) }
        }
    }

    /// A position on the axis, in percent.
    fn share(&self, moment: Duration) -> f64 {
        let length = self.axis.length.as_secs_f64();
        (100.0 * moment.as_secs_f64() / length).min(100.0)
    }

    /// The request of a row, if there is exactly one and it was recorded.
    fn request(&self, row: &Row, below: &[Row]) -> Option<&'a WireRequest> {
        let own = iter::once(row).chain(below);
        let mut requests = own.filter(|row| row.kind == SpanName::Request);
        let only = requests.next().filter(|_| requests.next().is_none())?;
        let id = only.request_id.as_ref()?;
        self.wire.as_ref()?.by_id.get(id).copied()
    }

    /// What a request carried.
    fn note(&self, request: &WireRequest) -> Option<String> {
        carried(request, &self.wire.as_ref()?.names)
    }

    fn facts(&self, row: &Row, request: Option<&WireRequest>) -> Markup {
        let wire = self.wire.as_ref().zip(request);
        let exchange = wire.and_then(|(wire, request)| wire.record.exchange(request.seq));
        html! {
            div.facts {
                p.remark {
                    @if row.kind == SpanName::Wait { "Decided: " (row.what) ". " }
                    "Started at " (row.at) ", "
                    @if row.end.is_some() { "lasted " }
                    (row.lasted) "."
                }
                @if let Some(exchange) = exchange { (exchange::exchange(exchange, self.service)) }
            }
        }
    }

    /// The limit of attempts over time, and the attempts in flight under it.
    fn limit(&self, line: &LimitLine) -> Markup {
        let in_flight = &self.side.chart.in_flight;
        let changes = line.steps.iter().map(|step| (step.at, step.limit));
        let steps: Vec<_> = iter::once((Duration::ZERO, line.from))
            .chain(changes)
            .collect();
        let highest = steps.iter().map(|(_, limit)| *limit).max();
        let height = Height(highest.unwrap_or(1).max(1));
        let pairs = steps.iter().zip(steps.iter().skip(1));
        let falls = pairs.filter(|(before, after)| after.1 < before.1);
        let named = steps
            .first()
            .into_iter()
            .chain(falls.map(|(_, after)| after));
        html! {
            div.row.limit {
                span.at {}
                span.what { "limit, and attempts in flight" }
                svg.chart viewBox="0 0 100 40" preserveAspectRatio="none" role="img"
                    aria-label="The limit of attempts over time, and the attempts in flight, on a logarithmic scale" {
                    path.flying d={ (self.steps(&in_flight.steps, height)) " V40 H0 Z" } {}
                    path.most d={ (self.steps(&steps, height)) " H100" } {}
                }
                // The numbers are not stretched as the lines are.
                svg.chart.numbers aria-hidden="true" {
                    @for (at, limit) in named {
                        text x=(percent(self.share(*at))) dx="4" y=(percent(height.of(*limit) / 0.4)) { (limit) }
                    }
                }
                span.how {
                    "limit " (line.text) "; at most " (in_flight.most) " in flight"
                }
            }
        }
    }

    /// A line with a step at each of these moments.
    fn steps(&self, steps: &[(Duration, u64)], height: Height) -> String {
        let first = steps.first().map_or(0, |(_, number)| *number);
        let rest: String = steps
            .iter()
            .skip(1)
            .map(|(at, number)| format!(" H{:.2} V{:.1}", self.share(*at), height.of(*number)))
            .collect();
        format!("M0 {:.1}{rest}", height.of(first))
    }
}

/// A note on the rows and spans that are not drawn.
fn not_drawn(chart: &Chart) -> Markup {
    let (rows, spans) = (chart.left_out, chart.unrecorded);
    html! {
        @if rows > 0 || spans > 0 {
            p.remark {
                (rows) " rows in the middle are not drawn and " (spans) " spans were dropped; the \
                 counts include all of them."
            }
        }
    }
}

/// The heights of numbers up to this one in a picture 40 units high. The scale is logarithmic,
/// so that each halving of a limit is seen, and not the first alone.
#[derive(Clone, Copy)]
struct Height(u64);

impl Height {
    fn of(self, number: u64) -> f64 {
        let log = |number: u64| (number as f64).ln_1p();
        39.0 - 33.0 * log(number) / log(self.0)
    }
}

/// Each row together with the rows below it.
fn blocks(rows: &[Row]) -> Vec<&[Row]> {
    let mut left = rows;
    let next_block = iter::from_fn(|| {
        let (row, after) = left.split_first()?;
        let below = after.iter().take_while(|next| next.level > row.level);
        let (block, rest) = left.split_at(1 + below.count());
        left = rest;
        Some(block)
    });
    next_block.collect()
}

/// How many of these blocks are drawn one by one; the line for the others stands for two at
/// least.
fn drawn_of(alike: &[&[Row]]) -> usize {
    let is_row =
        |block: &&[Row]| matches!(block, [row, below @ ..] if row.folded || below.is_empty());
    let drawn = if alike.first().is_some_and(is_row) {
        REPEATED_ROWS
    } else {
        REPEATED_CALLS
    };
    if alike.len() > drawn + 1 {
        drawn
    } else {
        alike.len()
    }
}

/// The kinds of parts in the waterfalls of these sides.
pub(super) fn kinds(sides: &[ShownRun<'_>]) -> Markup {
    let rows = sides.iter().flat_map(|side| {
        let mut is_shown = under_no_folded_one();
        let rows = side.chart.rows.iter();
        rows.filter(move |row| is_shown(row))
            .map(move |row| (side, row))
    });
    legend(rows.flat_map(|(side, row)| {
        let own = Some(row_kind(side, row));
        let own = own.filter(|kind| !row.is_heading() || *kind == PartKind::Stop);
        let parts = row.parts.iter().map(|part| kind(part.kind, part.mark));
        let ceiling = row.ceiling.or(row.due).map(|_| PartKind::Ceiling);
        own.into_iter().chain(parts).chain(ceiling)
    }))
}

/// The time left of an open wait, rounded up, so that zero means zero.
fn left(due: Duration, now: Duration) -> String {
    let tenths = due.saturating_sub(now).as_millis().div_ceil(100);
    format!("{}.{} s", tenths / 10, tenths % 10)
}

/// The kind of a row. A call that failed as it should is a stop.
fn row_kind(side: &ShownRun<'_>, row: &Row) -> PartKind {
    let is_as_expected = side.run.is_some_and(ScenarioRun::passed);
    match kind(row.kind, row.mark) {
        PartKind::Failed if row.is_heading() && is_as_expected => PartKind::Stop,
        kind => kind,
    }
}

fn kind(span: SpanName, mark: Mark) -> PartKind {
    match mark {
        _ if matches!(span, SpanName::Stop | SpanName::Crash) => PartKind::Stop,
        Mark::Ok => PartKind::Ok,
        Mark::Failed => PartKind::Failed,
        Mark::Wait => PartKind::Wait,
        Mark::Queue => PartKind::Queue,
        Mark::Service => PartKind::Service,
        Mark::Open => PartKind::Open,
    }
}
