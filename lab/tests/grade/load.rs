//! Many cards of one client on a busy machine: all are equal.

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

use evidence::{
    grade::{GoalVerdict, TaskGrade},
    rules::Verdict,
};
use futures_util::future::join_all;
use runner::grade::{ClientCommand, ProcessSlots, TASKS};

use crate::{AT_ONCE, example, graded, told};

const CARDS: usize = 20;

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
    let rules = rules.map(|rule| (rule.id, rule.judgement.verdict));
    let rules = rules.map(|(id, verdict)| match verdict {
        Verdict::CannotTell if id.starts_with("backoff-") => (id, Verdict::Kept),
        _ => (id, verdict),
    });
    (grade.goal.verdict, rules.collect())
}

#[tokio::test]
#[ignore = "takes a minute: `cargo test -p lab --test grade -- --ignored`"]
async fn twenty_cards_of_the_reference_client_are_equal_on_a_busy_machine() {
    let _busy = Busy::start();
    let client = ClientCommand::new([example("reliable")]).expect("a command");
    let slots = ProcessSlots::new(AT_ONCE);

    let cards = (0..CARDS).flat_map(|_| TASKS);
    let cases = cards.map(async |task| graded(task.words.name, &client, &slots).await);
    let grades = join_all(cases).await;

    let mut found = BTreeMap::<_, Vec<_>>::new();
    for grade in &grades {
        found.entry(grade.task).or_default().push(grade);
    }
    for grades in found.values() {
        for grade in grades {
            assert_eq!(said(grade), said(grades[0]), "{}", told(grade));
            assert_eq!(grade.goal.verdict, GoalVerdict::Reached, "{}", told(grade));
            let mut rules = said(grade).1.into_iter();
            assert!(rules.all(|(_, it)| it == Verdict::Kept), "{}", told(grade));
        }
    }
}
