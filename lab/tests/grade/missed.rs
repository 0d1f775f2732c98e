//! Wrong on purpose in ways that no rule forbids: each habit misses the goal of its task.

use futures_util::future::join_all;
use grade::GoalVerdict;

use crate::grade::{SLOTS, assert_none, describe, fault, graded, habit, wrong::Row};

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

#[tokio::test]
async fn a_client_that_never_closes_a_response_reads_how_many_connections_were_open() {
    let grade = graded("many-calls", &habit("never-closes-responses"), &SLOTS).await;

    // On a busy machine the goal is not judged, for another reason.
    let is_reached = grade.goal.verdict == GoalVerdict::Reached;
    let found = grade.goal.found.as_deref().unwrap_or_default();
    let open = "; 12 connections were open at the end";
    assert!(!is_reached && found.contains(open), "{}", describe(&grade));
}
