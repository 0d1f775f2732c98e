//! What is to be simulated: a story, with other settings or policies than its own if so
//! wished.

use evidence::storm::{Policy, Settings, StoryWords};

use super::{Story, story};

/// The seed of a picture that nobody chose one for.
pub const DEFAULT_SEED: u64 = 1;

/// What is to be simulated.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The story.
    pub story: &'static Story,
    /// How it is set up.
    pub settings: Settings,
    /// The policies that meet in it, from 1 to [`MOST_POLICIES`](super::MOST_POLICIES).
    pub policies: Vec<Policy>,
    /// What arrivals, work and jitter are drawn from.
    pub seed: u64,
}

impl Plan {
    /// A story as it comes.
    #[must_use]
    pub fn of(story: &'static Story) -> Self {
        Self {
            story,
            settings: story.settings,
            policies: story.policies.to_vec(),
            seed: DEFAULT_SEED,
        }
    }

    /// What is said of it: what is said of the story, unless another incident takes the
    /// place of the story's. Then there is another question, and no answer.
    #[must_use]
    pub fn words(&self) -> StoryWords {
        story::words(self.story, &self.settings)
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
