//! Clients that do little: they break no rule, and reach few goals.

use std::ffi::OsString;

use futures_util::future::join_all;
use grade::{GoalVerdict, TASKS};
use process::ClientCommand;

use crate::grade::{SLOTS, assert_none, fault, graded, habit};

/// The goals that need no second attempt.
const WITHOUT_RETRY: [&str; 13] = [
    "read-all",
    "maintenance",
    "down",
    "refused",
    "invalid-body",
    "no-body",
    "loop",
    "half-a-list",
    "create-twice",
    "post-once",
    "unbounded",
    "redirected",
    "redirect-post",
];

#[tokio::test]
async fn a_client_without_retries_reaches_the_goals_that_need_none() {
    let client = habit("lazy");

    let cases = TASKS.iter().map(async |task| {
        let grade = graded(task.words.name, &client, &SLOTS).await;
        let verdict = if WITHOUT_RETRY.contains(&task.words.name) {
            GoalVerdict::Reached
        } else {
            GoalVerdict::Missed
        };
        fault(&grade, &client, Some(verdict), &[])
    });
    assert_none(join_all(cases).await);
}

/// One request and a guess: only what any client reports after a single failure.
#[tokio::test]
async fn a_guess_reaches_only_goals_that_any_error_reaches() {
    let client = habit("guesses");

    let cases = TASKS.iter().map(async |task| {
        let grade = graded(task.words.name, &client, &SLOTS).await;
        let verdict = match task.words.name {
            "down" | "post-once" | "unbounded" => GoalVerdict::Reached,
            _ => GoalVerdict::Missed,
        };
        fault(&grade, &client, Some(verdict), &[])
    });
    assert_none(join_all(cases).await);
}

/// Each would finish if it had more time, or were refused more often.
#[tokio::test]
async fn without_a_shared_limit_the_goal_of_crowded_is_missed() {
    let cases = ["alone", "waves", "one-by-one"].map(async |name| {
        let client = habit(name);
        let grade = graded("crowded", &client, &SLOTS).await;
        fault(&grade, &client, Some(GoalVerdict::Missed), &[])
    });
    assert_none(join_all(cases).await);
}

#[cfg(unix)]
#[tokio::test]
async fn without_requests_no_goal_is_reached() {
    let commands: [&[&str]; 2] = [&["true"], &["sh", "-c", "kill -SEGV $$"]];

    for words in commands {
        let words = words.iter().map(OsString::from);
        let client = ClientCommand::new(words).expect("a command");
        let cases = TASKS.iter().copied().map(async |task| {
            let grade = graded(task.words.name, &client, &SLOTS).await;
            fault(&grade, &client, Some(GoalVerdict::Crashed), &[])
        });
        assert_none(join_all(cases).await);
    }
}
