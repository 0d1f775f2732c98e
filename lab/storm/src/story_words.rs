//! The texts of a story.

use serde::Serialize;

/// The figure that a story is about. It stands first in each row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Lead {
    /// Whether the service recovered, and when.
    #[default]
    Recovery,
    /// The calls that ended without success.
    LostCalls,
    /// The retries in the tenth of a second with the most.
    RetryPeak,
}

/// The texts of a story: a storm that demonstrates one thing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct StoryWords {
    /// Its name.
    pub name: &'static str,
    /// The event in it, in a phrase.
    pub title: &'static str,
    /// The question to guess before it is simulated.
    pub question: &'static str,
    /// The difference between the policies.
    pub varies: &'static str,
    /// The figure that it is about.
    pub leads_with: Lead,
    /// Whether it is about the load from which retries fill the service.
    pub shows_break_even: bool,
    /// The answer with the story's own settings; with others it may be untrue. Null if
    /// another incident has replaced the story's.
    pub answer: Option<&'static str>,
    /// The lesson, for a storm that shows the answer.
    pub lesson: &'static str,
    /// The limits of the model.
    pub left_out: &'static str,
    /// The scenario that shows the same with one client.
    pub scenario: &'static str,
    /// The related rule for clients, if there is one.
    pub rule: &'static str,
    /// The address of a text that describes the same.
    pub source: &'static str,
}
