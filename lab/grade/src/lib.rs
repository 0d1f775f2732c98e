//! `lab grade`: tasks, run by any client that can be run as a process, and its card.
//!
//! A [`Task`] is one file in `tasks/` and one line in its list: its words, the rules that are
//! judged in it, and what the service does in each of its cases. A process is one intended
//! call, so a task that needs a sample or several faults is run several times, side by side,
//! each time with a URL of its own. Open cases share two listeners; a case that is run with a
//! process has one for itself.
//!
//! A task has a goal, the result that the caller must end up with, and
//! [rules](judge::rules) on how to get it. Without the goal the laziest client would have
//! the best [`Card`]: a client that never retries breaks no rule about retries.
//!
//! [`run_tasks()`] runs tasks side by side in a [`ProcessSlots`], and hands over a [`TaskGrade`]
//! for each; [`run_task()`] runs one of them;
//! [`OpenCases`] are open to clients of any kind.

// No input may end the program: each impossible case states its reason.
#![cfg_attr(
    not(test),
    warn(
        clippy::expect_used,
        clippy::indexing_slicing,
        clippy::panic,
        clippy::string_slice,
        clippy::unreachable,
        clippy::unwrap_used
    )
)]

mod board;
mod card;
mod case_timeline;
mod changes;
mod draw;
mod fixed_goal;
mod goal;
mod html;
mod in_flight;
mod junit;
mod lab_delay;
mod open;
mod policy_under_load;
mod printed_card;
mod process_slots;
mod remark;
mod responder;
mod responses;
mod result;
mod run_task;
mod service;
mod task;
mod tasks;
pub mod text;
mod time_zone;
mod verdict_text;

pub use board::{Board, Learner};
pub use card::{Card, CaseGrade, RuleGrade, TaskGrade};
pub use changes::{Changes, GoalChange, RuleChange};
pub use goal::{GOAL, GoalResult, GoalVerdict};
pub use html::{before_its_result, evidence, html_card, html_policy_under_load};
pub use junit::junit;
pub use open::{OpenCase, OpenCases};
pub use policy_under_load::{LoadWord, PolicyUnderLoad, StormWords};
pub use printed_card::{PrintedCard, PrintedCardError};
pub use process_slots::ProcessSlots;
pub use result::{CardResult, TaskResult};
pub use run_task::{CaseEvent, GradeError, run_task, run_tasks};
pub use service::ServiceError;
pub use task::{Task, TaskWords};
pub use tasks::{TASKS, find};

// What the modules share.
pub(crate) use card::CARD_VERSION;
pub(crate) use goal::{Goal, NOT_DONE};
pub(crate) use in_flight::in_flight;
