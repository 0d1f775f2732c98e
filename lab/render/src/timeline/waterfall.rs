//! A timeline as rows of a page. A row opens to show more, if its product has more to show.

use std::{collections::BTreeSet, iter, time::Duration};

use maud::{Markup, html};
use wire::duration;

use super::{
    Bar, Kind, Limit, Row, Timeline,
    look::{at_most, percent},
};
use crate::Axis;

/// How many of the rows that repeat each other are drawn before the others are folded: three
/// pages of a listing show a cycle. Of calls with rows of their own one is enough.
const REPEATED_ROWS: usize = 3;
const REPEATED_CALLS: usize = 1;

/// The space for the number of a limit, in percent of the width and of the height.
const LABEL_WIDTH: f64 = 4.0;
const LABEL_HEIGHT: f64 = 13.0;

/// A timeline on an axis, as rows of a page.
#[derive(Clone, Copy, Debug)]
pub struct Waterfall<'a> {
    /// The timeline.
    pub timeline: &'a Timeline,
    /// Its axis, which it may share with others.
    pub axis: &'a Axis,
    /// What it shows, for a screen reader.
    pub title: &'a str,
    /// The start of the ids of its rows in the document.
    pub prefix: &'a str,
    /// The widths of its columns.
    pub layout: Layout,
    /// Whether rows that repeat each other are folded, so that two timelines are seen at once.
    pub folds_repeated: bool,
}

/// The widths of columns: equal times of several timelines stand below each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// The rows of a run, on up to two levels.
    Run,
    /// The rows of a run, on more levels.
    DeepRun,
    /// The requests of a case, with long notes.
    Requests,
}

impl Layout {
    /// The layout that fits these runs.
    #[must_use]
    pub fn of_runs(timelines: &[&Timeline]) -> Self {
        let mut rows = timelines.iter().flat_map(|timeline| &timeline.rows);
        if rows.any(|row| row.level > 2) {
            Self::DeepRun
        } else {
            Self::Run
        }
    }

    /// Whether a row has the sign of its kind. Beside the requests of a case, a check mark is a
    /// verdict, and nothing else has one.
    fn has_signs(self) -> bool {
        self != Self::Requests
    }

    fn class(self) -> &'static str {
        match self {
            Self::Run => "fall",
            Self::DeepRun => "fall deep",
            Self::Requests => "fall requests",
        }
    }
}

/// What a row shows when it is opened; none if it cannot be.
type Facts<'a> = &'a dyn Fn(&Row) -> Option<Markup>;

impl Waterfall<'_> {
    /// The rows, below their axis. A row opens to show these facts.
    #[must_use]
    pub fn draw(&self, facts: impl Fn(&Row) -> Option<Markup>) -> Markup {
        let timeline = self.timeline;
        let gap_at_end = timeline
            .gap
            .as_ref()
            .filter(|gap| gap.at >= timeline.rows.len());
        html! {
            div class=(self.layout.class()) {
                @if !timeline.rows.is_empty() { (self.head()) }
                @if let Some(limit) = &timeline.limit { (self.limit(limit)) }
                ol.rows aria-label=(self.title) {
                    (self.list(&timeline.rows, &facts))
                    @if let Some(gap) = gap_at_end { li.remark { (gap.words) } }
                }
                @for remark in &timeline.remarks { p.remark { (remark) } }
            }
        }
    }

    fn head(&self) -> Markup {
        html! {
            div.row.head aria-hidden="true" {
                span.at { "since start" }
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
    }

    /// Rows in order; those under a folded row are inside it, and so are most of those that
    /// repeat each other.
    fn list(&self, rows: &[Row], facts: Facts<'_>) -> Markup {
        let blocks = blocks(rows);
        let repeated = blocks.chunk_by(|one, next| self.folds_repeated && self.repeats(one, next));
        html! {
            @for alike in repeated {
                @let (drawn, more) = alike.split_at(drawn_of(alike));
                @for block in drawn { (self.block(block, facts)) }
                @if let Some(first) = more.first().and_then(|block| block.first()) {
                    (self.more(first, more, facts))
                }
            }
        }
    }

    /// Whether a row and the rows below it say the same as those before them. Their tags may
    /// differ: each request has another key or cursor.
    fn repeats(&self, one: &[Row], next: &[Row]) -> bool {
        let is_after_gap = next
            .first()
            .is_some_and(|row| self.gap_before(row).is_some());
        let said = |row: &Row| (row.level, row.kind, row.is_call, row.note.clone());
        !is_after_gap && one.iter().map(said).eq(next.iter().map(said))
    }

    /// What was left out before a row.
    fn gap_before(&self, row: &Row) -> Option<&str> {
        let gap = self.timeline.gap.as_ref()?;
        let next = self.timeline.rows.get(gap.at)?;
        (next.id == row.id).then_some(&gap.words)
    }

    /// A row, and the rows below it.
    fn block(&self, block: &[Row], facts: Facts<'_>) -> Markup {
        html! {
            @if let Some((row, below)) = block.split_first() {
                @if let Some(words) = self.gap_before(row) { li.remark.gap { (words) } }
                (self.row(row, if row.folded { below } else { &[] }, facts))
                @if !row.folded { (self.list(below, facts)) }
            }
        }
    }

    /// The line for rows that repeat those before it, with the bars of all.
    fn more(&self, first: &Row, blocks: &[&[Row]], facts: Facts<'_>) -> Markup {
        let drawn = blocks.iter().copied().flatten();
        let drawn = drawn.filter(|row| !row.is_nested());
        html! {
            li id={ (self.prefix) "more-" (first.id) } {
                details class={ "more " (first.kind.class()) } {
                    summary.row data-level=(first.level) {
                        span.at { (duration(first.at)) }
                        span.what { (sign(first.kind)) "× " (blocks.len()) " more" }
                        svg.chart aria-hidden="true" {
                            (self.rules())
                            @for row in drawn { (self.bars(row)) }
                        }
                        span.how { (first.note) }
                    }
                    ol.rows { @for block in blocks { (self.block(block, facts)) } }
                }
            }
        }
    }

    fn row(&self, row: &Row, inside: &[Row], facts: Facts<'_>) -> Markup {
        let id = format!("{}{}", self.prefix, row.id);
        let class = row.kind.class();
        let facts_of_row = facts(row);
        if facts_of_row.is_none() && inside.is_empty() {
            return html! { li class={ "row " (class) } id=(id) { (self.cells(row)) } };
        }
        html! {
            li id=(id) {
                details class={ @if row.is_call { "call " } (class) } {
                    summary.row data-level=(row.level) { (self.cells(row)) }
                    @if let Some(facts) = facts_of_row { div.facts { (facts) } }
                    @if !inside.is_empty() { ol.rows { (self.list(inside, facts)) } }
                }
            }
        }
    }

    fn cells(&self, row: &Row) -> Markup {
        html! {
            span.at { (duration(row.at)) }
            span.what {
                @if self.layout.has_signs() { (sign(row.kind)) }
                (row.label)
            }
            svg.chart aria-hidden="true" {
                @if !row.is_heading() {
                    (self.rules())
                    (self.bars(row))
                    @if !row.is_call && row.end.is_some() {
                        @for bar in &row.bars { (self.caption(row, bar)) }
                    }
                }
            }
            span.how {
                (row.note)
                @for tag in &row.tags { " " span.note.no[tag.is_bad] { (tag.words) } }
            }
        }
    }

    /// The lines of the axis, which run through all rows.
    fn rules(&self) -> Markup {
        html! {
            @for tick in &self.axis.ticks {
                @let x = percent(self.share(tick.at));
                line.rule x1=(x) x2=(x) y2="100%" {}
            }
        }
    }

    /// The bars of a row, waits first, so that no attempt is hidden under one.
    fn bars(&self, row: &Row) -> Markup {
        let (waits, others): (Vec<&Bar>, Vec<_>) =
            row.bars.iter().partition(|bar| bar.kind.is_waiting());
        html! {
            @for bar in &row.bars {
                @if let Some(end) = bar.at_most { (at_most(self.share(bar.from), self.share(end))) }
            }
            @for bar in waits.into_iter().chain(others) {
                (bar.kind.bar(self.share(bar.from), self.share(self.timeline.end(bar))))
            }
        }
    }

    /// How long an attempt took, or by how much a wait was late, behind its bar. If there is no
    /// space behind it, an attempt has it before all bars of its row, and a line has it on
    /// itself, set off from it.
    fn caption(&self, row: &Row, bar: &Bar) -> Markup {
        let took = bar.to.filter(|_| bar.kind.is_attempt());
        let took = took.map(|to| duration(to.saturating_sub(bar.from)));
        let Some(words) = took.or_else(|| bar.delay()) else {
            return Markup::default();
        };
        let first = row.bars.first().map_or(0.0, |first| self.share(first.from));
        let to = self.share(self.timeline.end(bar));
        // The words of a delay are twice as long, and in a comparison a chart can be narrow.
        let has_space_behind = to <= if bar.kind == Kind::Late { 50.0 } else { 85.0 };
        let (x, dx, anchor, place) = if has_space_behind {
            (to, 6, "start", "")
        } else if first >= 15.0 && bar.kind != Kind::Late {
            (first, -6, "end", "")
        } else {
            (to, -6, "end", " on")
        };
        let late = if bar.kind == Kind::Late { " late" } else { "" };
        html! {
            text class={ "lasted" (place) (late) } x=(percent(x)) dx=(dx) y="50%" text-anchor=(anchor) {
                (words)
            }
        }
    }

    /// A position on the axis, in percent.
    fn share(&self, moment: Duration) -> f64 {
        let length = self.axis.length.as_secs_f64();
        (100.0 * moment.as_secs_f64() / length).min(100.0)
    }

    /// The limit over time, and how much of it was used.
    fn limit(&self, limit: &Limit) -> Markup {
        let steps = &limit.steps;
        let height = Height::up_to(steps.iter().map(|(_, limit)| *limit).max());
        let pairs = steps.iter().zip(steps.iter().skip(1));
        let falls = pairs.filter(|(before, after)| after.1 < before.1);
        let first = steps.first().into_iter();
        let named = first.chain(falls.map(|(_, after)| after));
        let places = named.map(|(at, limit)| (self.share(*at), height.of(*limit), *limit));
        html! {
            div.row.limit {
                span.what { (limit.label) }
                svg.chart role="img"
                    aria-label={ "The limit of " (limit.label) " over time, and their number, on a logarithmic scale" } {
                    @for (from, to, number) in self.stretches(&limit.used) {
                        @let top = height.of(number);
                        rect.used x=(percent(from)) width=(percent(to - from)) y=(percent(top)) height=(percent(100.0 - top)) {}
                    }
                    @for (from, to, number) in self.stretches(steps) {
                        @let y = percent(height.of(number));
                        line.most x1=(percent(from)) x2=(percent(to)) y1=(y) y2=(y) {}
                    }
                    @for ((_, before), (at, after)) in steps.iter().zip(steps.iter().skip(1)) {
                        @let x = percent(self.share(*at));
                        line.most x1=(x) x2=(x) y1=(percent(height.of(*before))) y2=(percent(height.of(*after))) {}
                    }
                    @for (x, y, limit) in apart(places) {
                        text x=(percent(x)) dx="4" y=(percent(y)) dy="-3" { (limit) }
                    }
                }
                span.how { (limit.note) }
            }
        }
    }

    /// The stretches between the steps, from and to these shares of the width, each with its
    /// number.
    fn stretches(&self, steps: &[(Duration, u64)]) -> Vec<(f64, f64, u64)> {
        let ends = steps.iter().skip(1).map(|(at, _)| self.share(*at));
        let ends = ends.chain(iter::once(100.0));
        let stretches = steps.iter().zip(ends);
        let stretches = stretches.map(|((at, number), end)| (self.share(*at), end, *number));
        stretches.filter(|(from, to, _)| from < to).collect()
    }
}

/// The heights of numbers up to this one. The scale is logarithmic, so that each halving of a
/// limit is seen, and not the first alone.
#[derive(Clone, Copy)]
struct Height(u64);

impl Height {
    fn up_to(highest: Option<u64>) -> Self {
        Self(highest.unwrap_or(1).max(1))
    }

    /// The distance of a number from the top, in percent.
    fn of(self, number: u64) -> f64 {
        let log = |number: u64| (number as f64).ln_1p();
        98.0 - 86.0 * log(number.min(self.0)) / log(self.0)
    }
}

/// The numbers that do not overlap the one before them.
fn apart(places: impl IntoIterator<Item = (f64, f64, u64)>) -> Vec<(f64, f64, u64)> {
    let mut kept: Vec<(f64, f64, u64)> = Vec::new();
    for (x, y, number) in places {
        let is_free = |(before, above, _): &(f64, f64, u64)| {
            x - before >= LABEL_WIDTH || (y - above).abs() >= LABEL_HEIGHT
        };
        if kept.last().is_none_or(is_free) {
            kept.push((x, y, number));
        }
    }
    kept
}

fn sign(kind: Kind) -> Markup {
    html! { span.sign aria-hidden="true" { (kind.sign()) } }
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

/// The meanings of the bars that occur in these timelines, each once, with the signs of the
/// layout.
#[must_use]
pub fn legend(timelines: &[&Timeline], layout: Layout) -> Markup {
    let rows = timelines.iter().flat_map(|timeline| timeline.shown());
    let (mut kinds, mut has_ceiling) = (BTreeSet::new(), false);
    for row in rows {
        // A call that ended as it should has this sign, whether or not it has bars.
        kinds.extend(Some(row.kind).filter(|kind| *kind == Kind::Stop));
        kinds.extend(row.bars.iter().map(|bar| bar.kind));
        has_ceiling |= row.bars.iter().any(|bar| bar.at_most.is_some());
    }
    html! {
        ul.legend aria-label="Legend" {
            @for kind in kinds {
                li {
                    svg.sample aria-hidden="true" { (sample(kind)) }
                    @if layout.has_signs() { (sign(kind)) }
                    (kind.words())
                }
                @if kind == Kind::Wait && has_ceiling {
                    li {
                        svg.sample aria-hidden="true" { (at_most(6.0, 94.0)) }
                        "longest possible wait"
                    }
                }
            }
        }
    }
}

/// The bar of a kind in the legend: a stop is a moment.
fn sample(kind: Kind) -> Markup {
    if kind == Kind::Stop {
        kind.bar(50.0, 50.0)
    } else {
        kind.bar(6.0, 94.0)
    }
}
