//! The stories with many seeds. Such a system has two states, and a seed may decide between
//! them; a story is set up so that none does.

use std::{mem::discriminant, sync::atomic::AtomicBool, time::Duration};

use crate::{
    Plan, STORIES, Setup, Storm, StormPolicy, policy, results::word::Word,
    simulation::seeds::each_seed, story,
};

const SEEDS: u32 = 200;

/// The results of many seeds of a plan.
fn seeds<T: Send>(plan: &Plan, seeds: u32, result: impl Fn(Storm) -> T + Sync) -> Vec<T> {
    let results = each_seed(plan, seeds, &AtomicBool::new(false), result);
    results.expect("it can be simulated")
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
            let first = words[0][number].map(|word| discriminant(&word));
            for (seed, words) in (1..).zip(&words) {
                let word = words[number];
                let is_ok = matches!(word, Some(Word::Ok { .. }));
                let is_as_guessed = recovers.map_or(word.is_none(), |recovers| recovers == is_ok);
                if word.map(|word| discriminant(&word)) != first || !is_as_guessed {
                    let name = (story.name, &*policy.name);
                    turned.push(format!("{name:?}, seed {seed}: {word:?}"));
                }
            }
        }
    }
    assert!(turned.is_empty(), "{turned:#?}");
}

/// The words of twenty seeds of a story with one policy.
fn words_of(name: &str, policy: StormPolicy, length: Duration) -> Vec<Option<Word>> {
    let mut plan = Plan::of(story(name).expect("a story"));
    plan.settings.length = length;
    plan.policies = vec![policy];
    seeds(&plan, 20, |storm| storm.policies[0].word)
}

/// A thousand clients retry until their tokens are spent, and then the service recovers.
#[test]
#[ignore = "takes minutes; `.ci/full` runs it"]
fn a_service_recovers_once_the_tokens_of_a_thousand_clients_are_spent() {
    let budgets = story("budgets").expect("a story");
    let thousand = policy(budgets, "1000, 10 tokens").expect("a policy");

    for word in words_of("budgets", thousand, Duration::from_secs(240)) {
        let Some(Word::Ok { after_seconds }) = word else {
            panic!("{word:?}")
        };
        // The story ends 45 s after the spike.
        assert!(after_seconds > 45, "{after_seconds}");
    }
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
        let words = words_of("synchronized-retry-after", policy, Duration::from_secs(60));
        let down = words.iter().filter(|word| **word == Some(Word::Down));
        down.count()
    };

    assert_eq!(down(7.5), 0);
    assert!(down(3.75) > 10);
}
