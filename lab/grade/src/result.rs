//! When a task is done and when a card passes. Texts, reports and exit codes follow this.

use judge::KnownFailures;

use crate::{Card, GoalVerdict, TaskGrade};

/// The result of a task, in which known failures do not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskResult {
    /// A rule is broken. The client may have skipped the task afterwards.
    RuleBroken,
    /// The goal is missed, or the client crashed.
    GoalMissed,
    /// The goal is missed, as it is known to be.
    KnownToMiss,
    /// The goal could not be judged.
    NotJudged,
    /// The client does not do the task.
    Skipped,
    /// The goal is reached.
    Done,
}

/// The result of a card, in which known failures do not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CardResult {
    /// A rule is broken.
    RuleBroken,
    /// A goal is missed.
    GoalMissed,
    /// The client attempted no task.
    NothingAttempted,
    /// Nothing is wrong, and no goal is reached.
    NotJudged,
    /// Every attempted goal is reached, and no rule is broken.
    Passed,
}

impl TaskResult {
    /// Whether nothing is left to do.
    #[must_use]
    pub fn is_done(self) -> bool {
        matches!(self, Self::Done | Self::KnownToMiss | Self::NotJudged)
    }

    /// Good, bad or neither.
    #[must_use]
    pub fn is_good(self) -> Option<bool> {
        match self {
            Self::RuleBroken | Self::GoalMissed => Some(false),
            Self::Done => Some(true),
            Self::KnownToMiss | Self::NotJudged | Self::Skipped => None,
        }
    }
}

impl TaskGrade {
    /// Its result.
    #[must_use]
    pub fn result(&self, known: &KnownFailures) -> TaskResult {
        if self.broken_but_for(known).next().is_some() {
            return TaskResult::RuleBroken;
        }
        match self.goal.verdict {
            GoalVerdict::Reached => TaskResult::Done,
            GoalVerdict::Missed | GoalVerdict::Crashed if self.is_known_to_miss(known) => {
                TaskResult::KnownToMiss
            }
            GoalVerdict::Missed | GoalVerdict::Crashed => TaskResult::GoalMissed,
            GoalVerdict::Skipped => TaskResult::Skipped,
            GoalVerdict::NotJudged => TaskResult::NotJudged,
        }
    }
}

impl Card {
    /// Its result.
    #[must_use]
    pub fn result(&self, known: &KnownFailures) -> CardResult {
        let results: Vec<_> = self.tasks.iter().map(|task| task.result(known)).collect();
        let has_reached = |task: &TaskGrade| task.goal.verdict == GoalVerdict::Reached;
        if results.contains(&TaskResult::RuleBroken) {
            CardResult::RuleBroken
        } else if results.contains(&TaskResult::GoalMissed) {
            CardResult::GoalMissed
        } else if !self.was_attempted() {
            CardResult::NothingAttempted
        } else if self.tasks.iter().any(has_reached) {
            CardResult::Passed
        } else {
            CardResult::NotJudged
        }
    }
}
