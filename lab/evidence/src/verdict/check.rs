//! What a verdict is made of: an expectation or a rule, and whether it held.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

/// An expectation or a rule, and whether it held.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Check {
    /// Where it comes from.
    pub source: Source,
    /// The id of the [rule](crate::rules); none of what this scenario alone expects.
    pub rule: Option<&'static str>,
    /// What was expected.
    pub text: String,
    /// Whether it is so.
    pub held: bool,
    /// What was found instead, if it is not.
    pub found: Option<String>,
}

/// Where a check comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// What the wire saw: nothing that a client says of itself.
    Wire,
    /// The client's own word: its outcome and its counters.
    Client,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Wire => "wire",
            Self::Client => "client",
        })
    }
}
