//! What was found out about a machine, and what to do about it.

use serde::Serialize;

/// How a check came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// As it should be.
    Ok,
    /// Worth knowing; a workshop goes on without it.
    Note,
    /// It has to be dealt with first.
    Problem,
}

/// What was found out, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What was looked at, in a word or two.
    pub check: &'static str,
    /// How it came out.
    pub level: Level,
    /// What was found.
    pub found: String,
    /// What to do, if anything.
    pub advice: Option<String>,
}
