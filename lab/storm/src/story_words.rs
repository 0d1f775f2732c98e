//! The texts of a story.

use serde::Serialize;

/// The texts of a story: a storm that demonstrates one thing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct StoryWords {
    /// Its name.
    pub name: &'static str,
    /// What happens in it, in a phrase.
    pub title: &'static str,
    /// The question to guess before it is simulated.
    pub question: &'static str,
    /// The difference between the policies.
    pub varies: &'static str,
    /// The answer with the story's own settings; with others it may be untrue. Null if
    /// another incident has replaced the story's.
    pub answer: Option<&'static str>,
    /// The lesson, which is true for all settings.
    pub lesson: &'static str,
    /// What the model does not include.
    pub left_out: &'static str,
    /// The scenario that shows the same with one client.
    pub scenario: &'static str,
    /// The related rule for clients, if there is one.
    pub rule: &'static str,
    /// The address of a text that describes the same.
    pub source: &'static str,
}
