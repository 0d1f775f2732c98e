//! Right in unusual ways: no rule is broken, and every goal has the expected result.

use futures_util::future::join_all;
use grade::{GoalVerdict, TASKS, Task};
use judge::rules::{Rule, Verdict, find};
use process::ClientCommand;
use testkit::files::example;

use crate::grade::{SLOTS, assert_none, describe, fault, graded, habit};

/// Habits that are correct and reach every goal.
const UNUSUAL: [&str; 9] = [
    "none",
    "waits-long",
    "parallel",
    "http10",
    "connection-per-request",
    "head-first",
    "options-first",
    "preconnects",
    "empty-user-agent",
];

/// Goals whose error must say more than that there was one.
const IN_WORDS: [&str; 2] = ["maintenance", "refused"];

#[tokio::test]
async fn the_reference_client_reaches_every_goal_and_keeps_every_rule() {
    let client = [example("reliable").into()];
    let client = ClientCommand::new(client).expect("a command");

    let graded = |task: &'static Task| graded(task.words.name, &client, &SLOTS);

    // One task gives its client eight seconds, which others would take from it here.
    let is_short = |task: &&Task| task.words.name == "crowded";
    let (short, others): (Vec<_>, Vec<_>) = TASKS.iter().copied().partition(is_short);
    let mut grades = join_all(others.into_iter().map(graded)).await;
    grades.extend(join_all(short.into_iter().map(graded)).await);

    for grade in grades {
        assert_eq!(
            grade.goal.verdict,
            GoalVerdict::Reached,
            "{}",
            describe(&grade)
        );
        for rule in &grade.rules {
            let is_right = match rule.judgement.verdict {
                Verdict::Kept => true,
                // That half a list ends early is the fault.
                Verdict::Skipped => grade.task == "half-a-list",
                // A busy machine hides pauses.
                Verdict::CannotTell => find(rule.id).is_some_and(Rule::is_about_milliseconds),
                _ => false,
            };
            assert!(is_right, "{}: {}", rule.id, describe(&grade));
        }
    }
}

/// Each habit does a third of the tasks, another one than the next habit.
#[tokio::test]
async fn unusual_but_correct_habits_break_no_rule() {
    are_right(|habit, task| (habit + task) % 3 == 0).await;
}

#[tokio::test]
#[ignore = "takes a minute of both cores"]
async fn unusual_but_correct_habits_break_no_rule_of_any_task() {
    are_right(|_, _| true).await;
}

/// Asserts that the chosen pairs of a habit and a task are right, by their numbers.
async fn are_right(is_chosen: impl Fn(usize, usize) -> bool) {
    let pairs =
        (0..UNUSUAL.len()).flat_map(|habit| (0..TASKS.len()).map(move |task| (habit, task)));
    let all = pairs
        .filter(|(habit, task)| is_chosen(*habit, *task))
        .map(|(name, task)| (habit(UNUSUAL[name]), TASKS[task].words.name));
    let by_exit_code = TASKS.iter().map(|task| task.words.name);
    let by_exit_code = by_exit_code
        .filter(|task| !IN_WORDS.contains(task))
        .map(|task| (habit("exit-code-alone"), task));

    let cases = all.chain(by_exit_code).map(async |(client, task)| {
        let grade = graded(task, &client, &SLOTS).await;
        fault(&grade, &client, Some(GoalVerdict::Reached), &[])
    });
    assert_none(join_all(cases).await);
}
