//! An axis of time.

use std::time::Duration;

use wire::{duration, nanoseconds};

/// An axis of time from the start of the run.
///
/// Its length is a round number, so that it grows in steps during a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// Its end.
    pub length: Duration,
    /// The labelled times.
    pub ticks: Vec<Tick>,
}

/// A labelled time on an axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tick {
    /// The time.
    pub at: Duration,
    /// The same as text.
    pub label: String,
}

impl Axis {
    /// A shorter axis would magnify noise.
    const SHORTEST: u64 = 4 * MILLISECOND;

    /// An axis that reaches this far, with a round length.
    #[must_use]
    pub fn reaching(reach: Duration) -> Self {
        let length = round(nanoseconds::whole(reach).max(Self::SHORTEST), &LENGTHS);
        Self::of_length(Duration::from_nanos(length))
    }

    /// An axis of exactly this length, or the shortest axis that is drawn if that is longer.
    #[must_use]
    pub fn of_length(length: Duration) -> Self {
        let nanos = nanoseconds::whole(length).max(Self::SHORTEST);
        let step = round(nanos / 4, &STEPS).max(MILLISECOND);
        let ticks = (0..=nanos / step).map(|tick| Duration::from_nanos(tick * step));
        Self {
            length: Duration::from_nanos(nanos),
            ticks: ticks
                .map(|at| Tick {
                    at,
                    label: duration(at),
                })
                .collect(),
        }
    }
}

/// A millisecond in nanoseconds.
const MILLISECOND: u64 = 1_000_000;

/// The leading digits of a round length, in tenths.
const LENGTHS: [u64; 10] = [10, 15, 20, 25, 30, 40, 50, 60, 80, 100];

/// The leading digits of a round step between two ticks, in tenths.
const STEPS: [u64; 4] = [10, 20, 50, 100];

/// The smallest number not below `least` that is one of `steps`, in tenths, times a power
/// of ten. `least` must be at least 10.
#[must_use]
pub fn round(least: u64, steps: &[u64]) -> u64 {
    let tenth = 10_u64.pow(least.ilog10() - 1);
    let rounded = steps.iter().map(|step| step.saturating_mul(tenth));
    rounded
        .into_iter()
        .find(|rounded| *rounded >= least)
        .unwrap_or(least)
}
