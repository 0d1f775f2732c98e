//! What many seeds of a storm came to. Such a system has two states, so that a mean would
//! describe none of them: it is counted in how many seeds which policy ended in which.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use super::{Policy, STORM_VERSION, Settings, Storm, Words};
use crate::nanoseconds;

/// What many seeds of a storm came to.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Tally {
    /// The version of this shape, which is that of a storm.
    pub schema_version: u32,
    /// The story.
    pub story: Words,
    /// How it was set up.
    pub settings: Settings,
    /// The random generator that draws from the seeds.
    pub generator: &'static str,
    /// The seeds that were played to the end.
    pub seeds: Vec<u64>,
    /// In how many of them the run showed what the story's answer says; none if a policy
    /// of the story was not played.
    pub show_the_answer: Option<u32>,
    /// What became of the calls under each policy.
    pub policies: Vec<PolicyTally>,
}

/// What many seeds came to under one policy.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PolicyTally {
    /// The policy.
    pub policy: Policy,
    /// What each seed came to, in the order of the seeds.
    pub ends: Vec<End>,
}

/// What one seed came to under one policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct End {
    /// How long after the end of the trouble the service was back; none if it never was.
    #[serde(rename = "back_after_ns", serialize_with = "nanoseconds::optional")]
    #[schemars(with = "Option<u64>")]
    pub back_after: Option<Duration>,
    /// Calls that were lost.
    pub lost: u64,
    /// Requests that came to the service.
    pub requests: u64,
}

impl Tally {
    /// What one storm came to: the first of those that differ in their seeds alone.
    #[must_use]
    pub fn of_first(storm: &Storm) -> Self {
        let mut tally = Self::empty(storm);
        tally.add(storm);
        tally
    }

    /// Counts one more storm. One that was cut short came to nothing.
    pub fn add(&mut self, storm: &Storm) {
        if storm.policies.iter().any(|run| run.cut.is_some()) {
            return;
        }
        self.seeds.push(storm.seed);
        let shows = storm.shows_the_answer.map(u32::from);
        self.show_the_answer = self.show_the_answer.zip(shows).map(|(sum, one)| sum + one);
        for (tally, run) in self.policies.iter_mut().zip(&storm.policies) {
            tally.ends.push(End {
                back_after: storm.back_after(run),
                lost: run.lost(),
                requests: run.totals.requests,
            });
        }
    }

    fn empty(storm: &Storm) -> Self {
        let policies = storm.policies.iter().map(|run| PolicyTally {
            policy: run.policy.clone(),
            ends: Vec::new(),
        });
        Self {
            schema_version: STORM_VERSION,
            story: storm.story,
            settings: storm.settings,
            generator: storm.generator,
            seeds: Vec::new(),
            show_the_answer: storm.shows_the_answer.map(|_| 0),
            policies: policies.collect(),
        }
    }
}

impl PolicyTally {
    /// In how many seeds the service stayed down.
    #[must_use]
    pub fn stuck(&self) -> usize {
        let stuck = self.ends.iter().filter(|end| end.back_after.is_none());
        stuck.count()
    }
}
