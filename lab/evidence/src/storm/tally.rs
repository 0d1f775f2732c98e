//! What many seeds of a storm came to. Such a system has two states, so that a mean would
//! describe none of them: it is counted in how many seeds which policy ended in which.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use super::{Cut, Policy, STORM_VERSION, Settings, Storm, Words};
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
    /// How many more were not, since a policy came to the most that the lab plays.
    pub cut_short: u32,
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
    /// What one storm came to. One that was cut short came to nothing.
    #[must_use]
    pub fn of(storm: &Storm) -> Self {
        let is_cut = |is: fn(Cut) -> bool| storm.policies.iter().any(|run| run.cut.is_some_and(is));
        let is_whole = !is_cut(|_| true);
        let policies = storm.policies.iter().map(|run| PolicyTally {
            policy: run.policy.clone(),
            ends: Vec::from_iter(is_whole.then(|| End {
                back_after: run.back_after,
                lost: run.lost(),
                requests: run.totals.requests,
            })),
        });
        let shows = |shows: bool| u32::from(shows && is_whole);
        Self {
            schema_version: STORM_VERSION,
            story: storm.story,
            settings: storm.settings,
            generator: storm.generator,
            seeds: Vec::from_iter(is_whole.then_some(storm.seed)),
            cut_short: u32::from(is_cut(|cut| cut != Cut::Cancelled)),
            show_the_answer: storm.shows_the_answer.map(shows),
            policies: policies.collect(),
        }
    }

    /// Counts more storms, which differ from these in their seeds alone.
    pub fn add(&mut self, other: Self) {
        self.cut_short += other.cut_short;
        if self.seeds.is_empty() {
            let cut_short = self.cut_short;
            *self = Self { cut_short, ..other };
            return;
        }
        if other.seeds.is_empty() {
            return;
        }
        self.seeds.extend(other.seeds);
        let shown = self.show_the_answer.zip(other.show_the_answer);
        self.show_the_answer = shown.map(|(sum, more)| sum + more);
        for (tally, more) in self.policies.iter_mut().zip(other.policies) {
            tally.ends.extend(more.ends);
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
