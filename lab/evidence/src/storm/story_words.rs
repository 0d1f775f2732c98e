//! What is said of a story.

use schemars::JsonSchema;
use serde::Serialize;

/// What is said of a story: a storm that shows one thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StoryWords {
    /// What it is called.
    pub name: &'static str,
    /// What happens in it, in a few words.
    pub title: &'static str,
    /// What to guess before it is simulated.
    pub question: &'static str,
    /// What is different from one policy to the next.
    pub varies: &'static str,
    /// What it shows, if it is simulated as it comes; of other settings it may be untrue. Null
    /// if another incident has replaced the story's.
    pub answer: Option<&'static str>,
    /// What to take away, whatever the settings.
    pub lesson: &'static str,
    /// What the model leaves out.
    pub left_out: &'static str,
    /// The scenario that shows the same with one client.
    pub scenario: &'static str,
    /// The rule that clients are judged by, if one speaks of it.
    pub rule: &'static str,
}
