//! The published state of a side that is still running, and the changes since.

use std::{mem, time::Duration};

use scenario::{Client, Rise, View, chart::Waterfall, trace::Trace};
use serde::Serialize;
use wire::nanoseconds;

/// A running side as last published. It has the members of a run that are known before
/// its end, and those that the changes refer to.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Live {
    client: Client,
    terms: Vec<String>,
    view: View,
    /// The number of the last change.
    revision: u64,
    /// The clock of the run at this time.
    now_ns: u64,
}

/// A change: the first rows are kept, and all others replaced.
#[derive(Debug, PartialEq, Serialize)]
pub(super) struct Change {
    /// One more than the number of the previous change.
    revision: u64,
    now_ns: u64,
    /// How many rows are kept.
    keep: usize,
    /// The waterfall with the rows after them.
    waterfall: Waterfall,
    counters: Vec<Rise>,
}

impl Live {
    pub(super) fn new(client: Client, terms: Vec<String>) -> Self {
        Self {
            client,
            terms,
            view: View::so_far(client, &[]),
            revision: 0,
            now_ns: 0,
        }
    }

    /// The end of the time axis: once time passes it, there is a new axis to publish.
    pub(super) fn axis_ends(&self) -> Duration {
        self.view.waterfall.axis.length
    }

    /// Adds the events recorded up to `now`; returns none if nothing visible changed.
    pub(super) fn advance(&mut self, traces: &[Trace], now: Duration) -> Option<Change> {
        let view = View::so_far(self.client, traces);
        if view == self.view {
            return None;
        }
        let before = mem::replace(&mut self.view, view).waterfall;
        let waterfall = &self.view.waterfall;
        let same = before.rows.iter().zip(&waterfall.rows);
        let keep = same.take_while(|(old, new)| old == new).count();
        self.revision += 1;
        self.now_ns = nanoseconds::whole(now);
        Some(Change {
            revision: self.revision,
            now_ns: self.now_ns,
            keep,
            waterfall: Waterfall {
                rows: waterfall.rows.iter().skip(keep).cloned().collect(),
                axis: waterfall.axis.clone(),
                remark: waterfall.remark.clone(),
                limit: waterfall.limit.clone(),
                ..*waterfall
            },
            counters: self.view.counters.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::num::{NonZeroU64, NonZeroU128};

    use scenario::trace::{Fields, Span, SpanId, SpanName, TraceId};

    use super::*;

    /// Attempts of one millisecond each; the last one is still open.
    fn attempts(number: u64, taken_at: u64) -> Vec<Trace> {
        let trace_id = TraceId(NonZeroU128::MIN);
        let attempt = |at| Span {
            id: SpanId(NonZeroU64::MIN.saturating_add(at)),
            parent: None,
            trace_id,
            name: SpanName::Attempt,
            start: Duration::from_millis(at),
            end: (at + 1 < number).then(|| Duration::from_millis(at + 1)),
            fields: Fields::default(),
        };
        vec![Trace {
            id: trace_id,
            spans: (0..number).map(attempt).collect(),
            dropped_spans: 0,
            taken_at: Duration::from_millis(taken_at),
        }]
    }

    fn live() -> Live {
        Live::new(scenario::RELIABLE, Vec::new())
    }

    #[test]
    fn unchanged_rows_are_not_sent_again() {
        let (mut live, now) = (live(), Duration::from_millis(3));
        live.advance(&attempts(2, 2), now);

        let change = live.advance(&attempts(3, 3), now).expect("a new row");

        assert_eq!(
            (change.revision, change.keep, change.waterfall.rows.len()),
            (2, 1, 2)
        );
    }

    #[test]
    fn a_new_axis_is_sent_once_time_passes_the_end_of_the_old() {
        let mut live = live();
        live.advance(&attempts(1, 1), Duration::from_millis(1));

        let within = live.advance(&attempts(1, 4), Duration::from_millis(4));
        let beyond = live.advance(&attempts(1, 5), Duration::from_millis(5));

        assert_eq!(within, None);
        let beyond = beyond.expect("a new axis");
        assert_eq!((beyond.keep, beyond.waterfall.rows.len()), (1, 0));
        assert_eq!(live.axis_ends(), Duration::from_millis(5));
    }
}
