//! The calls that began in an interval, judged by how they ended.

use super::Step;

/// The calls that began in an interval, in one sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SuccessLevel {
    /// No call began.
    NoCalls,
    /// Calls that had not ended could still change the level.
    NotJudged,
    /// The share that succeeded, as [`level`] gives it.
    Level(usize),
}

/// The level that means all.
pub const ALL: usize = 8;

/// A share as a level: 0 is none, [`ALL`] is all, and the others are equal parts between.
#[must_use]
pub fn level(part: f64, of: f64) -> usize {
    match part {
        _ if part <= 0.0 => 0,
        _ if part >= of => ALL,
        _ => ((part / of * (ALL - 1) as f64).ceil() as usize).clamp(1, ALL - 1),
    }
}

/// The calls that began in some steps, by how they ended.
#[derive(Clone, Copy)]
pub(super) struct Calls {
    all: u32,
    succeeded: u32,
    failed: u32,
}

impl Calls {
    pub(super) fn of(steps: &[Step]) -> Self {
        let sum = |count: fn(&Step) -> u32| steps.iter().map(count).sum();
        Self {
            all: sum(|step| step.calls),
            succeeded: sum(|step| step.answered),
            failed: sum(|step| step.failed),
        }
    }

    /// The judgement that holds whether the calls that had not ended fail or succeed; none
    /// if they decide.
    fn judged<T: PartialEq>(self, by: impl Fn(u32) -> T) -> Option<T> {
        let worst = by(self.succeeded);
        (worst == by(self.all - self.failed)).then_some(worst)
    }

    /// The share that succeeded, of those that ended; one if none ended.
    pub(super) fn share(self) -> f64 {
        if self.ended() == 0.0 {
            1.0
        } else {
            f64::from(self.succeeded) / self.ended()
        }
    }

    /// How many have ended.
    pub(super) fn ended(self) -> f64 {
        f64::from(self.succeeded + self.failed)
    }

    pub(super) fn success_level(self) -> SuccessLevel {
        let level = self.judged(|succeeded| level(succeeded.into(), self.all.into()));
        match level {
            _ if self.all == 0 => SuccessLevel::NoCalls,
            None => SuccessLevel::NotJudged,
            Some(level) => SuccessLevel::Level(level),
        }
    }
}
