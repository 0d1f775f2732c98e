//! Wrong on purpose: each habit breaks its rule, and no other rules except those listed
//! with it. There is one habit for each rule, which shows that a task exercises it; the
//! tests of a rule have the other ways to break it.

use std::collections::BTreeSet;

use futures_util::future::join_all;
use grade::{ProcessSlots, TASKS, Task, TaskGrade};
use judge::rules::{RULES, Verdict};

use crate::grade::{SLOTS, assert_none, describe, fault, graded, habit};

/// Habit, task, and the rules that it breaks.
pub(crate) type Row = (&'static str, &'static str, &'static [&'static str]);

pub(crate) const TABLE: [Row; 32] = [
    ("cursor-unescaped", "read-all", &["cursor-verbatim"]),
    ("stops-at-empty-page", "read-all", &["empty-page"]),
    ("token-in-url", "read-all", &["no-url-credentials"]),
    (
        "ignores-retry-after",
        "retry-after",
        &["retry-after-seconds", "retry-after-cut-body"],
    ),
    (
        "forgets-cut-bodies",
        "retry-after",
        &["retry-after-cut-body"],
    ),
    (
        "takes-dates-for-local-time",
        "retry-at",
        &["retry-after-date"],
    ),
    (
        "overflows-long-waits",
        "maintenance",
        &["retry-after-over-budget"],
    ),
    ("sends-token-on", "redirected", &["token-elsewhere"]),
    ("sends-token-on", "redirect-post", &["token-elsewhere"]),
    ("never-gives-up", "down", &["finite-attempts"]),
    ("never-gives-up-on429", "down", &["finite-attempts"]),
    (
        "never-gives-up-on-broken-connections",
        "down",
        &["finite-attempts"],
    ),
    ("retries-refusals", "refused", &["no-retry-4xx"]),
    ("retries-bad-json", "invalid-body", &["body-json"]),
    (
        "retries-other-media-types",
        "invalid-body",
        &["body-media-type"],
    ),
    ("retries-other-shapes", "invalid-body", &["body-shape"]),
    ("retries204", "no-body", &["no-content"]),
    ("forgets-cursors", "loop", &["cursor-loop"]),
    ("stops-after-ten-pages", "long-list", &["reads-to-the-end"]),
    ("no-page-limit", "long-list", &["page-limit"]),
    ("one-key", "create", &["idempotency-key-fresh"]),
    ("key-of-body", "create-twice", &["idempotency-key-fresh"]),
    ("numbers-retries", "create", &["same-body"]),
    ("numbers-attempts", "create", &["same-body"]),
    ("numbers-attempts", "lost-response", &["same-body"]),
    (
        "key-per-attempt",
        "lost-response",
        &["idempotency-key-reuse", "one-job"],
    ),
    ("retries-every-post", "post-once", &["post-not-retried"]),
    ("retries-in-background", "post-once", &["post-not-retried"]),
    (
        "retries-in-background",
        "maintenance",
        &["retry-after-over-budget"],
    ),
    ("retries-in-background", "refused", &["no-retry-4xx"]),
    (
        "retries-in-background",
        "invalid-body",
        &["body-json", "body-media-type", "body-shape"],
    ),
    ("calls-json-text", "create", &["request-headers"]),
];

/// Rules about milliseconds. On a busy machine they cannot be judged, and the card
/// rightly says so. These are run one at a time, and repeated until they can be judged.
pub(crate) const QUICK: [Row; 4] = [
    ("no-wait", "flaky", &["backoff-waits"]),
    ("no-jitter", "flaky", &["backoff-jitter"]),
    (
        "takes-minus-one-for-past",
        "retry-at",
        &["retry-after-unusable"],
    ),
    (
        "takes-words-for-zero",
        "retry-at",
        &["retry-after-unusable"],
    ),
];

/// How often a habit is run on a quiet machine until its rule must show as broken.
const OFTEN: usize = 10;

/// The rule that no client can break: no finite wait refutes a timeout.
const NEVER_BROKEN: &str = "read-timeout";

#[tokio::test]
async fn every_habit_breaks_its_rules_and_no_other() {
    let cases = TABLE.iter().map(async |(name, task, rules)| {
        let client = habit(name);
        let grade = graded(task, &client, &SLOTS).await;
        fault(&grade, &client, None, rules)
    });
    assert_none(join_all(cases).await);
}

#[tokio::test]
async fn no_quick_habit_keeps_its_rules_or_breaks_another() {
    for (name, task, rules) in QUICK {
        let grade = graded(task, &habit(name), &ProcessSlots::new(1)).await;
        holds(&grade, name, rules);
    }
}

#[tokio::test]
#[ignore = "needs a quiet machine"]
async fn every_quick_habit_is_found_to_break_its_rules() {
    for (name, task, rules) in QUICK {
        let mut shown = false;
        for _ in 0..OFTEN {
            let grade = graded(task, &habit(name), &ProcessSlots::new(1)).await;
            shown = holds(&grade, name, rules);
            if shown {
                break;
            }
        }
        assert!(shown, "{name} was never seen in {task}");
    }
}

/// Whether exactly these rules are broken. A rule may be hidden, but then the card must
/// say so.
fn holds(grade: &TaskGrade, name: &str, rules: &[&str]) -> bool {
    let mut others = grade.broken().filter(|rule| !rules.contains(&rule.id));
    assert!(others.next().is_none(), "{name}: {}", describe(grade));
    rules.iter().all(|id| {
        let mut judged = grade.rules.iter().filter(|rule| rule.id == *id);
        let judged = &judged.next().expect("it is judged").judgement;
        let verdict = judged.verdict;
        let is_right = matches!(verdict, Verdict::Broken | Verdict::CannotTell);
        assert!(is_right, "{name}: {}", describe(grade));
        verdict == Verdict::Broken
    })
}

#[test]
fn every_rule_that_can_be_broken_is_broken_by_a_habit() {
    let judged = TASKS.iter().copied().flat_map(Task::rules);
    let judged: BTreeSet<_> = judged.map(|rule| rule.id).collect();
    let broken = TABLE.iter().chain(&QUICK).flat_map(|(_, _, rules)| *rules);
    let broken: BTreeSet<_> = broken.copied().collect();

    let all = RULES.iter().map(|rule| rule.id);
    let forgotten = all.filter(|id| {
        let can_be = judged.contains(id) && *id != NEVER_BROKEN;
        can_be && !broken.contains(id)
    });

    assert_eq!(forgotten.collect::<Vec<_>>(), [""; 0]);
}
