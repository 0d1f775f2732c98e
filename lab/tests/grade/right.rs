//! Right in unusual ways: no rule is broken, and every goal has the expected result.

use futures_util::future::join_all;
use grade::{GoalVerdict, ProcessSlots, TASKS};

use crate::{AT_ONCE, assert_none, fault, graded, habit};
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
async fn unusual_but_correct_habits_break_no_rule() {
    let slots = ProcessSlots::new(AT_ONCE);
    let all = UNUSUAL.iter().flat_map(|name| {
        let tasks = TASKS.iter();
        tasks.map(move |task| (habit(name), task.words.name))
    });
    let by_exit_code = TASKS.iter().map(|task| task.words.name);
    let by_exit_code = by_exit_code
        .filter(|task| !IN_WORDS.contains(task))
        .map(|task| (habit("exit-code-alone"), task));

    let cases = all.chain(by_exit_code).map(async |(client, task)| {
        let grade = graded(task, &client, &slots).await;
        fault(&grade, &client, Some(GoalVerdict::Reached), &[])
    });
    assert_none(join_all(cases).await);
}

#[tokio::test]
async fn a_client_that_waits_longer_than_its_time_misses_the_goal() {
    let client = habit("waits-any-time");

    let grade = graded("maintenance", &client, &ProcessSlots::new(3)).await;

    assert_none([fault(&grade, &client, Some(GoalVerdict::Missed), &[])]);
    let found = grade.goal.found.expect("what it was doing");
    let asked = found.rsplit(' ').next().expect("a number");
    let left = asked.parse::<u64>().expect("a number") - 10;
    let expected = format!("still waiting, {left} s more, after Retry-After: {asked}");
    assert_eq!(found, expected);
}
