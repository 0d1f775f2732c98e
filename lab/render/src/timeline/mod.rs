//! A picture of time, as a value: rows of bars on one axis.
//!
//! A product says what its bars are. How they look is decided here, once: as a text of 80
//! columns, as rows of a page, and as one line of a list. All three draw the same bars.

mod kind;
mod line;
mod look;
#[cfg(test)]
mod tests;
mod text;
mod waterfall;

use std::{ops::Range, time::Duration};

use wire::duration;

use crate::Axis;

pub use kind::Kind;
pub use line::{line, line_legend};
pub use look::patterns;
pub use text::{brief, text};
pub use waterfall::{Layout, Waterfall, legend};

/// Rows of bars on one axis of time, which begins at zero.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timeline {
    /// The rows in order. A row is under the next one above it that has a lower level.
    pub rows: Vec<Row>,
    /// The rows of a flood that have been left out.
    pub gap: Option<Gap>,
    /// When it was read: a bar that has not ended is drawn until then.
    pub now: Duration,
    /// A limit that changed with time.
    pub limit: Option<Limit>,
    /// What else was left out, in sentences.
    pub remarks: Vec<String>,
}

/// Rows that have been left out of the middle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    /// The number of rows before the gap.
    pub at: usize,
    /// How many rows, and of which kind.
    pub words: String,
}

/// One event: its texts and its bars.
///
/// The texts may contain data from the wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// What distinguishes it from the other rows.
    pub id: String,
    /// Its depth; the first level is 1.
    pub level: u32,
    /// What it is and how it ended.
    pub kind: Kind,
    /// Whether it stands for the rows under it, so that its bars are theirs. Without bars it
    /// is their heading.
    pub is_call: bool,
    /// When it began.
    pub at: Duration,
    /// When it ended; none while it goes on.
    pub end: Option<Duration>,
    /// What it is, in a word or two.
    pub label: String,
    /// How it ended, or why it happened.
    pub note: String,
    /// Further remarks, which only a page shows.
    pub tags: Vec<Tag>,
    /// The bars in order of time.
    pub bars: Vec<Bar>,
    /// Whether the rows under it are collapsed at first, because they add little or are many
    /// of a kind.
    pub folded: bool,
}

/// A remark on a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tag {
    /// The remark.
    pub words: String,
    /// Whether it names a failure. A text shows such a row in red.
    pub is_bad: bool,
}

/// A stretch of time of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bar {
    /// Its kind.
    pub kind: Kind,
    /// When it begins.
    pub from: Duration,
    /// When it ends; none while it goes on.
    pub to: Option<Duration>,
    /// The latest moment at which a wait could have ended.
    pub at_most: Option<Duration>,
}

/// A limit that changed with time, and what it limits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limit {
    /// What it limits.
    pub label: String,
    /// How it changed, in words.
    pub note: String,
    /// The limit from each of these moments on; the first is zero.
    pub steps: Vec<(Duration, u64)>,
    /// How much of it was used from each of these moments on.
    pub used: Vec<(Duration, u64)>,
}

impl Timeline {
    /// The same without the rows under a folded one.
    #[must_use]
    pub fn unfolded(mut self) -> Self {
        let mut is_shown = under_no_folded_one();
        self.rows.retain(|row| is_shown(row));
        self
    }

    /// Cuts the rows, so that with a line about the others there are at most so many, at least
    /// 3: of a flood, the start and the end are the interesting parts. The row after the gap is
    /// never under a folded row that was left out. `words` describes the rows left out.
    #[must_use]
    pub fn without_middle(mut self, most: usize, words: impl Fn(Range<usize>) -> String) -> Self {
        let most = most.max(3);
        if self.rows.len() > most {
            let at = most / 2;
            let surplus = self.rows.len() + 1 - most;
            let mut stands_under_none = under_no_folded_one();
            let later = self.rows.iter().skip(at).map(&mut stands_under_none);
            let mut next = later.enumerate().skip(surplus).filter(|(_, shown)| *shown);
            // If all others are under a folded row that was left out, so are they.
            let left_out = next.next().map_or(self.rows.len() - at, |(row, _)| row);
            self.rows.drain(at..at + left_out);
            let words = words(at..at + left_out);
            self.gap = Some(Gap { at, words });
        }
        self
    }

    /// The rows before and after the gap.
    fn ends(&self) -> (&[Row], &[Row]) {
        let at = self.gap.as_ref().map_or(self.rows.len(), |gap| gap.at);
        self.rows.split_at(at.min(self.rows.len()))
    }

    /// The end of a bar. One that goes on ends when the timeline was read.
    fn end(&self, bar: &Bar) -> Duration {
        bar.to.unwrap_or(self.now).max(bar.from)
    }

    /// The rows that are not collapsed.
    fn shown(&self) -> impl Iterator<Item = &Row> {
        let mut is_shown = under_no_folded_one();
        self.rows.iter().filter(move |row| is_shown(row))
    }

    /// The bars of the rows that are not collapsed, without those of the service that stand
    /// under the attempt which sent the request.
    fn bars(&self) -> impl Iterator<Item = &Bar> {
        let rows = self.shown().filter(|row| !row.is_nested());
        rows.flat_map(|row| &row.bars)
    }

    /// The same bars, in as few lanes as calls went on at the same time. A call is drawn in one
    /// lane, and the next one in the first lane that is free.
    fn lanes(&self) -> Vec<Vec<&Bar>> {
        let mut lanes = vec![(Duration::ZERO, Vec::new())];
        let mut place = 0;
        for row in self.shown().filter(|row| !row.is_nested()) {
            let is_own_call = row.is_call && row.level == 1;
            if is_own_call {
                let free = lanes.iter().position(|(free_from, _)| *free_from <= row.at);
                place = free.unwrap_or(lanes.len());
                lanes.resize(lanes.len().max(place + 1), (Duration::ZERO, Vec::new()));
            }
            if let Some((free_from, bars)) = lanes.get_mut(place) {
                if is_own_call {
                    *free_from = row.end.unwrap_or(self.now);
                }
                bars.extend(&row.bars);
            }
        }
        lanes.into_iter().map(|(_, bars)| bars).collect()
    }

    /// How long it took.
    #[must_use]
    pub fn length(&self) -> Duration {
        let rows = self.rows.iter().flat_map(|row| &row.bars);
        let ends = rows.map(|bar| self.end(bar));
        ends.max().unwrap_or_default()
    }
}

impl Row {
    /// Whether it only heads the rows under it.
    fn is_heading(&self) -> bool {
        self.is_call && self.bars.is_empty()
    }

    /// Whether it is the service's side of a request, under the attempt that sent it.
    fn is_nested(&self) -> bool {
        self.kind == Kind::Service && self.level > 1
    }

    /// How much longer a wait took than it should have, as text.
    fn delay(&self) -> Option<String> {
        self.bars.iter().find_map(Bar::delay)
    }

    /// How long it took, as text.
    #[must_use]
    pub fn lasted(&self) -> Option<String> {
        let end = self.end?;
        Some(duration(end.saturating_sub(self.at)))
    }
}

impl Bar {
    /// A bar between two moments.
    #[must_use]
    pub fn new(kind: Kind, from: Duration, to: Duration) -> Self {
        Self {
            kind,
            from,
            to: Some(to),
            at_most: None,
        }
    }

    fn delay(&self) -> Option<String> {
        let to = self.to.filter(|_| self.kind == Kind::Late)?;
        Some(format!("late {}", duration(to.saturating_sub(self.from))))
    }
}

/// An axis that all of these timelines fit on: equal times have equal lengths.
#[must_use]
pub fn axis(timelines: &[&Timeline]) -> Axis {
    let ends = timelines.iter().flat_map(|timeline| {
        let bars = timeline.rows.iter().flat_map(|row| &row.bars);
        bars.map(|bar| timeline.end(bar).max(bar.at_most.unwrap_or_default()))
    });
    Axis::reaching(ends.max().unwrap_or_default())
}

/// A predicate, to be called on each row in turn: whether the row is not under a folded one.
fn under_no_folded_one() -> impl FnMut(&Row) -> bool {
    let mut folded_at = None;
    move |row| {
        if folded_at.is_some_and(|level| row.level > level) {
            return false;
        }
        folded_at = row.folded.then_some(row.level);
        true
    }
}
