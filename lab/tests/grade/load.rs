//! Many cards of one client, on a quiet and on a busy machine.

use std::{
    collections::BTreeMap,
    hint,
    num::NonZeroUsize,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, available_parallelism},
};

use futures_util::future::join_all;
use grade::{GoalVerdict, ProcessSlots, TASKS, TaskGrade};
use judge::rules::{Rule, Verdict, find};
use process::ClientCommand;
use testkit::files::{example, root};

use crate::grade::{SLOTS, describe, graded, habit, wrong};

const CARDS: usize = 20;

/// The correct clients of `lab/clients/correct`.
fn correct() -> [ClientCommand; 2] {
    let source = root().join("lab/clients/correct");
    [("python3", "client.py"), ("node", "client.mjs")].map(|(program, file)| {
        let words = [program.into(), source.join(file).into()];
        ClientCommand::new(words).expect("a command")
    })
}

#[tokio::test]
#[ignore = "needs python3 and node; takes minutes"]
async fn correct_clients_miss_no_goal_and_break_no_rule() {
    let clients = correct();
    let slots = ProcessSlots::of_this_machine();
    let mut faults = Vec::new();

    for is_busy in [false, true] {
        let _busy = is_busy.then(Busy::start);
        for client in (0..CARDS).flat_map(|_| &clients) {
            let tasks = TASKS.iter();
            let grades = tasks.map(async |task| graded(task.words.name, client, &slots).await);
            let wrong = join_all(grades).await.into_iter().filter(|grade| {
                // Where the lab was too slow itself, it says so.
                !matches!(
                    grade.goal.verdict,
                    GoalVerdict::Reached | GoalVerdict::NotJudged
                ) || grade.broken().next().is_some()
                    || !is_busy && grade.goal.verdict == GoalVerdict::NotJudged
            });
            faults.extend(
                wrong.map(|grade| format!("{client}, busy: {is_busy}\n{}", describe(&grade))),
            );
        }
    }

    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// That each is found on a quiet machine is the subject of `wrong.rs`.
#[tokio::test]
#[ignore = "takes minutes: `cargo test -p lab --test lab grade:: -- --ignored`"]
async fn no_known_bug_is_taken_for_a_kept_rule_on_a_busy_machine() {
    let _busy = Busy::start();
    let slots = ProcessSlots::of_this_machine();
    let mut faults = Vec::new();

    for _ in 0..CARDS {
        let habits = wrong::TABLE.iter().chain(&wrong::QUICK);
        let rows = habits.map(async |(name, task, rules)| {
            let grade = graded(task, &habit(name), &slots).await;
            let mut kept = grade.with_verdict(Verdict::Kept);
            let is_wrong = kept.any(|rule| rules.contains(&rule.id));
            is_wrong.then(|| format!("{name}\n{}", describe(&grade)))
        });
        faults.extend(join_all(rows).await.into_iter().flatten());
    }

    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Keeps every core busy until it is dropped.
struct Busy(Arc<AtomicBool>);

impl Busy {
    fn start() -> Self {
        let busy = Self(Arc::new(AtomicBool::new(true)));
        for _ in 0..available_parallelism().map_or(1, NonZeroUsize::get) {
            let goes_on = Arc::clone(&busy.0);
            thread::spawn(move || {
                while goes_on.load(Ordering::Relaxed) {
                    hint::spin_loop();
                }
            });
        }
        busy
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

/// The result of a task: its goal, and each of its rules, except where a rule about
/// milliseconds cannot be told.
fn said(grade: &TaskGrade) -> (GoalVerdict, Vec<(&'static str, Verdict)>) {
    let rules = grade.rules.iter();
    let said = rules.map(|rule| {
        let is_about_milliseconds = find(rule.id).is_some_and(Rule::is_about_milliseconds);
        match rule.judgement.verdict {
            Verdict::CannotTell if is_about_milliseconds => (rule.id, Verdict::Kept),
            verdict => (rule.id, verdict),
        }
    });
    (grade.goal.verdict, said.collect())
}

#[tokio::test]
#[ignore = "takes a minute: `cargo test -p lab --test lab grade:: -- --ignored`"]
async fn twenty_cards_of_the_reference_client_are_equal_on_a_busy_machine() {
    let _busy = Busy::start();
    let client = ClientCommand::new([example("reliable").into()]).expect("a command");
    let cards = (0..CARDS).flat_map(|_| TASKS);
    let cases = cards.map(async |task| graded(task.words.name, &client, &SLOTS).await);
    let grades = join_all(cases).await;

    let mut found = BTreeMap::<_, Vec<_>>::new();
    for grade in &grades {
        found.entry(grade.task).or_default().push(grade);
    }
    for grades in found.values() {
        for grade in grades {
            assert_eq!(said(grade), said(grades[0]), "{}", describe(grade));
            assert_eq!(
                grade.goal.verdict,
                GoalVerdict::Reached,
                "{}",
                describe(grade)
            );
            let mut rules = said(grade).1.into_iter();
            assert!(
                rules.all(|(_, verdict)| verdict == Verdict::Kept),
                "{}",
                describe(grade)
            );
        }
    }
}
