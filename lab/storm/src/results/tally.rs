//! The results of many seeds of a storm. Such a system ends in one of two states, and a
//! mean would describe neither. So for each policy, the words are counted.

use std::cmp::Reverse;

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
    /// How often each word came.
    #[serde(flatten)]
    pub words: WordCounts,
}

/// How often each word came.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct WordCounts {
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
            let runs = whole.iter().filter_map(|storm| storm.policies.get(number));
            let mut words = WordCounts::default();
            runs.for_each(|run| words.count(run.word));
            PolicyTally {
                policy: run.policy.clone(),
                words,
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

impl WordCounts {
    /// Counts the word of a seed.
    pub(crate) fn count(&mut self, word: Option<Word>) {
        let counted = match word {
            Some(Word::Ok { .. }) => &mut self.ok,
            Some(Word::Degraded) => &mut self.degraded,
            Some(Word::Down) => &mut self.down,
            None => &mut self.no_word,
        };
        *counted += 1;
    }

    /// Each word that came and how often, the most frequent first.
    pub(crate) fn phrases(&self) -> Vec<String> {
        let mut counts = [
            ("ok", self.ok),
            ("degraded", self.degraded),
            ("DOWN", self.down),
            ("no word", self.no_word),
        ];
        counts.sort_by_key(|(_, count)| Reverse(*count));
        let counts = counts.into_iter().filter(|(_, count)| *count > 0);
        counts
            .map(|(word, count)| format!("{word} {count}"))
            .collect()
    }
}
