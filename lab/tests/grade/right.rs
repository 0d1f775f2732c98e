//! Right in unusual ways: nothing is broken, and every goal is what it should be.

use evidence::grade::GoalVerdict;
use futures_util::future::join_all;
use runner::grade::TASKS;
use tokio::sync::Semaphore;

use crate::{AT_ONCE, assert_none, fault, graded, habit};

/// Habits that are no fault, and that reach every goal.
const UNUSUAL: [&str; 10] = [
    "none",
    "waits-long",
    "parallel",
    "http10",
    "connection-per-request",
    "head-first",
    "options-first",
    "preconnects",
    "empty-user-agent",
    "exit-code-alone",
];

/// Where a transport may send a request again that a connection lost. In the other tasks
/// the lost response would have said something about coming back.
const REPLAYED: [&str; 5] = ["read-all", "flaky", "create", "lost-response", "crowded"];

#[tokio::test]
async fn nothing_unusual_is_held_against_a_client() {
    let room = Semaphore::new(AT_ONCE);
    let all = UNUSUAL.iter().flat_map(|name| {
        let tasks = TASKS.iter();
        tasks.map(move |task| (habit(name), task.words.name))
    });
    let replayed = REPLAYED.iter().map(|task| (habit("replays"), *task));

    let plays = all.chain(replayed).map(async |(client, task)| {
        let grade = graded(task, &client, &room).await;
        fault(&grade, &client, Some(GoalVerdict::Reached), &[])
    });
    assert_none(join_all(plays).await);
}
