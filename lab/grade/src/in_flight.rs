//! How many requests of a case were in flight, over time.

use std::{fmt, time::Duration};

use wire::{WireRecord, duration};

/// How many requests of a case were in flight, in equal stretches from the arrival of the
/// first to the end of the last.
///
/// A request is in flight from its arrival until the head of its response was written. One
/// without a response counts at its arrival only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InFlight {
    /// The most at one moment of each stretch.
    columns: Vec<usize>,
    lasted: Duration,
}

/// Fewer at once are a retry, or a call that was sent twice.
const SEVERAL: usize = 4;

const HEIGHTS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

impl InFlight {
    /// The requests in flight, in this many stretches; none if there were never several.
    #[must_use]
    pub fn of(wire: &WireRecord, columns: usize) -> Option<Self> {
        let spans = wire.entries.iter();
        let spans = spans.map(|entry| (entry.arrived, entry.head.unwrap_or(entry.arrived)));
        let spans: Vec<_> = spans.collect();
        let began = spans.iter().map(|(arrived, _)| *arrived).min()?;
        let lasted = spans.iter().map(|(_, head)| *head).max()? - began;
        let mut arrivals: Vec<_> = spans.iter().map(|(arrived, _)| *arrived).collect();
        let mut ends: Vec<_> = spans.iter().map(|(_, head)| *head).collect();
        arrivals.sort_unstable();
        ends.sort_unstable();
        let at = |moment: Duration| {
            let come = arrivals.partition_point(|arrived| *arrived <= moment);
            come - ends.partition_point(|end| *end < moment)
        };
        let columns = columns.max(1);
        let count = u32::try_from(columns).unwrap_or(u32::MAX);
        let start = |column| began + lasted * column / count;
        let columns = (0..count).map(|column| {
            let (from, to) = (start(column), start(column + 1));
            let is_last = column + 1 == count;
            let within = arrivals.iter().copied();
            let within = within.filter(|at| from <= *at && (*at < to || is_last));
            within.chain([from]).map(at).max().unwrap_or_default()
        });
        let columns: Vec<_> = columns.collect();
        let most = columns.iter().max().copied().unwrap_or_default();
        (most >= SEVERAL).then_some(Self { columns, lasted })
    }

    /// The most at one moment.
    #[must_use]
    pub fn most(&self) -> usize {
        self.columns.iter().max().copied().unwrap_or_default()
    }
}

impl fmt::Display for InFlight {
    /// As one line, in which the highest column is the most at one moment.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let most = self.most().max(1);
        let sign = |count: &usize| {
            let height = (count * HEIGHTS.len()).div_ceil(most);
            let sign = height.checked_sub(1).and_then(|place| HEIGHTS.get(place));
            sign.copied().unwrap_or('·')
        };
        let picture: String = self.columns.iter().map(sign).collect();
        let lasted = duration(self.lasted);
        write!(f, "in flight, over {lasted}: {picture} {most} at most")
    }
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prelude::*};
    use wire::WireRequest;

    use super::*;

    fn record(spans: &[(u64, Option<u64>)]) -> WireRecord {
        let entries = spans.iter().map(|(arrived, took)| {
            let arrived = Duration::from_millis(*arrived);
            WireRequest {
                arrived,
                head: took.map(|took| arrived + Duration::from_millis(took)),
                ..WireRequest::default()
            }
        });
        WireRecord {
            entries: entries.collect(),
            ..WireRecord::default()
        }
    }

    #[test]
    fn a_burst_and_what_follows_it_are_drawn() {
        let burst = [(0, Some(100)); 8];
        let later = (2..10).map(|turn| (turn * 100, Some(100)));
        let wire = record(&burst.into_iter().chain(later).collect::<Vec<_>>());

        let shown = InFlight::of(&wire, 10).expect("several").to_string();

        assert_eq!(shown, "in flight, over 1 s: ██▁▂▂▂▂▂▂▂ 8 at most");
        assert_eq!(InFlight::of(&record(&[(0, Some(9)); 3]), 10), None);
        assert_eq!(InFlight::of(&record(&[]), 10), None);
    }

    proptest! {
        /// Counted anew at every moment at which the number can rise.
        #[test]
        fn each_column_is_the_most_at_one_of_its_moments(
            spans in vec((0..500_u64, prop::option::of(0..300_u64)), 4..40),
            columns in 1..30_usize,
        ) {
            let wire = record(&spans);
            let counted = |moment: u64| {
                let mut spans: Vec<_> = spans.clone();
                spans.retain(|(arrived, took)| {
                    (*arrived..=arrived + took.unwrap_or(0)).contains(&moment)
                });
                spans.len()
            };
            let most = spans.iter().map(|(arrived, _)| counted(*arrived)).max();

            match InFlight::of(&wire, columns) {
                None => prop_assert!(most < Some(SEVERAL)),
                Some(shown) => {
                    prop_assert_eq!(shown.columns.len(), columns);
                    prop_assert_eq!(Some(shown.most()), most);
                }
            }
        }
    }
}
