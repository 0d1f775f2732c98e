//! The plan of a simulation: a story, with its own settings and policies or others.

use super::Story;
use crate::{Incident, Lead, RetryAfter, Settings, StormPolicy, StoryWords};

/// The default seed.
pub const DEFAULT_SEED: u64 = 1;

/// A simulation to run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The story.
    pub story: &'static Story,
    /// The settings of its service and load.
    pub settings: Settings,
    /// The policies that it compares, from 1 to [`MOST_POLICIES`](super::MOST_POLICIES).
    pub policies: Vec<StormPolicy>,
    /// The seed of arrivals, work and jitter.
    pub seed: u64,
}

impl Plan {
    /// A story with its own settings.
    #[must_use]
    pub fn of(story: &'static Story) -> Self {
        Self {
            story,
            settings: story.settings,
            policies: story.policies.to_vec(),
            seed: DEFAULT_SEED,
        }
    }

    /// The texts of the story. With another incident than the story's, the question and the
    /// leading figure differ, and there is no answer.
    #[must_use]
    pub fn words(&self) -> StoryWords {
        let (own, other) = (&self.story.settings, &self.settings);
        let is_own = own.incident == other.incident
            && (own.incident != Incident::Refusal || own.retry_after == other.retry_after);
        if is_own {
            return self.story.words;
        }
        let (title, question) = match other.incident {
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
            Incident::Refusal if other.retry_after == RetryAfter::None => (
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
        // Without an incident nothing can recover.
        let leads_with = match other.incident {
            Incident::None => Lead::LostCalls,
            _ => Lead::Recovery,
        };
        StoryWords {
            title,
            question,
            answer: None,
            leads_with,
            shows_break_even: false,
            ..self.story.words
        }
    }

    /// The same with another seed.
    #[must_use]
    pub fn with_seed(&self, seed: u64) -> Self {
        Self {
            seed,
            ..self.clone()
        }
    }
}
