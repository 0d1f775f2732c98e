//! The numbers of the lanes, from the text of `/metrics`.

use client::telemetry::CALL_DURATION_BUCKETS;

use super::lanes::{DURATIONS, LANES, MOST_PARTS};

/// The bounds of the durations, in seconds, and one without a bound.
const BUCKETS: usize = CALL_DURATION_BUCKETS.len() + 1;

/// The numbers of all lanes: at a moment, or counted between two moments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    parts: [[u64; MOST_PARTS]; LANES.len()],
    /// How many durations do not exceed each bound.
    buckets: [u64; BUCKETS],
}

/// The time that a share of the durations does not exceed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Quantile {
    /// In seconds.
    AtMost(f64),
    /// It is above the last bound.
    Above(f64),
}

impl Counts {
    /// Reads the text of `/metrics`.
    pub(super) fn read(text: &str) -> Self {
        let mut counts = Self::default();
        for line in text.lines() {
            counts.add(line);
        }
        counts
    }

    /// Adds a line of the text, if a lane shows it.
    ///
    /// Names and values of labels come from closed sets, none of which has a comma or a quote.
    fn add(&mut self, line: &str) -> Option<()> {
        let (series, value) = line.rsplit_once(' ')?;
        let (name, labels) = series.split_once('{').unwrap_or((series, "}"));
        let labels = labels.strip_suffix('}')?;
        let label = |name: &str| {
            let mut labels = labels.split(',');
            let value = labels.find_map(|label| label.strip_prefix(name)?.strip_prefix("=\""))?;
            value.strip_suffix('"')
        };
        let number = if name.strip_prefix(DURATIONS) == Some("_bucket") {
            let bound = label("le")?;
            let bounds = CALL_DURATION_BUCKETS.iter();
            let bucket = bounds
                .enumerate()
                .find(|(_, known)| bound.parse() == Ok(**known));
            let bucket = bucket.map_or(CALL_DURATION_BUCKETS.len(), |(bucket, _)| bucket);
            self.buckets.get_mut(bucket)?
        } else {
            let is_it = |(metric, suffix): (&str, &str)| name.strip_prefix(metric) == Some(suffix);
            let mut lanes = LANES.iter().zip(&mut self.parts);
            let (lane, parts) = lanes.find(|(lane, _)| is_it((lane.metric, lane.suffix)))?;
            let value = match lane.label {
                Some(name) => label(name)?,
                None => "",
            };
            parts.get_mut(lane.part_of(value))?
        };
        *number += value.parse::<u64>().ok()?;
        Some(())
    }

    /// The number of a part of a lane.
    pub(super) fn part(&self, lane: usize, part: usize) -> u64 {
        let parts = self.parts.get(lane);
        parts
            .and_then(|parts| parts.get(part))
            .copied()
            .unwrap_or(0)
    }

    /// The number of a lane.
    pub(super) fn total(&self, lane: usize) -> u64 {
        self.parts.get(lane).map_or(0, |parts| parts.iter().sum())
    }

    /// What was counted since other numbers.
    pub(super) fn since(&self, before: &Self) -> Self {
        let mut rise = *self;
        let parts = rise.parts.iter_mut().flatten();
        for (part, before) in parts.zip(before.parts.iter().flatten()) {
            *part = part.saturating_sub(*before);
        }
        for (bucket, before) in rise.buckets.iter_mut().zip(&before.buckets) {
            *bucket = bucket.saturating_sub(*before);
        }
        rise
    }

    /// The lowest bound that this share of the durations does not exceed; none without any.
    pub(super) fn quantile(&self, share: f64) -> Option<Quantile> {
        let all = self.buckets.last().copied().filter(|all| *all > 0)?;
        let rank = (share * all as f64).ceil() as u64;
        let bounds = CALL_DURATION_BUCKETS.iter().zip(&self.buckets);
        let mut enough = bounds.filter(|(_, count)| **count >= rank);
        let above = || CALL_DURATION_BUCKETS.last().copied().map(Quantile::Above);
        enough
            .next()
            .map(|(bound, _)| Quantile::AtMost(*bound))
            .or_else(above)
    }
}
