//! A chart independent of how it is drawn: its rows, the rows that do not fit, and the
//! axis.
//!
//! Text and page draw the same chart, so they agree.

use std::time::Duration;

use super::{
    limit::LimitLine,
    order::rows,
    rows::{Part, Row},
    scale::Scale,
};
use crate::trace::Trace;

/// The rows of one run in order.
#[derive(Debug)]
pub struct Chart {
    rows: Vec<Row>,
    /// The number of rows before the gap.
    first: usize,
    /// The first row after the gap.
    last: usize,
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
        let rows = unfolded(rows(traces));
        let (first, last) = split(rows.len(), most.max(3));
        Self {
            rows,
            first,
            last,
            taken_at: traces
                .iter()
                .map(|trace| trace.taken_at)
                .max()
                .unwrap_or_default(),
            limit: LimitLine::of(traces),
            unrecorded: traces.iter().map(|trace| trace.dropped_spans).sum(),
        }
    }

    /// The rows before the gap.
    #[expect(
        clippy::indexing_slicing,
        reason = "`split` returns indices of existing rows"
    )]
    pub fn head(&self) -> &[Row] {
        &self.rows[..self.first]
    }

    /// The rows after the gap.
    #[expect(
        clippy::indexing_slicing,
        reason = "`split` returns indices of existing rows"
    )]
    pub fn tail(&self) -> &[Row] {
        &self.rows[self.last..]
    }

    /// The number of omitted rows.
    pub fn left_out(&self) -> usize {
        self.last - self.first
    }

    /// The rows on both sides of the gap.
    pub fn shown(&self) -> impl Iterator<Item = &Row> {
        self.head().iter().chain(self.tail())
    }

    /// The end of a row's bar: the time of the snapshot if the span is open.
    pub fn until(&self, row: &Row) -> Duration {
        row.until(self.taken_at)
    }

    /// The end of a part of a folded row's line.
    pub fn end(&self, part: &Part) -> Duration {
        part.end.unwrap_or(self.taken_at).max(part.start)
    }

    /// One axis for several charts: equal durations have equal lengths. It is divided among
    /// all rows, so an omitted row does not move the others.
    pub fn scale(charts: &[Self], columns: usize) -> Scale {
        let extents = charts.iter().flat_map(|chart| {
            let rows = chart.rows.iter();
            rows.flat_map(|row| row.extents(chart.taken_at))
        });
        let extents: Vec<_> = extents.collect();
        Scale::new(&extents, columns)
    }
}

/// The rows that are not under a folded row.
fn unfolded(rows: Vec<Row>) -> Vec<Row> {
    let mut is_shown = under_no_folded_one();
    rows.into_iter().filter(|row| is_shown(row)).collect()
}

/// A predicate, to be called on each row in turn: whether the row is not under a folded
/// one.
pub(super) fn under_no_folded_one() -> impl FnMut(&Row) -> bool {
    let mut folded_at = None;
    move |row| {
        if folded_at.is_some_and(|level| row.level > level) {
            return false;
        }
        folded_at = row.folded.then_some(row.level);
        true
    }
}

/// The rows to show: those before the first index, and those from the second on. The line
/// for the omitted rows counts as a row.
fn split(rows: usize, most: usize) -> (usize, usize) {
    if rows <= most {
        (rows, rows)
    } else {
        (most / 2, rows + 1 + most / 2 - most)
    }
}
