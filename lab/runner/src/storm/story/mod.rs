//! The stories: storms that each show one thing, in the order of the course.
//!
//! A story is a value, and stands in a file of its own: its words, its settings, its
//! policies, and what has to be true of a run for its answer to be true. Adding one is
//! adding a file here, and its name to the list that makes the [`STORIES`].

mod budgets;
mod deadlines;
mod find;
mod herd;
mod outage;
mod spike;
mod synchronized_retry_after;

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
];

/// A storm that shows one thing.
#[derive(Debug)]
pub struct Story {
    /// What is said of it.
    pub words: StoryWords,
    /// How it is set up.
    pub settings: Settings,
    /// The policies that meet in it, in the order in which they are shown.
    pub policies: &'static [Policy],
    /// Whether a run shows what the answer says; none if a policy is not in it.
    pub shows: fn(&Storm) -> Option<bool>,
}

/// What is said of a story that is set up so.
pub(super) fn words(story: &Story, settings: &Settings) -> StoryWords {
    let (own, other) = (&story.settings, settings);
    let is_own = own.incident == other.incident
        && (own.incident != Incident::Refusal || own.retry_after == other.retry_after);
    if is_own {
        return story.words;
    }
    let (title, question) = match settings.incident {
        Incident::Spike => (
            "for a while more calls come than usual",
            "A spike ends, and load is normal again. Who lets the service recover?",
        ),
        Incident::Cut => (
            "for a while the service works on fewer requests at once",
            "The service loses workers, and has them back. Who lets it recover?",
        ),
        Incident::Pause => (
            "for a while the service stands still",
            "The service stands still, and works again. Who lets it recover?",
        ),
        Incident::Refusal if settings.retry_after == RetryAfter::None => (
            "for a while the service responds with 503",
            "For a while there are only 503s. Whose calls survive that?",
        ),
        Incident::Refusal => (
            "for a while the service responds with 503, and says when to come back",
            "For a while each 503 says when to come back. Who gets past that moment?",
        ),
        Incident::None => ("nothing goes wrong", "Nothing goes wrong. Who is served?"),
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
    fn every_story_leads_to_a_scenario_and_to_a_rule() {
        for story in STORIES {
            let StoryWords { scenario, rule, .. } = story.words;

            assert!(scenario::find(scenario).is_ok(), "{scenario}");
            assert!(
                evidence::rules::RULES.iter().any(|of| of.id == rule),
                "{rule}"
            );
        }
    }
}
