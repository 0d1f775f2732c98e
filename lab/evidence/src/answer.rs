//! The answer that a run gives to the question of its scenario.

use schemars::JsonSchema;
use serde::Serialize;

use crate::outcome::Fact;

/// The answer that a run gave.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Answer {
    /// The number, or the letter of the choice.
    pub value: Fact,
    /// The same in words.
    pub text: String,
    /// Why it is so.
    pub why: Option<&'static str>,
}
