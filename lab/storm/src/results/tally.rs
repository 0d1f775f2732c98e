//! The results of many seeds of a storm. Such a system ends in one of two states, and a
//! mean would describe neither. So for each policy, the words are counted.

use std::mem::discriminant;

use serde::Serialize;

use super::{Cut, STORM_VERSION, word::Word};
use crate::{Settings, Storm, StormPolicy, Story};

/// The results of many seeds of a storm.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Tally {
    schema_version: u32,
    story: &'static Story,
    settings: Settings,
    /// The random generator that uses the seeds.
    generator: &'static str,
    /// The number of seeds that were simulated to the end.
    pub seeds: usize,
    /// The number of further seeds that reached the most that the lab simulates.
    pub cut_short: usize,
    /// The words under each policy.
    pub policies: Vec<PolicyTally>,
}

/// The words under one policy.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PolicyTally {
    /// The policy.
    pub policy: StormPolicy,
    /// Seeds in which the service recovered.
    pub ok: usize,
    /// Seeds in which it was degraded at the end.
    pub degraded: usize,
    /// Seeds in which it was down at the end.
    pub down: usize,
    /// Seeds without a word.
    pub no_word: usize,
}

impl Tally {
    /// The results of storms that differ in their seeds only; none if there are no storms.
    pub(crate) fn of(storms: &[Storm]) -> Option<Self> {
        let first = storms.first()?;
        let is_whole = |storm: &&Storm| storm.policies.iter().all(|run| run.cut.is_none());
        let is_cut_short = |storm: &&Storm| {
            let mut cuts = storm.policies.iter().filter_map(|run| run.cut);
            cuts.any(|cut| cut != Cut::Cancelled)
        };
        let whole: Vec<_> = storms.iter().filter(is_whole).collect();
        let policies = first.policies.iter().enumerate().map(|(number, run)| {
            let words = whole.iter().filter_map(|storm| storm.policies.get(number));
            let words: Vec<_> = words.map(|run| run.word).collect();
            let count = |word: Option<Word>| {
                let same = words.iter().filter(|other| {
                    other.map(|word| discriminant(&word)) == word.map(|word| discriminant(&word))
                });
                same.count()
            };
            PolicyTally {
                policy: run.policy.clone(),
                ok: count(Some(Word::Ok { after_seconds: 0 })),
                degraded: count(Some(Word::Degraded)),
                down: count(Some(Word::Down)),
                no_word: count(None),
            }
        });
        Some(Self {
            schema_version: STORM_VERSION,
            story: first.story,
            settings: first.settings,
            generator: first.generator,
            seeds: whole.len(),
            cut_short: storms.iter().filter(is_cut_short).count(),
            policies: policies.collect(),
        })
    }
}
