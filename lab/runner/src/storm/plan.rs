//! The plan of a simulation: a story, with its own settings and policies or others.

use evidence::storm::{Policy, Settings, StoryWords};

use super::{Story, story};

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
    pub policies: Vec<Policy>,
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

    /// The texts of the story. With another incident than the story's, the question differs
    /// and there is no answer.
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
