//! Grading: tasks, run by any client that can be run as a process.
//!
//! A [`Task`] is one file in `task/` and one line in its catalogue: its words, the
//! rules that are judged in it, and what the service does in each of its cases. A
//! process is one intended call, so a task that needs a sample or several faults is
//! run several times, side by side, each time with a URL of its own. Open cases share
//! two listeners; a case that is run with a process has one for itself.
//!
//! [`run_task()`] runs a task, in a [`ProcessSlots`] with others, and returns an [`evidence::grade::TaskGrade`]; [`OpenCases`]
//! are open to clients of any kind.

pub(crate) mod command;
pub(crate) mod delay;
mod draw;
mod fixed_goal;
mod open;
pub(crate) mod process;
mod process_slots;
mod responses;
mod run_task;
mod service;
#[cfg(target_os = "linux")]
mod stragglers;
mod task;
mod time_zone;

pub use command::{ClientCommand, CommandError};
pub use open::{OpenCase, OpenCases};
pub use process_slots::ProcessSlots;
pub use run_task::{GradeError, run_task};
pub use task::{PRACTICE, TASKS, Task, all, find};
