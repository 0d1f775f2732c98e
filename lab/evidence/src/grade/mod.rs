//! A grade: the result a client ends up with, and how the client got it.
//!
//! A task has a [`Goal`], the result that the caller must end up with, and
//! [rules](crate::rules) on how to get it. Without the goal the laziest client would have
//! the best [`Card`]: a client that never retries breaks no rule about retries.

mod against;
mod card;
mod goal;
mod summary;
mod task;
mod verdict_text;

pub use against::Change;
pub use card::{CARD_VERSION, Card, CaseGrade, RuleGrade, TaskGrade};
pub use goal::{Goal, GoalResult, GoalVerdict, NOT_DONE};
pub use summary::{PrintedCard, PrintedCardError, RuleSummary, Summary, TaskSummary};
pub use task::TaskWords;
