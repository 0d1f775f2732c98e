//! Exit codes, all of them.

use std::process::ExitCode;

use evidence::Run;

/// How the command ended, for the shell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// 0: every expectation held.
    Passed,
    /// 1: an expectation did not hold, or the end of `lab serve` was cut short.
    Failed,
    /// 2: the command line makes no sense.
    Usage,
    /// 3: the environment failed; it says nothing about the client.
    Environment,
    /// 4: the client attempted none of the tasks.
    NothingAttempted,
    /// 130: Ctrl+C ended a run; it says nothing about the client. It is what a
    /// shell makes of a program that SIGINT has ended: 128 and its number.
    Cancelled,
}

impl Exit {
    /// What one run comes to.
    pub(super) fn of(run: &Run) -> Self {
        if run.is_cancelled() {
            Self::Cancelled
        } else if run.passed() {
            Self::Passed
        } else {
            Self::Failed
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Passed => 0,
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::Environment => 3,
            Exit::NothingAttempted => 4,
            Exit::Cancelled => 130,
        })
    }
}
