//! The number of attempts in flight over time.

use std::{collections::BTreeMap, time::Duration};

use super::rows::Row;
use crate::trace::SpanName;

/// The attempts in flight, from the start of the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InFlight {
    /// Each moment at which the number changed, and the number from then on.
    pub steps: Vec<(Duration, u64)>,
    /// The largest number.
    pub most: u64,
}

impl InFlight {
    /// The attempts among these rows; those that are open are in flight until `now`.
    #[must_use]
    pub fn of(rows: &[Row], now: Duration) -> Self {
        let mut changes: BTreeMap<_, i64> = BTreeMap::from([(Duration::ZERO, 0)]);
        for row in rows.iter().filter(|row| row.kind == SpanName::Attempt) {
            *changes.entry(row.start).or_default() += 1;
            *changes.entry(row.end.unwrap_or(now)).or_default() -= 1;
        }
        let mut number: i64 = 0;
        let steps = changes.into_iter().map(|(at, change)| {
            number += change;
            (at, number.unsigned_abs())
        });
        let steps: Vec<_> = steps.collect();
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
    use crate::{chart::Waterfall, trace::testing::tree};

    #[test]
    fn an_attempt_counts_from_its_start_to_its_end() {
        let rows = Waterfall::of(&[tree("attempt 0-4\nattempt 2-4\nattempt 4-4\nattempt 6-")]).rows;

        let in_flight = InFlight::of(&rows, Duration::from_millis(9));

        let steps = in_flight
            .steps
            .iter()
            .map(|(at, number)| (at.as_millis(), *number));
        let expected = [(0, 1), (2, 2), (4, 0), (6, 1), (9, 0)];
        assert_eq!(steps.collect::<Vec<_>>(), expected);
        assert_eq!(in_flight.most, 2);
    }
}
