//! A chart independent of how it is drawn: its rows, the rows that do not fit, and the
//! axis.
//!
//! Text and page draw the same chart, so they agree.

use std::time::Duration;

use render::{Extent, Scale};

use super::{
    limit::LimitLine,
    order::rows,
    rows::{Part, Row, until},
};
use crate::trace::Trace;

/// The shown rows of one run in order.
#[derive(Debug)]
pub struct Chart {
    /// The rows on both sides of the gap.
    pub rows: Vec<Row>,
    /// The number of rows before the gap.
    gap: usize,
    /// The number of omitted rows.
    pub left_out: usize,
    /// The bars of all rows, so that an omitted row does not move the others.
    extents: Vec<Extent>,
    /// When the snapshot was taken.
    taken_at: Duration,
    /// The concurrency limit over time, if it moved.
    pub limit: Option<LimitLine>,
    /// The number of spans that a full trace dropped.
    pub unrecorded: u64,
}

impl Chart {
    /// Collects the rows of all traces of a run, without those under a folded row. If there
    /// are more than `most` rows, which is at least 3, the middle is omitted.
    pub fn new(traces: &[Trace], most: usize) -> Self {
        let taken_at = traces.iter().map(|trace| trace.taken_at).max();
        let taken_at = taken_at.unwrap_or_default();
        let mut rows = unfolded(rows(traces));
        let extents = rows.iter().flat_map(|row| row.extents(taken_at)).collect();
        let most = most.max(3);
        // The line for the omitted rows counts as a row.
        let (gap, left_out) = if rows.len() > most {
            (most / 2, rows.len() + 1 - most)
        } else {
            (rows.len(), 0)
        };
        rows.drain(gap..gap + left_out);
        Self {
            rows,
            gap,
            left_out,
            extents,
            taken_at,
            limit: LimitLine::of(traces),
            unrecorded: traces.iter().map(|trace| trace.dropped_spans).sum(),
        }
    }

    /// The rows before and after the gap.
    pub fn ends(&self) -> (&[Row], &[Row]) {
        self.rows.split_at(self.gap)
    }

    /// The end of a row's bar: the time of the snapshot if the span is open.
    pub fn until(&self, row: &Row) -> Duration {
        until(row.start, row.end, self.taken_at)
    }

    /// The end of a part of a folded row's line.
    pub fn end(&self, part: &Part) -> Duration {
        until(part.start, part.end, self.taken_at)
    }

    /// One axis for several charts: equal durations have equal lengths.
    pub fn scale(charts: &[Self], columns: usize) -> Scale {
        let extents = charts.iter().flat_map(|chart| &chart.extents);
        Scale::new(&extents.copied().collect::<Vec<_>>(), columns)
    }
}

/// The rows that are not under a folded row.
fn unfolded(rows: Vec<Row>) -> Vec<Row> {
    let mut is_shown = under_no_folded_one();
    rows.into_iter().filter(|row| is_shown(row)).collect()
}

/// A predicate, to be called on each row in turn: whether the row is not under a folded
/// one.
pub(crate) fn under_no_folded_one() -> impl FnMut(&Row) -> bool {
    let mut folded_at = None;
    move |row| {
        if folded_at.is_some_and(|level| row.level > level) {
            return false;
        }
        folded_at = row.folded.then_some(row.level);
        true
    }
}
