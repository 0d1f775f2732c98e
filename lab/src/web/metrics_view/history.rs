//! The last fifteen minutes of the counters, in columns of fifteen seconds.

use std::{collections::VecDeque, time::Duration};

use super::counts::Counts;

/// The time that a column stands for.
pub(super) const COLUMN: Duration = Duration::from_secs(15);

/// The number of columns that are kept.
pub(super) const COLUMNS: u32 = 60;

/// The counters now, and at the beginning of each column that is kept.
///
/// Columns begin at whole multiples of their length after the start of the process, so that what
/// was counted stays in its column while time goes on.
#[derive(Default)]
pub(super) struct History {
    /// The numbers of the columns, and the counters when each began; the oldest first. A column
    /// without a sample is left out.
    starts: VecDeque<(u32, Counts)>,
    newest: Counts,
    at: Duration,
}

impl History {
    /// Adds the counters at a time since the start of the process, and returns whether they, or
    /// the columns that are shown, have changed.
    pub(super) fn add(&mut self, at: Duration, counts: Counts) -> bool {
        let rose = self.recently() != Counts::default();
        let before = self.column();
        self.at = self.at.max(at);
        let column = self.column();
        if self.starts.is_empty() || column > before {
            self.starts.push_back((column, self.newest));
        }
        let oldest = self.first_column();
        while self.starts.front().is_some_and(|(old, _)| *old < oldest) {
            self.starts.pop_front();
        }
        let is_new = counts != self.newest;
        self.newest = counts;
        is_new || (rose && column > before)
    }

    /// The counters now.
    pub(super) fn newest(&self) -> &Counts {
        &self.newest
    }

    /// What was counted in each column, the oldest first; the last one goes on.
    pub(super) fn columns(&self) -> Vec<Counts> {
        let ends = self.starts.iter().skip(1).map(|(_, counts)| counts);
        let ends = ends.chain([&self.newest]);
        let mut columns = vec![Counts::default(); COLUMNS as usize];
        for ((column, start), end) in self.starts.iter().zip(ends) {
            let place = (column + COLUMNS - 1).checked_sub(self.column());
            if let Some(place) = place.and_then(|place| columns.get_mut(place as usize)) {
                *place = end.since(start);
            }
        }
        columns
    }

    /// What was counted in all columns.
    pub(super) fn recently(&self) -> Counts {
        let oldest = self.starts.front();
        oldest.map_or_else(Counts::default, |(_, start)| self.newest.since(start))
    }

    /// The position of a time since the start of the process on the axis of the columns; none
    /// before it.
    pub(super) fn on_axis(&self, at: Duration) -> Option<Duration> {
        let end = COLUMN * (self.column() + 1);
        (at + COLUMN * COLUMNS).checked_sub(end)
    }

    /// The number of the column that goes on.
    fn column(&self) -> u32 {
        u32::try_from(self.at.as_secs() / COLUMN.as_secs()).unwrap_or(u32::MAX / 2)
    }

    /// The number of the first column that is shown.
    fn first_column(&self) -> u32 {
        (self.column() + 1).saturating_sub(COLUMNS)
    }
}
