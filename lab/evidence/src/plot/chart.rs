//! What a chart shows, whatever it is drawn with: its rows, which of them there
//! is no room for, and the axis.
//!
//! Text and page draw the same chart, so both tell one story.

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
    /// How many rows stand before those that are left out.
    first: usize,
    /// The first row after those that are left out.
    last: usize,
    /// When the picture was taken.
    taken_at: Duration,
    /// The concurrency limit over time, if it moved.
    pub limit: Option<LimitLine>,
    /// How many spans a full trace did not keep.
    pub unrecorded: u64,
}

impl Chart {
    /// Gathers the rows of all traces of a run, without those under a row that says
    /// it all. Of more than `most`, at least 3, the middle is left out.
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

    /// The rows before those that are left out.
    #[expect(
        clippy::indexing_slicing,
        reason = "`split` leaves out rows that are there"
    )]
    pub fn head(&self) -> &[Row] {
        &self.rows[..self.first]
    }

    /// The rows after those that are left out.
    #[expect(
        clippy::indexing_slicing,
        reason = "`split` leaves out rows that are there"
    )]
    pub fn tail(&self) -> &[Row] {
        &self.rows[self.last..]
    }

    /// How many rows are left out.
    pub fn left_out(&self) -> usize {
        self.last - self.first
    }

    /// All rows that are shown.
    pub fn shown(&self) -> impl Iterator<Item = &Row> {
        self.head().iter().chain(self.tail())
    }

    /// The end of a row's bar: the time of the picture where it is open.
    pub fn until(&self, row: &Row) -> Duration {
        row.until(self.taken_at)
    }

    /// The end of a part of a folded row's line.
    pub fn end(&self, part: &Part) -> Duration {
        part.end.unwrap_or(self.taken_at).max(part.start)
    }

    /// One axis for several charts: what is as long is drawn as long. It is
    /// divided among all rows, so leaving some out does not move the others.
    pub fn scale(charts: &[Self], columns: usize) -> Scale {
        let extents = charts.iter().flat_map(|chart| {
            let rows = chart.rows.iter();
            rows.flat_map(|row| row.extents(chart.taken_at))
        });
        let extents: Vec<_> = extents.collect();
        Scale::new(&extents, columns)
    }
}

/// The rows that stand under no folded one.
fn unfolded(rows: Vec<Row>) -> Vec<Row> {
    let mut is_shown = under_no_folded_one();
    rows.into_iter().filter(|row| is_shown(row)).collect()
}

/// Tells of each row in turn whether none of those before it is one that it is folded
/// under.
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

/// Which rows to show: those before the first number and those from the
/// second. The line that tells of the others counts as a row.
fn split(rows: usize, most: usize) -> (usize, usize) {
    if rows <= most {
        (rows, rows)
    } else {
        (most / 2, rows + 1 + most / 2 - most)
    }
}
