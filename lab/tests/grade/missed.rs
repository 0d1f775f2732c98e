//! Wrong on purpose in ways that no rule forbids: each habit misses the goal of its task.

use futures_util::future::join_all;
use grade::GoalVerdict;

use crate::grade::{SLOTS, assert_none, fault, graded, habit, wrong::Row};

/// Habit, task, and the rules that it breaks beside.
const TABLE: [Row; 15] = [
    ("replaces-query", "long-list", &[]),
    ("exact-media-type", "long-list", &[]),
    ("fails-at-cut-bodies", "long-list", &[]),
    ("loses-token-on-retry", "long-list", &[]),
    ("token-for-first-page-alone", "long-list", &[]),
    ("token-for-first-page-alone", "half-a-list", &[]),
    ("missing-items-as-empty", "invalid-body", &[]),
    ("empty-body-as-empty-page", "invalid-body", &[]),
    ("part-as-whole", "half-a-list", &["reads-to-the-end"]),
    ("loose-cursor", "half-a-list", &["reads-to-the-end"]),
    ("counts-all-attempts", "many-calls", &[]),
    ("budget-never-refills", "many-calls", &[]),
    ("keeps-broken-connection", "many-calls", &[]),
    ("follows-redirects", "no-body", &[]),
    ("redirects-as-get", "redirect-post", &[]),
];

#[tokio::test]
async fn every_habit_misses_its_goal() {
    let cases = TABLE.iter().map(async |(name, task, rules)| {
        let client = habit(name);
        let grade = graded(task, &client, &SLOTS).await;
        fault(&grade, &client, Some(GoalVerdict::Missed), rules)
    });
    assert_none(join_all(cases).await);
}
