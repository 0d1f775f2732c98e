//! What is read off the steps of a storm.

use std::time::Duration;

use super::{PolicyRun, STEP, Step, Storm};

/// How much of the calls has to succeed for a service to be called back.
const BACK: f64 = 0.9;

/// For how long it has to stay so: ten steps, and so a second.
const STAYS: usize = 10;

impl Storm {
    /// How long after the end of the trouble the service was back, and stayed so: nine
    /// tenths of the calls of a second succeeded, in that second and every later one.
    /// None if it never was.
    #[must_use]
    pub fn back_after(&self, run: &PolicyRun) -> Option<Duration> {
        let end = step_of(self.settings.trouble_ends());
        let seconds = run.steps[end.min(run.steps.len())..].chunks(STAYS);
        let is_up = |second: &[Step]| {
            let share = share(second);
            share.is_none_or(|share| share >= BACK)
        };
        let ups: Vec<_> = seconds.map(is_up).collect();
        let down = ups.iter().rposition(|is_up| !is_up).map_or(0, |at| at + 1);
        // A call that begins at the very end has no time to end.
        let back = u32::try_from(down * STAYS).unwrap_or(u32::MAX);
        (down + 1 < ups.len()).then(|| STEP * back)
    }

    /// What became of the policy of this name; none if it was not played to the end.
    #[must_use]
    pub fn played(&self, name: &str) -> Option<&PolicyRun> {
        let mut runs = self.policies.iter();
        runs.find(|run| run.policy.name == name && run.cut.is_none())
    }

    /// Whether the service recovered under the policy of this name; none if it was not
    /// played to the end.
    #[must_use]
    pub fn is_back(&self, name: &str) -> Option<bool> {
        self.played(name).map(|run| self.back_after(run).is_some())
    }

    /// The calls that were lost under the policy of this name; none if it was not played
    /// to the end.
    #[must_use]
    pub fn lost(&self, name: &str) -> Option<u64> {
        self.played(name).map(PolicyRun::lost)
    }

    /// The share of the calls that succeeded, of those that began in each of so many
    /// columns of equal length and that ended before the end of all; none of a column
    /// without a call.
    #[must_use]
    pub fn columns(&self, run: &PolicyRun, columns: usize) -> Vec<Option<f64>> {
        let width = run.steps.len().div_ceil(columns.max(1)).max(1);
        run.steps.chunks(width).map(share).collect()
    }
}

impl PolicyRun {
    /// The calls that failed.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.totals.failed
    }

    /// Requests for each call.
    #[must_use]
    pub fn amplification(&self) -> f64 {
        self.totals.requests as f64 / self.totals.calls.max(1) as f64
    }
}

/// The share of the calls of some steps that succeeded, of those that ended; none without
/// a call. Where calls began and none has ended, none has succeeded.
fn share(steps: &[Step]) -> Option<f64> {
    let sum = |count: fn(&Step) -> u32| f64::from(steps.iter().map(count).sum::<u32>());
    let answered = sum(|step| step.answered);
    let ended = answered + sum(|step| step.failed);
    (sum(|step| step.calls) > 0.0).then(|| answered / ended.max(1.0))
}

fn step_of(moment: Duration) -> usize {
    usize::try_from(moment.as_nanos().div_ceil(STEP.as_nanos())).unwrap_or(usize::MAX)
}
