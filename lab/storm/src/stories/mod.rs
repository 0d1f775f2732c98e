//! The stories: storms that each show one thing, in the order of the course.
//!
//! A story is a value in a file of its own: its texts, its settings, and its policies. To add
//! one, add a file here and its name to [`STORIES`].

mod budgets;
mod deadlines;
mod herd;
mod layers;
mod outage;
mod spike;
mod synchronized_retry_after;
mod throttled;

use serde::Serialize;
use wire::UnknownName;

use crate::{Settings, StormPolicy};

/// Every story, in the order of the course.
pub static STORIES: &[Story] = &[
    spike::STORY,
    outage::STORY,
    herd::STORY,
    budgets::STORY,
    synchronized_retry_after::STORY,
    deadlines::STORY,
    layers::STORY,
    throttled::STORY,
];

/// A storm that shows one thing.
#[derive(Debug, PartialEq, Serialize)]
pub struct Story {
    /// Its name.
    pub name: &'static str,
    /// The event in it, in a phrase.
    pub title: &'static str,
    /// The same in as few words as a list has room for.
    #[serde(skip)]
    pub brief: &'static str,
    /// The question to guess before it is simulated. `▲` is the end of the incident.
    #[serde(skip)]
    pub question: &'static str,
    /// What the names of its rows mean, in a phrase.
    pub rows: &'static str,
    /// What to learn from it with its own settings, in two sentences.
    #[serde(skip)]
    pub lesson: &'static str,
    /// What the model does not include.
    pub left_out: &'static str,
    /// The scenario that shows the same with one client.
    pub scenario: &'static str,
    /// The related rule for clients.
    pub rule: &'static str,
    /// The address of a text that describes the same.
    pub source: &'static str,
    /// Whether it is about the retries that come at once. Its rows end with the most in a tenth
    /// of a second, in place of the word.
    #[serde(skip)]
    pub shows_retry_peak: bool,
    /// The policies under which the service recovers; none if the story is about something
    /// else, so that there is nothing to guess.
    #[serde(skip)]
    pub recovers: Option<&'static [&'static str]>,
    /// The settings of its service and load.
    #[serde(skip)]
    pub settings: Settings,
    /// The policies that it compares, in the order in which they are shown.
    #[serde(skip)]
    pub policies: &'static [StormPolicy],
}

/// The story of this name.
///
/// # Errors
///
/// [`UnknownName`], with the nearest name if one is near.
pub fn story(name: &str) -> Result<&'static Story, UnknownName> {
    let known = STORIES.iter().find(|story| story.name == name);
    known.ok_or_else(|| {
        let names = STORIES.iter().map(|story| story.name);
        UnknownName::new("story", name, names, "lab list stories")
    })
}

/// The policy of this name or word: one of the story's, or one of another story.
///
/// # Errors
///
/// [`UnknownName`], with the nearest name if one is near.
pub fn policy(of: &Story, name: &str) -> Result<StormPolicy, UnknownName> {
    let others = STORIES.iter().flat_map(|story| story.policies);
    let all = of.policies.iter().chain(others);
    let known = all
        .clone()
        .find(|policy| policy.name == name || policy.word() == name);
    known.cloned().ok_or_else(|| {
        let words: Vec<_> = all.map(StormPolicy::word).collect();
        let words = words.iter().map(String::as_str);
        UnknownName::new("policy", name, words, "lab list stories")
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// So a difference between two rows has one reason.
    #[test]
    fn every_policy_of_a_story_differs_by_one_setting_from_one_before_it() {
        for story in STORIES {
            let setups: Vec<Value> = story.policies.iter().map(|of| json!(of.setup)).collect();
            for (number, setup) in setups.iter().enumerate().skip(1) {
                let differences = |other: &Value| {
                    let members = setup.as_object().expect("an object").iter();
                    members
                        .filter(|(name, value)| other[*name] != **value)
                        .count()
                };
                let nearest = setups[..number].iter().map(differences).min();
                assert_eq!(nearest, Some(1), "{}", story.policies[number].name);
            }
        }
    }

    #[test]
    fn every_lesson_has_two_sentences_and_every_story_a_source() {
        for story in STORIES {
            let ends = story.lesson.matches(". ").count() + 1;
            assert!(ends == 2 && story.lesson.ends_with('.'), "{}", story.lesson);
            assert!(story.source.starts_with("https://"), "{}", story.source);
        }
    }

    #[test]
    fn a_guess_names_policies_of_its_story() {
        for story in STORIES {
            for name in story.recovers.unwrap_or_default() {
                assert!(
                    story.policies.iter().any(|policy| policy.name == *name),
                    "{name}"
                );
            }
        }
    }
}
