//! The stories: storms that each show one thing, in the order of the course.
//!
//! A story is a value in a file of its own: its texts, its settings, its policies, and the
//! condition under which its answer is true. To add one, add a file here and its name to
//! [`STORIES`].

mod budgets;
mod deadlines;
mod herd;
mod layers;
mod outage;
mod queue;
mod spike;
mod synchronized_retry_after;
mod throttled;

use wire::UnknownName;

use crate::{Settings, Storm, StormPolicy, StoryWords};
/// Every story, in the order of the course.
pub static STORIES: &[Story] = &[
    spike::STORY,
    outage::STORY,
    herd::STORY,
    budgets::STORY,
    synchronized_retry_after::STORY,
    deadlines::STORY,
    queue::STORY,
    layers::STORY,
    throttled::STORY,
];

/// A storm that shows one thing.
#[derive(Debug)]
pub struct Story {
    /// Its texts.
    pub words: StoryWords,
    /// The settings of its service and load.
    pub settings: Settings,
    /// The policies that it compares, in the order in which they are shown.
    pub policies: &'static [StormPolicy],
    /// Whether a run shows what the answer says; `None` if one of the policies is missing.
    pub shows: fn(&Storm) -> Option<bool>,
}

/// The story of this name.
///
/// # Errors
///
/// [`UnknownName`], with the nearest name if one is near.
pub fn story(name: &str) -> Result<&'static Story, UnknownName> {
    let known = STORIES.iter().find(|story| story.words.name == name);
    known.ok_or_else(|| {
        let names = STORIES.iter().map(|story| story.words.name);
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
    use super::*;
    use crate::StormPicture;

    #[test]
    fn every_picture_of_a_story_differs_by_one_knob_from_one_before_it() {
        for story in STORIES {
            let pictures = StormPicture::begun(&story.words, &story.settings, story.policies);
            for picture in &pictures[1..] {
                let changed = picture.changed.as_deref().expect("an earlier one");
                let (_, parameters) = changed.split_once("\", but ").expect("a difference");
                assert!(
                    !parameters.is_empty() && !parameters.contains(", "),
                    "{changed}"
                );
            }
        }
    }

    #[test]
    fn every_story_leads_to_a_source() {
        for story in STORIES {
            let source = story.words.source;

            assert!(source.starts_with("https://"), "{source}");
        }
    }
}
