//! The stories with many seeds. Such a system has two states, and a seed may decide between
//! them; a story is set up so that none does.

use std::{collections::BTreeSet, ops::ControlFlow, sync::atomic::AtomicBool, time::Duration};

use crate::{
    Plan, STORIES, Setup, Storm, StormPolicy, Story,
    results::word::Word,
    simulation::{parallel, seeds::each_seed, simulate_length},
    story,
};

const SEEDS: u32 = 200;

/// The results of many seeds of a plan.
fn seeds<T: Send>(plan: &Plan, seeds: u32, result: impl Fn(Storm) -> T + Sync) -> Vec<T> {
    let results = each_seed(plan, seeds, &AtomicBool::new(false), result);
    results.expect("it can be simulated")
}

/// A word without its number.
fn kind(word: Word) -> String {
    word.to_string()
        .replace(|sign: char| sign.is_ascii_digit(), "")
}

/// The seeds of a story that `cargo test` simulates. The 200 are for an optimized build.
const FEW_SEEDS: u32 = 2;

/// The row in which one call sends up to 27 requests: it takes as long as all others.
const SLOWEST: &str = "each of them";

/// The words at the end of the length, which need no longer storm.
#[test]
fn no_seed_of_a_few_turns_a_word_of_a_story() {
    let mut rows: Vec<(&Story, &StormPolicy)> = Vec::new();
    for story in STORIES.iter().filter(|story| story.recovers.is_some()) {
        for policy in story.policies {
            // A row of `budgets` and one of `spike` can be the same storm.
            let is_same = |(other, known): &(&Story, &StormPolicy)| {
                (other.settings, known.setup) == (story.settings, policy.setup)
            };
            if policy.name != SLOWEST && !rows.iter().any(is_same) {
                rows.push((story, policy));
            }
        }
    }

    // All rows of one seed come before those of the next, so that no core waits for a last row.
    let number = rows.len();
    let runs = parallel::each(FEW_SEEDS * number as u32, &AtomicBool::new(false), |run| {
        let (seed, (story, policy)) = (run as usize / number, rows[run as usize % number]);
        let seed = seed as u64 + 1;
        let run = simulate_length(&story.settings, seed, policy, |_, _| {
            ControlFlow::Continue(())
        });
        run.expect("it can be simulated").word.map(kind)
    });

    let turned = rows
        .iter()
        .enumerate()
        .filter_map(|(row, (story, policy))| {
            let kinds: BTreeSet<_> = runs.iter().skip(row).step_by(number).collect();
            (kinds.len() > 1).then(|| format!("{} {}: {kinds:?}", story.name, policy.name))
        });
    let turned: Vec<_> = turned.collect();
    assert!(turned.is_empty(), "{turned:#?}");
}

#[test]
#[ignore = "takes minutes; `.ci/full` runs it"]
fn no_seed_turns_a_word_of_a_story_and_a_right_guess_names_the_rows_that_recover() {
    let mut turned = Vec::new();
    for story in STORIES {
        let words = seeds(&Plan::of(story), SEEDS, |storm| {
            let words = storm.policies.iter().map(|run| run.word);
            words.collect::<Vec<_>>()
        });
        for (number, policy) in story.policies.iter().enumerate() {
            let recovers = story.recovers.map(|names| names.contains(&&*policy.name));
            let first = words[0][number].map(kind);
            for (seed, words) in (1..).zip(&words) {
                let word = words[number];
                let is_ok = matches!(word, Some(Word::Ok { .. }));
                let is_as_guessed = recovers.map_or(word.is_none(), |recovers| recovers == is_ok);
                if word.map(kind) != first || !is_as_guessed {
                    let name = (story.name, &*policy.name);
                    turned.push(format!("{name:?}, seed {seed}: {word:?}"));
                }
            }
        }
    }
    assert!(turned.is_empty(), "{turned:#?}");
}

/// The words of twenty seeds of a story with one policy.
fn words_of(name: &str, policy: StormPolicy) -> Vec<Option<Word>> {
    let mut plan = Plan::of(story(name).expect("a story"));
    plan.policies = vec![policy];
    seeds(&plan, 20, |storm| storm.policies[0].word)
}

/// The lesson of the story: 300 held calls need 7.5 s of the 40 requests/s to spare.
#[test]
#[ignore = "takes minutes; `.ci/full` runs it"]
fn a_delay_as_long_as_held_calls_divided_by_spare_capacity_lets_a_service_recover() {
    let down = |seconds| {
        let setup = Setup {
            spread: Duration::from_secs_f64(seconds),
            ..Setup::DEFAULT
        };
        let policy = StormPolicy::new("any", setup);
        let words = words_of("synchronized-retry-after", policy);
        let down = words.iter().filter(|word| **word == Some(Word::Down));
        down.count()
    };

    assert_eq!(down(7.5), 0);
    assert!(down(3.75) > 10);
}
