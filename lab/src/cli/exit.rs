//! All exit codes.

use std::process::ExitCode;

use host::EndSignal;
use scenario::ScenarioRun;

/// How the command ended, for the shell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// 0: every expectation held.
    Passed,
    /// 1: an expectation did not hold.
    Failed,
    /// 2: the command line makes no sense.
    Usage,
    /// 3: the environment failed; the client was not judged.
    Environment,
    /// 4: the client attempted none of the tasks.
    NothingAttempted,
    /// 129, 130 or 143: SIGHUP, Ctrl+C or SIGTERM ended a run; the client was not judged.
    /// Shells report 128 plus the signal's number for a program that a signal ended.
    Cancelled,
}

impl Exit {
    /// The exit code of one run.
    pub(crate) fn of(run: &ScenarioRun) -> Self {
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
            Exit::Cancelled => EndSignal::first()
                .unwrap_or(EndSignal::Interrupt)
                .exit_code(),
        })
    }
}
