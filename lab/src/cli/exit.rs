//! Exit codes, all of them.

use std::process::ExitCode;

/// How the command ended, for the shell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// 0: every expectation held.
    Passed,
    /// 1: an expectation did not hold.
    Failed,
    /// 2: the command line makes no sense.
    Usage,
    /// 3: the environment failed; it says nothing about the client.
    Environment,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Passed => 0,
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::Environment => 3,
        })
    }
}
