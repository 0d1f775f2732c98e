//! The plan of a simulation: a story, with its own settings and policies or others.

use client::ConfigError;

use crate::{
    Incident, Loads, Settings, StormPolicy, Story, clients::Clients, loads::TooManyRuns,
    model::service::Service, settings::EndsTooLate,
};

/// The most policies of one storm.
pub const MOST_POLICIES: usize = 12;

/// A simulation to run.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The story.
    pub story: &'static Story,
    /// The settings of its service and load.
    pub settings: Settings,
    /// The policies that it compares, from 1 to 12.
    pub policies: Vec<StormPolicy>,
    /// The seed of arrivals, work and jitter.
    pub seed: u64,
}

/// Why a storm could not be simulated.
#[derive(Debug, thiserror::Error)]
pub enum StormError {
    /// The incident ends too late.
    #[error(transparent)]
    EndsTooLate(#[from] EndsTooLate),
    /// A policy breaks a rule of the client.
    #[error("{policy}: {error}")]
    Policy {
        /// Its name.
        policy: String,
        /// The rule.
        error: ConfigError,
    },
    /// There are more policies than the lab simulates at once.
    #[error("there must be from 1 to {MOST_POLICIES} policies, got {0}")]
    Policies(usize),
    /// A table of loads has too many runs.
    #[error(transparent)]
    TooManyRuns(#[from] TooManyRuns),
}

impl Plan {
    /// A story with its own settings.
    #[must_use]
    pub fn of(story: &'static Story) -> Self {
        Self {
            story,
            settings: story.settings,
            policies: story.policies.to_vec(),
            seed: 1,
        }
    }

    /// The same with another seed.
    #[must_use]
    pub(crate) fn with_seed(&self, seed: u64) -> Self {
        Self {
            seed,
            ..self.clone()
        }
    }

    /// The question of the story, or another one if another incident has replaced the story's.
    #[must_use]
    pub fn question(&self) -> &'static str {
        match self.settings.incident {
            incident if incident == self.story.settings.incident => self.story.question,
            Incident::None => "There is no incident. How many calls succeed?",
            _ => "An incident ends at ▲. Which policies let the service recover?",
        }
    }

    /// Whether the storm is that of the story, up to the seed and policies that were added:
    /// what the story says holds with its own settings only.
    pub(crate) fn is_of_the_story(&self) -> bool {
        let has = |policy| self.policies.contains(policy);
        self.settings == self.story.settings && self.story.policies.iter().all(has)
    }

    /// The lesson of the story; none with other settings than its own.
    #[must_use]
    pub fn lesson(&self) -> Option<&'static str> {
        self.is_of_the_story().then_some(self.story.lesson)
    }

    /// Whether the reader can guess for each row whether the service recovers: the story is about
    /// that.
    #[must_use]
    pub fn has_guess(&self) -> bool {
        self.story.recovers.is_some() && self.settings.incident != Incident::None
    }

    /// What sets the number of requests per second beyond which some fail.
    #[must_use]
    pub fn limit_kind(&self) -> &'static str {
        self.settings.limit_per_second().1
    }

    /// Checks a table of these loads, each with this many seeds, and returns the number of its
    /// runs.
    ///
    /// # Errors
    ///
    /// [`StormError`] if there are more than a table may have.
    pub fn check_loads(&self, loads: &Loads, seeds: u32) -> Result<u32, StormError> {
        Ok(loads.runs(self.policies.len(), seeds)?)
    }

    /// Checks the settings.
    ///
    /// # Errors
    ///
    /// [`StormError`] if they cannot be simulated.
    pub fn check(&self) -> Result<(), StormError> {
        self.settings.check()?;
        if !(1..=MOST_POLICIES).contains(&self.policies.len()) {
            return Err(StormError::Policies(self.policies.len()));
        }
        let pool = futures_executor::LocalPool::new();
        self.policies.iter().try_for_each(|policy| {
            let one = crate::Setup {
                own_clients: 1,
                ..policy.setup
            };
            let service = Service::new(&self.settings, self.seed);
            let client = Clients::new(&service, &one, self.seed, &pool.spawner());
            client.map(|_| ()).map_err(|error| StormError::Policy {
                policy: policy.name.to_string(),
                error,
            })
        })
    }
}
