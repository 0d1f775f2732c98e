//! The two rules about waits, and the one about an unreadable Retry-After, on real clients:
//! how many cards tell what is true.
//!
//! Run them on a machine that does nothing else, one at a time:
//!
//! ```sh
//! cargo test -p lab --test lab grade::waits:: -- --ignored --nocapture --test-threads=1
//! ```
//!
//! Each prints a table: for each client and rule, the number of cards with each verdict.
//! `GRADE_ROUNDS=1` grades one card of each client instead of twenty; then each card must be
//! right but for those that cannot tell.

use std::{collections::BTreeMap, ffi::OsString, path::Path};

use futures_util::{StreamExt, stream};
use grade::{Card, ProcessSlots, find, run_task};
use judge::rules::Verdict;
use process::ClientCommand;

use crate::grade::load::{Busy, CARDS, correct, rounds};

/// The tasks that the rules about backoff are judged by, all cases of both together.
const BACKOFF: [&str; 2] = ["flaky", "down"];

/// The task with an unreadable Retry-After, whose rule is judged by its own cases alone.
const UNUSABLE: [&str; 1] = ["retry-at"];

/// A client of `lab/clients/waits`, the rule that it breaks, and the tasks that the rule is
/// judged by. The others would take minutes and change nothing.
const WRONG: [(&[&str], &str, &[&str]); 5] = [
    (&["at-once"], "backoff-waits", &BACKOFF),
    (&["equal", "50"], "backoff-jitter", &BACKOFF),
    (&["equal", "1000"], "backoff-jitter", &BACKOFF),
    (&["equal", "3000"], "backoff-jitter", &BACKOFF),
    (&["unreadable"], "retry-after-unusable", &UNUSABLE),
];

/// The rules that a correct client keeps.
const KEPT: [&str; 2] = ["backoff-waits", "backoff-jitter"];

/// A client of `lab/clients/waits`.
fn wrong(program: &str, file: &str, words: &[&str]) -> ClientCommand {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("clients/waits")
        .join(file);
    let words = words.iter().map(OsString::from);
    let words = [program.into(), file.into()].into_iter().chain(words);
    ClientCommand::new(words).expect("a command")
}

/// The verdicts of a card of a client in these tasks.
async fn card(
    client: &ClientCommand,
    tasks: impl IntoIterator<Item = &str>,
    seed: u64,
) -> BTreeMap<&'static str, Verdict> {
    let slots = ProcessSlots::of_this_machine();
    let mut card = Card::new(client.words(), seed, wire::GENERATOR);
    for task in tasks {
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

    /// A row of the table.
    #[expect(clippy::print_stderr, reason = "the figures are worth reading")]
    fn print(&self, client: &str, rule: &str) {
        let [kept, broken, untold] =
            [Verdict::Kept, Verdict::Broken, Verdict::CannotTell].map(|verdict| self.of(verdict));
        let all: usize = self.0.values().sum();
        eprintln!("{client:<22} {rule:<22} {kept:>5} {broken:>7} {untold:>12} {all:>4}");
    }
}

#[expect(clippy::print_stderr, reason = "the figures are worth reading")]
fn print_titles() {
    let (client, rule) = ("client", "rule");
    eprintln!("\n{client:<22} {rule:<22}  kept  broken  cannot tell   of");
}

/// Grades cards of the correct clients, and counts those of all of them together that keep
/// both rules.
async fn correct_clients_keep(share: f64) {
    let mut kept = 0;
    print_titles();
    for (client, name) in correct().iter().zip(["python", "node"]) {
        let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
        for seed in 0..rounds() as u64 {
            let verdicts = card(client, [BACKOFF.as_slice(), &UNUSABLE].concat(), seed).await;
            kept += usize::from(KEPT.iter().all(|rule| verdicts[rule] == Verdict::Kept));
            for (rule, verdict) in verdicts {
                tallies.entry(rule).or_default().add(verdict);
            }
        }
        for rule in KEPT {
            tallies[rule].print(name, rule);
        }
        for (rule, tally) in &tallies {
            assert_eq!(tally.of(Verdict::Broken), 0, "{name}: {rule}");
        }
    }
    let needed = share * (2 * CARDS) as f64;
    let is_enough = rounds() < CARDS || kept as f64 >= needed;
    assert!(is_enough, "{kept} cards keep both rules");
}

#[tokio::test]
#[ignore = "needs python3, node and a quiet machine; takes minutes"]
async fn correct_clients_keep_the_rules_in_19_of_20_cards_on_a_quiet_machine() {
    correct_clients_keep(0.95).await;
}

#[tokio::test]
#[ignore = "needs python3 and node; takes minutes"]
async fn correct_clients_keep_the_rules_in_17_of_20_cards_on_a_busy_machine() {
    let _busy = Busy::start();
    correct_clients_keep(0.85).await;
}

/// Counts the cards in which each client breaks its rule, in so many rounds. It keeps it in
/// none.
async fn wrong_clients_break(rounds: usize, least: usize) {
    print_titles();
    let programs = [("python3", "client.py"), ("node", "client.mjs")];
    let clients = programs.map(|program| WRONG.map(|wrong| (program, wrong)));
    let tallies =
        clients
            .into_iter()
            .flatten()
            .map(async |((program, file), (words, rule, tasks))| {
                let client = wrong(program, file, words);
                let mut tally = Tally::default();
                for seed in 0..rounds as u64 {
                    tally.add(card(&client, tasks.iter().copied(), seed).await[rule]);
                }
                (format!("{program} {}", words.join(" ")), rule, tally)
            });
    // A single round asks only for no false verdict, so its clients need not be alone.
    let at_once = if rounds < CARDS { 4 } else { 1 };
    let tallies = stream::iter(tallies).buffered(at_once);
    tallies
        .for_each(async |(name, rule, tally)| {
            tally.print(&name, rule);
            assert_eq!(tally.of(Verdict::Kept), 0, "{name}: {rule}");
            let broken = tally.of(Verdict::Broken);
            assert!(rounds < CARDS || broken >= least, "{name}: {broken} broken");
        })
        .await;
}

#[tokio::test]
#[ignore = "needs python3, node and a quiet machine; takes 40 minutes"]
async fn wrong_clients_break_their_rules_in_17_of_20_cards_on_a_quiet_machine() {
    wrong_clients_break(rounds(), 17).await;
}

/// A quarter of the rounds is enough: no share of broken cards is required.
#[tokio::test]
#[ignore = "needs python3 and node; takes minutes"]
async fn wrong_clients_keep_no_rule_on_a_busy_machine() {
    let _busy = Busy::start();
    wrong_clients_break(rounds().div_ceil(4), 0).await;
}
