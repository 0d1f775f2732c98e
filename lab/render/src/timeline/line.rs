//! A timeline in one line, without words: the small picture of a list.

use std::time::Duration;

use maud::{Markup, html};
use wire::{counted, duration};

use super::{Bar, Kind, Timeline, look::percent};

/// The shortest length of the axis: a shorter one would magnify noise.
const SHORTEST: Duration = Duration::from_millis(20);

/// The end of the axis, in percent of the width: the last attempt is visible behind it.
const WIDTH: f64 = 98.0;

/// The most bars of a kind in each percent of the width. More of them cannot be told apart.
const PER_PERCENT: f64 = 4.0;

/// The width of a mark in percent, in a list that is 300 pixels wide.
const MARK: f64 = 1.0;

/// The most marks that stand beside each other. Further ones cover the last, or they would seem to
/// be later than they were.
const MOST_BESIDE: usize = 4;

/// Draws timelines below each other, each in one line, on one axis that is as long as the
/// longest of them. Calls that went on at the same time have lanes of their own in it. A row that
/// stands for others is drawn, and those others are not.
#[must_use]
pub fn line(timelines: &[&Timeline]) -> Markup {
    let lengths = timelines.iter().map(|timeline| timeline.length());
    let axis = lengths.max().unwrap_or_default().max(SHORTEST);
    match timelines {
        [timeline] => one(timeline, axis),
        several => html! {
            div.two { @for timeline in several { (one(timeline, axis)) } }
        },
    }
}

fn one(timeline: &Timeline, axis: Duration) -> Markup {
    let attempts = timeline.bars().filter(|bar| bar.kind.is_attempt()).count();
    let words = format!(
        "{} in {}",
        counted(attempts as u64, "attempt"),
        duration(timeline.length())
    );
    let lanes = timeline.lanes();
    let height = 100.0 / lanes.len() as f64;
    html! {
        svg.mini.calls[lanes.len() > 1] role="img" aria-label=(words) {
            line.base x2="100%" y1="50%" y2="50%" {}
            @if let [lane] = &lanes[..] {
                (bars(timeline, lane, axis))
            } @else {
                @for (number, lane) in (0_u32..).zip(&lanes) {
                    svg y=(percent(f64::from(number) * height)) height=(percent(height)) {
                        (bars(timeline, lane, axis))
                    }
                }
            }
        }
    }
}

/// The waits of a lane, and all its other bars over them.
fn bars(timeline: &Timeline, lane: &[&Bar], axis: Duration) -> Markup {
    html! {
        (bars_of_a_kind(timeline, lane, axis, true))
        (bars_of_a_kind(timeline, lane, axis, false))
    }
}

fn bars_of_a_kind(timeline: &Timeline, lane: &[&Bar], axis: Duration, are_waits: bool) -> Markup {
    let share = |moment: Duration| WIDTH * moment.as_secs_f64() / axis.as_secs_f64();
    let mut bars: Vec<_> = lane
        .iter()
        .filter(|bar| bar.kind.is_waiting() == are_waits)
        .map(|bar| (bar.kind, share(bar.from), share(timeline.end(bar))))
        .collect();
    bars.sort_by(|(one, from, _), (other, later, _)| one.cmp(other).then(from.total_cmp(later)));
    bars.dedup_by(|(kind, _, to), (kept, _, until)| {
        let is_same = kind == kept && *to <= *until + 1.0 / PER_PERCENT;
        if is_same {
            *until = until.max(*to);
        }
        is_same
    });
    let marks = side_by_side(&bars);
    html! {
        @for (kind, from, to) in bars {
            @let mark = marks.iter().find(|mark| (mark.kind, mark.from) == (kind, from));
            (kind.small_bar(from, to, mark.map_or(0, |mark| mark.moved)))
        }
    }
}

/// The legend of such lines.
#[must_use]
pub fn line_legend() -> Markup {
    let samples = [
        (Kind::Good, "an attempt"),
        (Kind::Failed, "an attempt that failed: broken in two"),
        (Kind::Wait, "a wait: half as high"),
    ];
    html! {
        @for (kind, words) in samples {
            li {
                svg.mini.sample aria-hidden="true" { (kind.small_bar(10.0, 90.0, 0)) }
                (words)
            }
        }
    }
}

/// A bar of which only its least width is drawn.
struct Mark {
    kind: Kind,
    from: f64,
    /// By how many marks it is moved to the right.
    moved: usize,
}

/// The marks among these bars in order of time, each beside those before it and not on them: a
/// success right after a failure would hide it, or be hidden.
fn side_by_side(bars: &[(Kind, f64, f64)]) -> Vec<Mark> {
    let marks = bars
        .iter()
        .filter(|(kind, from, to)| kind.is_mark(*from, *to));
    let mut marks: Vec<_> = marks.map(|(kind, from, _)| (*kind, *from)).collect();
    // Of marks at one moment a success is the last, since it ends the call.
    marks.sort_by(|(kind, one), (other_kind, other)| {
        let is_success = |kind: &Kind| *kind == Kind::Good;
        let order = one.total_cmp(other);
        order.then(is_success(kind).cmp(&is_success(other_kind)))
    });
    let mut free_from = 0.0;
    let placed = marks.into_iter().map(|(kind, from)| {
        let covered: f64 = (free_from - from) / MARK;
        let moved = (covered.ceil().max(0.0) as usize).min(MOST_BESIDE - 1);
        free_from = from + MARK * (moved + 1) as f64;
        Mark { kind, from, moved }
    });
    placed.collect()
}
