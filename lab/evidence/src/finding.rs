//! A finding about a machine, and what to do about it.

use serde::Serialize;

/// The result of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// As it should be.
    Ok,
    /// Worth knowing; a workshop can go on without it.
    Note,
    /// It must be solved first.
    Problem,
}

/// A finding, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What was checked, in a word or two.
    pub check: &'static str,
    /// The result of the check.
    pub level: Level,
    /// What was found.
    pub found: String,
    /// What to do, if anything.
    pub advice: Option<String>,
}
