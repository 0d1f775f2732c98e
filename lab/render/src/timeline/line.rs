//! A timeline in one line, without words: the small picture of a list.

use std::time::Duration;

use maud::{Markup, html};
use wire::{counted, duration};

use super::Timeline;

/// The shortest length of the axis: a shorter one would magnify noise.
const SHORTEST: Duration = Duration::from_millis(20);

/// The end of the axis, in percent of the width: the last attempt is visible behind it.
const WIDTH: f64 = 98.0;

/// The most bars of a kind in each percent of the width. More of them cannot be told apart.
const PER_PERCENT: f64 = 4.0;

/// Draws timelines below each other, each in one line, on one axis that is as long as the
/// longest of them. A row that stands for others is drawn, and those others are not.
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
    html! {
        svg.mini role="img" aria-label=(words) {
            line.base x2="100%" y1="50%" y2="50%" {}
            (bars(timeline, axis, true))
            (bars(timeline, axis, false))
        }
    }
}

/// The waits, or all other bars.
fn bars(timeline: &Timeline, axis: Duration, are_waits: bool) -> Markup {
    let share = |moment: Duration| WIDTH * moment.as_secs_f64() / axis.as_secs_f64();
    let mut bars: Vec<_> = timeline
        .bars()
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
    html! { @for (kind, from, to) in bars { (kind.small_bar(from, to)) } }
}
