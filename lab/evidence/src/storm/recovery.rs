//! What is read off the steps of a storm.

use std::time::Duration;

use super::{PolicyRun, STEP, Storm};

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
        let is_up = |second: &[super::Step]| {
            let calls: u32 = second.iter().map(|step| step.calls).sum();
            let answered: u32 = second.iter().map(|step| step.answered).sum();
            f64::from(answered) >= BACK * f64::from(calls)
        };
        let ups: Vec<_> = seconds.map(is_up).collect();
        let down = ups.iter().rposition(|is_up| !is_up).map_or(0, |at| at + 1);
        // A call that begins at the very end has no time to end.
        let back = u32::try_from(down * STAYS).unwrap_or(u32::MAX);
        (down + 1 < ups.len()).then(|| STEP * back)
    }

    /// The share of the calls that succeeded, of those that began in each of so many
    /// columns of equal length; none of a column without a call.
    #[must_use]
    pub fn columns(&self, run: &PolicyRun, columns: usize) -> Vec<Option<f64>> {
        let width = run.steps.len().div_ceil(columns.max(1)).max(1);
        let share = |column: &[super::Step]| {
            let calls: u32 = column.iter().map(|step| step.calls).sum();
            let answered: u32 = column.iter().map(|step| step.answered).sum();
            (calls > 0).then(|| f64::from(answered) / f64::from(calls))
        };
        run.steps.chunks(width).map(share).collect()
    }
}

impl PolicyRun {
    /// Requests for each call.
    #[must_use]
    pub fn amplification(&self) -> f64 {
        self.totals.requests as f64 / self.totals.calls.max(1) as f64
    }
}

fn step_of(moment: Duration) -> usize {
    usize::try_from(moment.as_nanos().div_ceil(STEP.as_nanos())).unwrap_or(usize::MAX)
}
