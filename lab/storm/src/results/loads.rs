//! The words of a storm at several loads, over seeds.

use std::collections::BTreeSet;

use serde::Serialize;

use super::{tally::WordCounts, word::NoWord};
use crate::{Settings, StormPolicy, Story};

/// A storm at several loads: a row for each policy, and a cell for each load.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LoadTable {
    /// The version of the JSON format.
    pub schema_version: u32,
    /// The story.
    pub story: &'static Story,
    /// The settings, apart from the load.
    pub settings: Settings,
    /// The random generator that uses the seeds.
    pub generator: &'static str,
    /// The first seed of each cell.
    pub seed: u64,
    /// The number of seeds of each cell.
    pub seeds: u32,
    /// The rows.
    pub policies: Vec<LoadRow>,
    /// Why some runs have no word.
    #[serde(skip)]
    pub(crate) no_word: BTreeSet<NoWord>,
}

/// A policy at each load.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LoadRow {
    /// The policy.
    pub policy: StormPolicy,
    /// The cells, in the order of the loads.
    pub cells: Vec<LoadCell>,
}

/// A policy at one load.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LoadCell {
    /// The load.
    pub calls_per_second: f64,
    /// How often each word came.
    #[serde(flatten)]
    pub words: WordCounts,
    /// The number of seeds that reached the most that the lab simulates, and have no word.
    pub cut_short: usize,
    /// The command that shows the cell as a storm and counts its words, from the name of the
    /// subcommand on.
    pub command: String,
}

impl LoadTable {
    /// The runs that were simulated to their end, and all runs.
    #[must_use]
    pub fn runs(&self) -> (usize, usize) {
        let cells = self.policies.iter().flat_map(|row| &row.cells);
        let simulated = cells.clone().map(LoadCell::runs).sum();
        (simulated, cells.count() * self.seeds as usize)
    }
}

impl LoadCell {
    fn runs(&self) -> usize {
        let WordCounts {
            ok,
            degraded,
            down,
            no_word,
        } = self.words;
        ok + degraded + down + no_word + self.cut_short
    }

    /// Each word that came and how often, or a dash if no seed was simulated.
    pub(crate) fn text(&self) -> String {
        let cut_short = (self.cut_short > 0).then(|| format!("cut short {}", self.cut_short));
        let phrases: Vec<_> = self.words.phrases().into_iter().chain(cut_short).collect();
        if phrases.is_empty() {
            "-".to_owned()
        } else {
            phrases.join(" ")
        }
    }

    /// Whether the service always recovers, or never; none if the seeds differ.
    pub(crate) fn is_good(&self) -> Option<bool> {
        let WordCounts { ok, down, .. } = self.words;
        match self.runs() {
            0 => None,
            runs if runs == ok => Some(true),
            runs if runs == down => Some(false),
            _ => None,
        }
    }
}
