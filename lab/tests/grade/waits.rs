//! The two rules about waits, and the one about an unreadable Retry-After, on real clients:
//! how many cards tell what is true.
//!
//! Run them on a machine that does nothing else, one at a time:
//!
//! ```sh
//! cargo test -p lab --test grade waits:: -- --ignored --nocapture --test-threads=1
//! ```
//!
//! Each prints a line for each client. `GRADE_ROUNDS=1` plays one card of each instead of
//! twenty; then each card must be right but for those that cannot tell.

use std::{collections::BTreeMap, ffi::OsString, path::Path};

use grade::{Card, ProcessSlots, find, run_task};
use judge::rules::Verdict;
use process::ClientCommand;

use crate::load::{Busy, CARDS, correct, rounds};

/// The tasks in which the rules are judged.
const TASKS: [&str; 3] = ["flaky", "down", "retry-at"];

/// A client of `lab/clients/waits` in a language, and the rule that it breaks.
const WRONG: [(&[&str], &str); 5] = [
    (&["at-once"], "backoff-waits"),
    (&["equal", "50"], "backoff-jitter"),
    (&["equal", "1000"], "backoff-jitter"),
    (&["equal", "3000"], "backoff-jitter"),
    (&["unreadable"], "retry-after-unusable"),
];

/// A client of `lab/clients/waits`.
fn wrong(program: &str, file: &str, words: &[&str]) -> ClientCommand {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("clients/waits")
        .join(file);
    let words = words.iter().map(OsString::from);
    let words = [program.into(), file.into()].into_iter().chain(words);
    ClientCommand::new(words).expect("a command")
}

/// The verdicts of a card of a client.
async fn card(client: &ClientCommand, seed: u64) -> BTreeMap<&'static str, Verdict> {
    let slots = ProcessSlots::of_this_machine();
    let mut card = Card::new(client.words(), seed, wire::GENERATOR);
    for task in TASKS {
        let task = find(task).expect("a task");
        let grade = run_task(task, client, seed, &slots, || ()).await;
        card.add([grade.expect("it can be run")]);
    }
    let rules = card.tasks.iter().flat_map(|task| &task.rules);
    rules
        .map(|rule| (rule.id, rule.judgement.verdict))
        .collect()
}

/// How many cards of a client have this verdict on a rule, and how many have another one.
#[derive(Default)]
struct Tally(BTreeMap<Verdict, usize>);

impl Tally {
    fn of(&self, verdict: Verdict) -> usize {
        self.0.get(&verdict).copied().unwrap_or_default()
    }

    fn add(&mut self, verdict: Verdict) {
        *self.0.entry(verdict).or_default() += 1;
    }

    #[expect(clippy::print_stderr, reason = "the figures are worth reading")]
    fn print(&self, client: &str, rule: &str) {
        let verdicts = self.0.iter();
        let verdicts = verdicts.map(|(verdict, cards)| format!("{verdict} {cards}"));
        let verdicts = verdicts.collect::<Vec<_>>().join(", ");
        eprintln!("{client:<28} {rule:<22} {verdicts}");
    }
}

/// Plays cards of the correct clients, and counts those of all of them together.
async fn correct_clients_keep(share: f64) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut all: BTreeMap<&str, Tally> = BTreeMap::new();
    for (client, name) in correct(folder.path()).iter().zip(["python", "node", "go"]) {
        let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
        for seed in 0..rounds() as u64 {
            for (rule, verdict) in card(client, seed).await {
                tallies.entry(rule).or_default().add(verdict);
                all.entry(rule).or_default().add(verdict);
            }
        }
        for rule in ["backoff-waits", "backoff-jitter"] {
            tallies[rule].print(name, rule);
        }
        for (rule, tally) in &tallies {
            assert_eq!(tally.of(Verdict::Broken), 0, "{name}: {rule}");
        }
    }
    let needed = share * (3 * CARDS) as f64;
    for rule in ["backoff-waits", "backoff-jitter"] {
        let kept = all[rule].of(Verdict::Kept);
        assert!(
            rounds() < CARDS || kept as f64 >= needed,
            "{rule}: {kept} kept"
        );
    }
}

#[tokio::test]
#[ignore = "needs python3, node, go and a quiet machine; takes minutes"]
async fn correct_clients_keep_the_rules_in_19_of_20_cards_on_a_quiet_machine() {
    correct_clients_keep(0.95).await;
}

#[tokio::test]
#[ignore = "needs python3, node and go; takes minutes"]
async fn correct_clients_keep_the_rules_in_17_of_20_cards_on_a_busy_machine() {
    let _busy = Busy::start();
    correct_clients_keep(0.85).await;
}

/// The number of cards in which each client breaks its rule. It keeps it in none.
async fn wrong_clients_break(least: usize) {
    for (program, file) in [("python3", "client.py"), ("node", "client.mjs")] {
        for (words, rule) in WRONG {
            let client = wrong(program, file, words);
            let mut tally = Tally::default();
            for seed in 0..rounds() as u64 {
                tally.add(card(&client, seed).await[rule]);
            }
            let name = format!("{program} {}", words.join(" "));
            tally.print(&name, rule);
            assert_eq!(tally.of(Verdict::Kept), 0, "{name}: {rule}");
            let broken = tally.of(Verdict::Broken);
            assert!(
                rounds() < CARDS || broken >= least,
                "{name}: {broken} broken"
            );
        }
    }
}

#[tokio::test]
#[ignore = "needs python3, node and a quiet machine; takes half an hour"]
async fn wrong_clients_break_their_rules_in_17_of_20_cards_on_a_quiet_machine() {
    wrong_clients_break(17).await;
}

#[tokio::test]
#[ignore = "needs python3 and node; takes half an hour"]
async fn wrong_clients_keep_no_rule_on_a_busy_machine() {
    let _busy = Busy::start();
    wrong_clients_break(0).await;
}
