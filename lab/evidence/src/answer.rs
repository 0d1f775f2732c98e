//! The answer that a run gives to the question of its scenario.

use schemars::JsonSchema;
use serde::Serialize;

use crate::outcome::Fact;

/// The answer of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Answer {
    /// The number, or the letter of the choice.
    pub value: Fact,
    /// The same as text.
    pub text: String,
}
