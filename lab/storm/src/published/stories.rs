//! The stories with many seeds. Such a system has two states, and a seed may decide between
//! them; a story is set up so that none does.

use std::sync::atomic::AtomicBool;

use super::super::{Plan, STORIES, seeds::each_seed};
use crate::Storm;

const SEEDS: u32 = 200;

#[test]
#[ignore = "takes minutes; `.ci/full` runs it"]
fn every_seed_shows_the_answer_of_its_story() {
    for story in STORIES {
        let plan = Plan::of(story);

        let shown = each_seed(&plan, SEEDS, &AtomicBool::new(false), &|| {}, shows);

        let name = story.words.name;
        let shown = shown.expect("it can be simulated");
        let differing: Vec<_> = (plan.seed..)
            .zip(shown)
            .filter(|(_, shows)| !shows)
            .collect();
        assert!(differing.is_empty(), "{name}: {differing:?}");
    }
}

/// Whether a storm shows the answer of its story, after a check of the clients' own counts.
fn shows(storm: Storm) -> bool {
    for run in &storm.policies {
        let totals = run.totals;
        let retries = totals.retries + totals.retries_not_sent;
        assert_eq!(totals.counted_attempts, totals.settled, "attempts");
        assert_eq!(totals.counted_retries, retries, "retries");
    }
    storm.shows_the_answer == Some(true)
}
