//! The counts of a tenth of a second.

use std::time::Duration;

use serde::Serialize;
use wire::nanoseconds;

/// The length of one [`Step`].
pub const STEP: Duration = Duration::from_millis(100);

/// The counts of a tenth of a second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Step {
    /// Calls that began in it.
    pub calls: u32,
    /// Of these, the calls that succeeded at any time before the end of the storm.
    pub answered: u32,
    /// Of these, the calls that failed before the end of the storm. The others were still in
    /// flight.
    pub failed: u32,
    /// Calls that succeeded in it, regardless of when they began: the goodput.
    pub goodput: u32,
    /// Requests that arrived at the service.
    pub requests: u32,
    /// Of these, the requests that were not the first of their call.
    pub retries: u32,
    /// Requests that the service completed: the throughput.
    pub worked: u32,
    /// Of these, the requests whose attempt had timed out.
    pub abandoned: u32,
    /// Requests queued at its end.
    pub waiting: u32,
    /// The latency of the calls that ended in it, succeeded or failed, including waits; none
    /// if no call ended.
    pub latency: Option<Latency>,
    /// The tokens left in a client's budget at its end, on average; none without a budget.
    pub tokens: Option<f64>,
    /// The attempts in flight that a client allowed itself at its end, on average; none
    /// without a limit.
    pub limit: Option<f64>,
}

/// The latency of calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Latency {
    /// The median.
    #[serde(rename = "median_ns", with = "nanoseconds")]
    pub median: Duration,
    /// The 99th percentile.
    #[serde(rename = "p99_ns", with = "nanoseconds")]
    pub p99: Duration,
}

impl Latency {
    /// The latency of these calls; none if there are no calls. Both values are measured times
    /// (the nearest rank), not interpolated ones.
    #[must_use]
    pub fn of(times: &mut [Duration]) -> Option<Self> {
        times.sort_unstable();
        let rank = |percent: usize| (times.len() * percent).div_ceil(100).checked_sub(1);
        let at = |percent| rank(percent).and_then(|at| times.get(at).copied());
        Some(Self {
            median: at(50)?,
            p99: at(99)?,
        })
    }
}

/// The index of the first step that begins at or after this moment.
pub(super) fn step_of(moment: Duration) -> usize {
    usize::try_from(moment.as_nanos().div_ceil(STEP.as_nanos())).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_latency_is_the_time_of_a_call() {
        let of = |times: &[u64]| {
            let mut times: Vec<_> = times.iter().copied().map(Duration::from_secs).collect();
            Latency::of(&mut times).map(|latency| (latency.median.as_secs(), latency.p99.as_secs()))
        };
        let hundred: Vec<_> = (1..=100).rev().collect();
        let more: Vec<_> = (1..=101).collect();

        assert_eq!(of(&[]), None);
        assert_eq!(of(&[7]), Some((7, 7)));
        assert_eq!(of(&[9, 7]), Some((7, 9)));
        assert_eq!(of(&hundred), Some((50, 99)));
        assert_eq!(of(&more), Some((51, 100)));
    }
}
