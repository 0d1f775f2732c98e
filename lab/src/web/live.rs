//! What the web UI has been sent of a side that goes on, and what is new since.

use std::{mem, time::Duration};

use evidence::{Client, Rise, View, nanoseconds, plot::Waterfall, trace::Trace};
use serde::Serialize;

/// A side that goes on, as it was last published. It has the members of a run that are
/// known before its end, and those that say where the changes go on.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Live {
    client: Client,
    terms: Vec<String>,
    view: View,
    /// The number of the last change.
    revision: u64,
    /// What the clock of the run read.
    now_ns: u64,
}

/// What changed: the first rows are kept, and all others replaced.
#[derive(Debug, PartialEq, Serialize)]
pub(super) struct Change {
    /// One more than that of the change before it.
    revision: u64,
    now_ns: u64,
    /// How many rows stay as they are.
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

    /// The end of the axis: when time passes it, there is a new one to publish.
    pub(super) fn axis_ends(&self) -> Duration {
        self.view.waterfall.axis.length
    }

    /// Takes in what was recorded up to `now`; none if it shows nothing new.
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

    use evidence::trace::{Fields, Span, SpanId, SpanName, TraceId};

    use super::*;

    /// Attempts of a millisecond each, the last of them open.
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
        Live::new(runner::RELIABLE, Vec::new())
    }

    #[test]
    fn rows_that_stay_as_they_are_are_not_sent_again() {
        let (mut live, now) = (live(), Duration::from_millis(3));
        live.advance(&attempts(2, 2), now);

        let change = live.advance(&attempts(3, 3), now).expect("a new row");

        assert_eq!(
            (change.revision, change.keep, change.waterfall.rows.len()),
            (2, 1, 2)
        );
    }

    #[test]
    fn a_new_axis_is_sent_when_time_has_passed_its_end_and_not_before() {
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
