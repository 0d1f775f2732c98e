//! What a chart shows, whatever it is drawn with: its rows, which of them there
//! is no room for, and the axis.
//!
//! Text and page draw the same chart, so both tell one story.

use std::time::Duration;

use super::{
    rows::{Row, rows},
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
    /// How many spans a full trace did not keep.
    pub unrecorded: u64,
}

impl Chart {
    /// Gathers the rows of all traces of a run. Of more than `most`, at least
    /// 3, the middle is left out.
    pub fn new(traces: &[Trace], most: usize) -> Self {
        Self::of(traces, rows(traces), most)
    }

    /// The same without the rows of the service that say only what the rows of the
    /// client say: for where there is little room.
    pub fn brief(traces: &[Trace], most: usize) -> Self {
        let mut rows = rows(traces);
        rows.retain(|row| !row.repeats_client);
        Self::of(traces, rows, most)
    }

    fn of(traces: &[Trace], rows: Vec<Row>, most: usize) -> Self {
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
            unrecorded: traces.iter().map(|trace| trace.dropped_spans).sum(),
        }
    }

    /// The rows before those that are left out.
    pub fn head(&self) -> &[Row] {
        &self.rows[..self.first]
    }

    /// The rows after those that are left out.
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

/// Which rows to show: those before the first number and those from the
/// second. The line that tells of the others counts as a row.
fn split(rows: usize, most: usize) -> (usize, usize) {
    if rows <= most {
        (rows, rows)
    } else {
        (most / 2, rows + 1 + most / 2 - most)
    }
}
