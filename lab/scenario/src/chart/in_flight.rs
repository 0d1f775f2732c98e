//! The number of attempts in flight over time.

use std::{collections::BTreeMap, time::Duration};

use crate::trace::{SpanName, Trace};

/// The attempts in flight, from the start of the run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct InFlight {
    /// Each moment at which the number changed, and the number from then on.
    pub(super) steps: Vec<(Duration, u64)>,
    /// The largest number.
    pub(super) most: u64,
}

impl InFlight {
    /// The attempts in this trace. An open one is in flight until the trace was read.
    #[must_use]
    pub(super) fn of(trace: &Trace) -> Self {
        let mut changes: BTreeMap<_, i64> = BTreeMap::from([(Duration::ZERO, 0)]);
        let spans = trace.spans.iter();
        for attempt in spans.filter(|span| span.name == SpanName::Attempt) {
            *changes.entry(attempt.start).or_default() += 1;
            *changes
                .entry(attempt.end.unwrap_or(trace.taken_at))
                .or_default() -= 1;
        }
        let mut number: i64 = 0;
        let steps: Vec<_> = changes
            .into_iter()
            .map(|(at, change)| {
                number += change;
                (at, number.unsigned_abs())
            })
            .collect();
        let most = steps.iter().map(|(_, number)| *number).max();
        Self {
            most: most.unwrap_or(0),
            steps,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::testing::{span, trace};

    #[test]
    fn an_attempt_counts_from_its_start_to_its_end() {
        let attempts = ["attempt 0-4", "attempt 2-4", "attempt 4-4", "attempt 6-"].map(span);

        let in_flight = InFlight::of(&trace(attempts.to_vec(), 9));

        let steps = in_flight
            .steps
            .iter()
            .map(|(at, number)| (at.as_millis(), *number));
        let expected = [(0, 1), (2, 2), (4, 0), (6, 1), (9, 0)];
        assert_eq!(steps.collect::<Vec<_>>(), expected);
        assert_eq!(in_flight.most, 2);
    }
}
