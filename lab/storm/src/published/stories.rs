//! The stories with many seeds. Such a system has two states, and a seed may decide between
//! them; a story is set up so that none does.

use std::{collections::BTreeSet, mem::discriminant, sync::atomic::AtomicBool, time::Duration};

use super::super::{Plan, STORIES, seeds::each_seed};
use crate::{Recovery, Setup, Storm, StormPolicy, policy, story};

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

/// The words of recovery and the ranks of the lost calls do not depend on the seed, so that
/// chance makes no winner.
#[test]
#[ignore = "takes minutes; `.ci/full` runs it"]
fn no_seed_of_twenty_turns_a_word() {
    let mut changed = Vec::new();
    for story in STORIES {
        let plan = Plan::of(story);
        let storms = each_seed(&plan, 20, &AtomicBool::new(false), &|| {}, |storm| storm);
        let storms = storms.expect("it can be simulated");
        for number in 0..plan.policies.len() {
            let states = storms.iter().map(|storm| {
                let run = &storm.policies[number];
                (storm.seed, discriminant(&run.recovery))
            });
            let states: Vec<_> = states.collect();
            let odd = states.iter().filter(|(_, state)| *state != states[0].1);
            let name = (story.words.name, &*plan.policies[number].name);
            changed.extend(odd.map(|(seed, _)| format!("{name:?}: seed {seed}")));
        }
        assert_ranks_agree(&storms);
    }
    // One row in 720 is at the edge.
    assert!(changed.len() <= 1, "{changed:#?}");
}

/// The ends of twenty seeds of a story with one policy.
fn ends_of(name: &str, policy: StormPolicy, length: Duration) -> Vec<Recovery> {
    let mut plan = Plan::of(story(name).expect("a story"));
    plan.settings.length = length;
    plan.policies = vec![policy];
    let end = |storm: Storm| storm.policies[0].recovery;
    each_seed(&plan, 20, &AtomicBool::new(false), &|| {}, end).expect("it can be simulated")
}

/// The story's answer says that a thousand clients are down until their tokens are spent.
#[test]
#[ignore = "takes minutes; `.ci/full` runs it"]
fn a_service_recovers_once_the_tokens_of_a_thousand_clients_are_spent() {
    let budgets = story("budgets").expect("a story");
    let thousand = policy(budgets, "1000, 10 each").expect("a policy");

    let ends = ends_of("budgets", thousand, Duration::from_secs(180));

    for end in ends {
        let Recovery::Recovered { after } = end else {
            panic!("{end:?}")
        };
        // The story ends 45 s after the spike.
        assert!(after > Duration::from_secs(45), "{after:?}");
    }
}

/// The lesson of the story: 300 held calls need 7.5 s of the 40 requests/s to spare.
#[test]
#[ignore = "takes minutes; `.ci/full` runs it"]
fn a_delay_as_long_as_held_calls_divided_by_spare_capacity_lets_a_service_recover() {
    let with = |seconds| {
        let policy = StormPolicy::new(
            "any",
            Setup::DEFAULT.spread(Duration::from_secs_f64(seconds)),
        );
        let ends = ends_of("synchronized-retry-after", policy, Duration::from_secs(60));
        let down = ends.iter().filter(|end| **end == Recovery::Down);
        down.count()
    };

    assert_eq!(with(7.5), 0);
    assert!(with(3.75) > 10);
}

/// Asserts that no two policies change places between seeds.
fn assert_ranks_agree(storms: &[Storm]) {
    let mut better = BTreeSet::new();
    for storm in storms {
        let Some((fewest, most)) = storm.ranked() else {
            continue;
        };
        for few in &fewest {
            better.extend(
                most.iter()
                    .map(|many| (&*few.policy.name, &*many.policy.name)),
            );
        }
    }
    for (few, many) in &better {
        assert!(!better.contains(&(*many, *few)), "{few} and {many}");
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
