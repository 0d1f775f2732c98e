//! The waterfall of a run as a value for the page.

use render::Axis;
use serde::Serialize;

use super::{
    in_flight::InFlight,
    limit::LimitLine,
    order::rows,
    rows::{Row, until},
    run_chart::under_no_folded_one,
};
use crate::trace::{SpanId, Trace};

/// The rows of a run on an axis of time.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Waterfall {
    /// The axis.
    pub axis: Axis,
    /// The rows in order; if there are very many, without the middle.
    pub rows: Vec<Row>,
    /// The concurrency limit over time; null if it did not change.
    pub limit: Option<LimitLine>,
    /// The attempts in flight, including those without a row. JSON has no list of them,
    /// because it has every span.
    #[serde(skip)]
    pub in_flight: InFlight,
    /// The number of rows omitted in the middle.
    pub rows_left_out: usize,
    /// The first row after the gap; null without a gap.
    pub after_gap: Option<SpanId>,
    /// The number of spans that a full trace dropped.
    pub spans_not_kept: u64,
    /// A note on what is not shown; null if everything is.
    pub remark: Option<String>,
}

impl Waterfall {
    /// The most rows: of a flood of requests, the start and the end are the interesting
    /// parts.
    pub const ROWS: usize = 400;

    /// The waterfall of these traces.
    #[must_use]
    pub fn of(traces: &[Trace]) -> Self {
        let taken_at = traces.iter().map(|trace| trace.taken_at).max();
        let mut rows = rows(traces);
        let reach = rows.iter().map(|row| {
            let until = until(row.start, row.due.or(row.end), taken_at.unwrap_or_default());
            until.max(row.ceiling.unwrap_or_default())
        });
        let reach = reach.max();
        let (rows_left_out, after_gap) = leave_out_the_middle(&mut rows);
        let spans_not_kept: u64 = traces.iter().map(|trace| trace.dropped_spans).sum();
        let remark = format!(
            "{rows_left_out} rows in the middle are not drawn and {spans_not_kept} spans were \
             dropped; the counts include all of them."
        );
        Self {
            axis: Axis::reaching(reach.unwrap_or_default()),
            limit: LimitLine::of(traces),
            in_flight: InFlight::of(traces),
            rows,
            rows_left_out,
            after_gap,
            spans_not_kept,
            remark: (rows_left_out > 0 || spans_not_kept > 0).then_some(remark),
        }
    }
}

/// Cuts the rows to [`Waterfall::ROWS`] at most. Returns how many it removed and the row
/// after them, which is never under a removed folded row.
fn leave_out_the_middle(rows: &mut Vec<Row>) -> (usize, Option<SpanId>) {
    let surplus = rows.len().saturating_sub(Waterfall::ROWS);
    if surplus == 0 {
        return (0, None);
    }
    let head = Waterfall::ROWS / 2;
    let mut stands_under_none = under_no_folded_one();
    let later = rows.iter().skip(head).map(&mut stands_under_none);
    let mut next = later.enumerate().skip(surplus).filter(|(_, shown)| *shown);
    let left_out = next.next().map_or(surplus, |(row, _)| row);
    rows.drain(head..head + left_out);
    (left_out, rows.get(head).map(|row| row.span))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::trace::testing::{id, tree};

    fn waterfall(spans: &str) -> Waterfall {
        Waterfall::of(&[tree(spans)])
    }

    fn levels(spans: &str) -> Vec<(SpanId, u32)> {
        let rows = waterfall(spans).rows.into_iter();
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
        let waterfall = waterfall("wait 10- wait.seconds=1.2");

        assert_eq!(waterfall.rows[0].due, Some(Duration::from_millis(1210)));
        assert_eq!(waterfall.axis.length, Duration::from_millis(1500));
        let ticks = waterfall.axis.ticks.iter();
        let labels: Vec<_> = ticks.map(|tick| &*tick.label).collect();
        assert_eq!(labels, ["0 ms", "500 ms", "1 s", "1.5 s"]);
    }

    #[test]
    fn the_middle_of_very_many_rows_is_omitted() {
        let attempts: String = (1..=450).map(|n| format!("attempt {n}-{n}\n")).collect();

        let waterfall = waterfall(&attempts);

        let ends = [0, 199, 200, 399].map(|row| waterfall.rows[row].span);
        assert_eq!(ends, [1, 200, 251, 450].map(id));
        assert_eq!((waterfall.rows.len(), waterfall.rows_left_out), (400, 50));
        assert_eq!(waterfall.after_gap, Some(id(251)));
    }

    #[test]
    fn an_attempt_without_a_row_counts_as_in_flight() {
        let all_at_once = "attempt 1-2\n".repeat(450);

        let waterfall = waterfall(&all_at_once);

        assert_eq!(
            (waterfall.rows_left_out, waterfall.in_flight.most),
            (50, 450)
        );
    }

    #[test]
    fn no_row_is_shown_without_the_row_it_is_folded_under() {
        let pairs = (1..=225).map(|n| format!("attempt {n}-{n} 200\n request {n}-{n} 200\n"));
        let spans = pairs.collect::<String>() + "attempt 226-226";

        let waterfall = waterfall(&spans);

        assert!(waterfall.rows[0].folded);
        assert_eq!((waterfall.rows.len(), waterfall.rows_left_out), (399, 52));
        assert_eq!(waterfall.after_gap, Some(id(253)));
        assert_eq!(waterfall.rows[200].span, id(253));
    }

    #[test]
    fn the_shortest_axis_has_ticks_of_whole_milliseconds() {
        let axis = waterfall("").axis;

        let ticks: Vec<_> = axis.ticks.iter().map(|tick| &*tick.label).collect();
        assert_eq!(ticks, ["0 ms", "1 ms", "2 ms", "3 ms", "4 ms"]);
    }
}
