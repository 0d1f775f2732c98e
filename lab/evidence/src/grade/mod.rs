//! A grade: what a client ended up with, and how it got there.
//!
//! A task has a [`Goal`], what the caller must end up with, and [rules](crate::rules),
//! how it may be got. Without the goal the laziest client would have the best
//! [`Card`]: one that never retries breaks no rule of retrying.

mod card;
mod goal;
mod known_failures;
mod summary;
mod task;
mod verdict_text;

pub use card::{CARD_VERSION, Card, CaseGrade, RecordedCase, RuleGrade, TaskGrade};
pub use goal::{Goal, GoalResult, GoalVerdict, NOT_DONE};
pub use known_failures::{KnownFailure, KnownFailures};
pub use summary::{PrintedCard, PrintedCardError, RuleSummary, Summary, TaskSummary};
pub use task::TaskWords;
