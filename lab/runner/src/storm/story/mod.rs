//! The stories: storms that each show one thing, in the order of the course.
//!
//! A story is a value in a file of its own: its texts, its settings, its policies, and the
//! condition under which its answer is true. To add one, add a file here and its name to
//! [`STORIES`].

mod budgets;
mod deadlines;
mod find;
mod herd;
mod layers;
mod outage;
mod queue;
mod spike;
mod synchronized_retry_after;
mod throttled;

use evidence::storm::{Incident, Policy, RetryAfter, Settings, Storm, StoryWords};

pub use find::{policy, story};

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
    pub policies: &'static [Policy],
    /// Whether a run shows what the answer says; `None` if one of the policies is missing.
    pub shows: fn(&Storm) -> Option<bool>,
}

/// The texts of a story under these settings.
pub(super) fn words(story: &Story, settings: &Settings) -> StoryWords {
    let (own, other) = (&story.settings, settings);
    let is_own = own.incident == other.incident
        && (own.incident != Incident::Refusal || own.retry_after == other.retry_after);
    if is_own {
        return story.words;
    }
    let (title, question) = match settings.incident {
        Incident::Spike => (
            "for a while more calls arrive than usual",
            "A spike ends, and load is normal again. Which policies let the service recover?",
        ),
        Incident::Cut => (
            "for a while the service works on fewer requests at once",
            "The service loses workers, then has them again. Which policies let it recover?",
        ),
        Incident::Pause => (
            "for a while the service hangs",
            "The service hangs, then works again. Which policies let it recover?",
        ),
        Incident::Refusal if settings.retry_after == RetryAfter::None => (
            "for a while the service responds with 503",
            "For a while every response is a 503. Which calls still succeed?",
        ),
        Incident::Refusal => (
            "for a while the service responds with 503, and says when to come back",
            "For a while each 503 says when to come back. Which policies let the service recover?",
        ),
        Incident::None => (
            "nothing goes wrong",
            "Nothing goes wrong. Which calls succeed?",
        ),
    };
    StoryWords {
        title,
        question,
        answer: None,
        ..story.words
    }
}

#[cfg(test)]
mod tests {
    use evidence::storm::{Knob, Knobs, Setup};

    use super::*;
    use crate::scenario;

    #[test]
    fn every_picture_of_a_story_differs_by_one_knob_from_one_before_it() {
        for story in STORIES {
            for (number, policy) in story.policies.iter().enumerate().skip(1) {
                let differing = |other: &Policy| {
                    let [one, other] = [policy.setup, other.setup];
                    let differs = |knob: &&Knob<Setup>| knob.value(&one) != knob.value(&other);
                    Setup::KNOBS.iter().filter(differs).count()
                };
                let nearest = story.policies[..number].iter().map(differing).min();

                assert_eq!(nearest, Some(1), "{}: {}", story.words.name, policy.name);
            }
        }
    }

    #[test]
    fn every_story_leads_to_a_scenario_a_rule_and_a_source() {
        for story in STORIES {
            let StoryWords {
                scenario,
                rule,
                source,
                ..
            } = story.words;

            assert!(scenario::find(scenario).is_ok(), "{scenario}");
            assert!(source.starts_with("https://"), "{source}");
            assert!(
                evidence::rules::RULES.iter().any(|of| of.id == rule),
                "{rule}"
            );
        }
    }
}
