//! The chart of a run, however it is drawn: its rows, the rows that do not fit, and the axis.
//!
//! Text and page draw the same chart, so they agree.

use std::time::Duration;

use render::{Axis, Extent, Scale};

use super::{
    in_flight::InFlight,
    limit::LimitLine,
    order::rows,
    rows::{Part, Row, until},
};
use crate::trace::{SpanId, Trace};

/// The rows of a run on an axis of time.
#[derive(Clone, Debug)]
pub struct Chart {
    /// The rows in order; if there are very many, without the middle.
    pub rows: Vec<Row>,
    /// The number of rows before the gap in the middle.
    gap: usize,
    /// The number of rows omitted in the middle.
    pub left_out: usize,
    /// The axis, long enough for all rows.
    pub axis: Axis,
    /// The bars of all rows, so that an omitted row does not move the others.
    extents: Vec<Extent>,
    /// When the snapshot was taken, which is the end of open spans.
    pub(crate) taken_at: Duration,
    /// The concurrency limit over time, if it moved.
    pub limit: Option<LimitLine>,
    /// The attempts in flight, including those without a row.
    pub in_flight: InFlight,
    /// The number of spans that a full trace dropped.
    pub unrecorded: u64,
}

impl Chart {
    /// The most rows for a page: of a flood of requests, the start and the end are the
    /// interesting parts.
    pub const ROWS: usize = 400;

    /// The chart for a page, on which a reader can unfold a row.
    #[must_use]
    pub fn of(trace: &Trace) -> Self {
        Self::new(trace, rows(trace), Self::ROWS)
    }

    /// The chart for a text: without the rows under a folded row, and cut to so many lines, at
    /// least 3.
    #[must_use]
    pub(crate) fn unfolded(trace: &Trace, lines: usize) -> Self {
        let mut is_shown = under_no_folded_one();
        let rows = rows(trace).into_iter().filter(|row| is_shown(row));
        Self::new(trace, rows.collect(), lines.max(3))
    }

    fn new(trace: &Trace, mut rows: Vec<Row>, most: usize) -> Self {
        let taken_at = trace.taken_at;
        let extents = rows.iter().flat_map(|row| row.extents(taken_at)).collect();
        let ends = rows.iter().map(|row| {
            let end = until(row.start, row.due.or(row.end), taken_at);
            end.max(row.ceiling.unwrap_or_default())
        });
        let axis = Axis::reaching(ends.max().unwrap_or_default());
        let (gap, left_out) = leave_out_the_middle(&mut rows, most);
        Self {
            rows,
            gap,
            left_out,
            axis,
            extents,
            taken_at,
            limit: LimitLine::of(trace),
            in_flight: InFlight::of(trace),
            unrecorded: trace.dropped_spans,
        }
    }

    /// The rows before and after the gap.
    pub(crate) fn ends(&self) -> (&[Row], &[Row]) {
        self.rows.split_at(self.gap)
    }

    /// The first row after the gap; none without a gap.
    #[must_use]
    pub fn after_gap(&self) -> Option<SpanId> {
        let next = self.rows.get(self.gap);
        next.filter(|_| self.left_out > 0).map(|row| row.span)
    }

    /// The end of a row's bar: the time of the snapshot if the span is open.
    pub(crate) fn until(&self, row: &Row) -> Duration {
        until(row.start, row.end, self.taken_at)
    }

    /// The end of a part of a folded row's line.
    pub(crate) fn end(&self, part: &Part) -> Duration {
        until(part.start, part.end, self.taken_at)
    }

    /// One axis for several charts: equal durations have equal lengths.
    pub(crate) fn scale(charts: &[Self], columns: usize) -> Scale {
        let extents = charts.iter().flat_map(|chart| &chart.extents);
        Scale::new(&extents.copied().collect::<Vec<_>>(), columns)
    }
}

/// Cuts the rows, so that with a line about the others there are at most so many. Returns the
/// number of rows before the gap, and how many it removed. The row after the gap is never under
/// a removed folded row.
fn leave_out_the_middle(rows: &mut Vec<Row>, most: usize) -> (usize, usize) {
    if rows.len() <= most {
        return (rows.len(), 0);
    }
    let head = most / 2;
    let surplus = rows.len() + 1 - most;
    let mut stands_under_none = under_no_folded_one();
    let later = rows.iter().skip(head).map(&mut stands_under_none);
    let mut next = later.enumerate().skip(surplus).filter(|(_, shown)| *shown);
    let left_out = next.next().map_or(surplus, |(row, _)| row);
    rows.drain(head..head + left_out);
    (head, left_out)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::testing::{id, tree};

    fn chart(spans: &str) -> Chart {
        Chart::of(&tree(spans))
    }

    fn ticks(chart: &Chart) -> Vec<&str> {
        let ticks = chart.axis.ticks.iter();
        ticks.map(|tick| &*tick.label).collect()
    }

    fn levels(spans: &str) -> Vec<(SpanId, u32)> {
        let rows = chart(spans).rows.into_iter();
        rows.map(|row| (row.span, row.level)).collect()
    }

    #[test]
    fn a_single_operation_has_no_row_but_each_of_several_does() {
        let one = "
            run 0-
              operation 0-2
                attempt 0-2";
        let both = format!("{one}\n              operation 2-");

        assert_eq!(levels(one), [(id(3), 1)]);
        assert_eq!(levels(&both), [(id(2), 1), (id(3), 2), (id(4), 1)]);
    }

    #[test]
    fn an_open_wait_extends_to_when_it_is_due() {
        let chart = chart("wait 10- wait.seconds=1.2");

        assert_eq!(chart.rows[0].due, Some(Duration::from_millis(1210)));
        assert_eq!(chart.axis.length, Duration::from_millis(1500));
        assert_eq!(ticks(&chart), ["0 ms", "500 ms", "1 s", "1.5 s"]);
    }

    #[test]
    fn the_shortest_axis_has_ticks_of_whole_milliseconds() {
        let expected = ["0 ms", "1 ms", "2 ms", "3 ms", "4 ms"];

        assert_eq!(ticks(&chart("")), expected);
    }

    #[test]
    fn the_middle_of_very_many_rows_is_omitted() {
        let attempts: String = (1..=450).map(|n| format!("attempt {n}-{n}\n")).collect();

        let chart = chart(&attempts);

        let ends = [0, 199, 200, 398].map(|row| chart.rows[row].span);
        assert_eq!(ends, [1, 200, 252, 450].map(id));
        assert_eq!((chart.rows.len(), chart.left_out), (399, 51));
        assert_eq!(chart.after_gap(), Some(id(252)));
    }

    #[test]
    fn an_attempt_without_a_row_counts_as_in_flight() {
        let chart = chart(&"attempt 1-2\n".repeat(450));

        assert_eq!((chart.left_out, chart.in_flight.most), (51, 450));
    }

    #[test]
    fn no_row_is_shown_without_the_row_it_is_folded_under() {
        let pairs = (1..=225).map(|n| format!("attempt {n}-{n} 200\n request {n}-{n} 200\n"));

        let chart = chart(&pairs.collect::<String>());

        assert!(chart.rows[0].folded);
        assert_eq!((chart.rows.len(), chart.left_out), (398, 52));
        assert_eq!(chart.after_gap(), Some(id(253)));
        assert_eq!(chart.rows[200].span, id(253));
    }
}
