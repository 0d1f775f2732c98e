//! A command as a graded process: how it is started, bounded in time and output, and ended
//! with all that it has started itself.

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

mod command;
mod run;
mod running;

pub use command::{ClientCommand, CommandError, Context};
pub use run::{Grading, ProcessLimits, RunError, STDOUT_KEPT, run, run_graded};
pub use running::kill_all;
