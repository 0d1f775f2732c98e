//! The texts of random cards agree with their verdicts.

use std::time::Duration;

use judge::{
    KnownFailures,
    rules::{RULES, Verdict},
};
use proptest::{collection::vec, option, prelude::*, sample::subsequence};
use render::Options;
use serde_json::json;
use testkit::script::{Script, exits};
use wire::{ProcessRecord, RetryAfter, Stopped, counted};

use super::{TaskNumber, card as card_text, done as done_text, task as task_text};
use crate::{Card, CaseGrade, Goal, GoalVerdict, TASKS, Task, TaskGrade, find, html_card};

/// A request, by how long it comes after the one before and by its response.
#[derive(Clone, Debug)]
struct Sent {
    after: u64,
    status: u16,
    retry_after: Option<RetryAfter>,
    cursor: Option<u64>,
    issued: Option<u64>,
    /// Its body and its key, if it is a POST.
    post: Option<(u64, Option<u64>)>,
}

fn sent() -> impl Strategy<Value = Sent> {
    let status = prop::sample::select(vec![200, 201, 204, 302, 400, 404, 409, 429, 500, 503]);
    let retry_after = prop_oneof![
        Just(RetryAfter::UNUSABLE),
        (0_u64..4).prop_map(|seconds| RetryAfter::seconds(Duration::from_secs(seconds))),
    ];
    let parts = (
        prop_oneof![0_u64..20, 0_u64..3_000],
        status,
        option::of(retry_after),
        option::of(0_u64..3),
        option::of(0_u64..3),
        option::of((0_u64..2, option::of(0_u64..2))),
    );
    parts.prop_map(|(after, status, retry_after, cursor, issued, post)| Sent {
        after,
        status,
        retry_after,
        cursor,
        issued,
        post,
    })
}

/// How a client ended; none if it is not a process.
fn process() -> impl Strategy<Value = Option<ProcessRecord>> {
    let stopped = ProcessRecord {
        ended: Duration::from_secs(60),
        watched_until: Duration::from_secs(60),
        left_running: true,
        stopped: Some(Stopped::TimeUp),
        ..ProcessRecord::default()
    };
    let right = exits(0, r#"{"value": 1}"#);
    let went_on = ProcessRecord {
        left_running: true,
        watched_until: Duration::from_secs(60),
        ..right.clone()
    };
    prop::sample::select(vec![
        None,
        Some(right),
        Some(went_on),
        Some(exits(0, r#"{"value": 2}"#)),
        Some(exits(0, r#"{"skip": true}"#)),
        Some(exits(1, r#"{"error": "no"}"#)),
        Some(exits(2, "")),
        Some(stopped),
    ])
}

fn case() -> impl Strategy<Value = CaseGrade> {
    let parts = (vec(sent(), 0..6), process(), prop::bool::weighted(0.1));
    parts.prop_map(|(requests, process, drops)| {
        let mut at = 0;
        let mut script = Script::new();
        for (number, request) in requests.into_iter().enumerate() {
            // All processes start alike, so that the machine shows no noise.
            at += if number == 0 { 0 } else { request.after };
            script = match request.post {
                None => script.respond(at, request.status),
                Some((body, key)) => script.post(at, request.status, body, key),
            };
            script = script.with(|entry| {
                entry.retry_after = request.retry_after;
                entry.connection = Some(entry.seq);
            });
            if let Some(cursor) = request.cursor {
                script = script.cursor(cursor);
            }
            if let Some(cursor) = request.issued {
                script = script.issues(cursor);
            }
        }
        if drops {
            script = script.dropping(1);
        }
        let goal = Goal::result(json!({"value": 1}));
        CaseGrade::new("a case", &goal, process, script.record())
    })
}

fn graded(task: &'static Task) -> impl Strategy<Value = TaskGrade> {
    let cases = vec(case(), 1..9);
    cases.prop_map(move |cases| with_cases(task, cases))
}

fn with_cases(task: &'static Task, cases: Vec<CaseGrade>) -> TaskGrade {
    TaskGrade::new(task.words.name, task.kind, task.rules(), cases)
}

fn card_with(tasks: Vec<TaskGrade>) -> Card {
    let mut card = Card::new(vec!["client".to_owned()], 7, "");
    card.add(tasks);
    card
}

/// The most tasks of a card: a larger one takes long and shows nothing else.
const MOST_TASKS: usize = 6;

/// A card of some tasks, in the order of the course.
fn card() -> impl Strategy<Value = Card> {
    let chosen = subsequence(TASKS.to_vec(), 0..=MOST_TASKS);
    let graded = chosen.prop_flat_map(|tasks| tasks.into_iter().map(graded).collect::<Vec<_>>());
    graded.prop_map(card_with)
}

fn nothing_known() -> KnownFailures {
    KnownFailures::default()
}

fn printed(grade: &TaskGrade) -> String {
    let words = &find(grade.task).expect("a task").words;
    let number = TaskNumber { number: 1, of: 1 };
    task_text(words, grade, number, &nothing_known(), &Options::default())
}

/// Whether a task has its ✓: the goal is reached, and no rule is broken.
fn is_held(grade: &TaskGrade) -> bool {
    grade.goal.verdict == GoalVerdict::Reached && grade.broken().next().is_none()
}

/// The rules of a task that have a ✓.
fn kept(grade: &TaskGrade) -> usize {
    grade.with_verdict(Verdict::Kept).count()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// A verdict has the evidence that it needs, and no other.
    #[test]
    fn verdict_and_reason_agree(card in card()) {
        for task in &card.tasks {
            for rule in &task.rules {
                let judged = &rule.judgement;
                let story = format!("{} {}: {judged:?}", task.task, rule.id);
                let found = judged.found.as_deref();
                let is_broken = judged.verdict == Verdict::Broken;
                prop_assert_eq!(!judged.requests.is_empty(), is_broken, "{}", story);
                for request in &judged.requests {
                    let mut entries = task.cases[request.case].wire.entries.iter();
                    prop_assert!(entries.any(|entry| entry.seq == request.seq), "{}", story);
                }
                match judged.verdict {
                    Verdict::Broken | Verdict::CannotTell => {
                        prop_assert!(found.is_some_and(|found| !found.is_empty()), "{}", story);
                    }
                    Verdict::Kept => {
                        let is_condition = |found: &str| found.contains("still running");
                        prop_assert!(found.is_none_or(is_condition), "{}", story);
                    }
                    Verdict::NotExercised => prop_assert_eq!(found, None, "{}", story),
                    Verdict::Skipped => {}
                }
            }
        }
    }

    /// A task has one if its goal is reached, and a rule if it is kept by a request that came.
    #[test]
    fn a_check_mark_stands_only_where_something_was_judged(card in card()) {
        let text = card_text(&card, &nothing_known(), &Options::default());
        let page = html_card(&card, &[], &nothing_known());
        let called = card.tasks.iter().filter(|task| task.requests() > 0);
        let rules: usize = called.map(kept).sum();
        let tasks = card.tasks.iter().filter(|task| is_held(task)).count();

        prop_assert_eq!(text.matches('✓').count(), tasks + rules, "{}", text);
        let mut goals = card.tasks.iter().flat_map(|task| &task.cases);
        let is_any_reached = goals.any(|case| case.goal.verdict == GoalVerdict::Reached);
        prop_assert_eq!(page.contains('✓'), is_any_reached || rules > 0);
        for task in &card.tasks {
            let text = printed(task);
            prop_assert_eq!(text.matches('✓').count(), usize::from(is_held(task)), "{}", text);
        }
    }

    /// The line below a card accounts for every task.
    #[test]
    fn a_summary_counts_what_was_not_run(card in card()) {
        let text = card_text(&card, &nothing_known(), &Options::default());
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");

        let missing = TASKS.len() - card.tasks.len();
        let words = match missing {
            1 => ", 1 task not run".to_owned(),
            several => format!(", {several} tasks not run"),
        };
        prop_assert_eq!(text.contains(&words), missing > 0, "{}", text);
        prop_assert!(missing > 0 || !text.contains("not run"), "{}", text);
        prop_assert!(!text.contains(" 1 rules") && !text.contains(" 1 tasks"), "{}", text);
    }

    /// The line below a card and the one at the end of the course count each rule once, by its
    /// greatest verdict.
    #[test]
    fn a_rule_that_is_judged_in_several_tasks_is_counted_once(card in card()) {
        let worst = |id: &str| {
            let rules = card.tasks.iter().flat_map(|task| &task.rules);
            let verdicts = rules.filter(|rule| rule.id == id).map(|rule| rule.judgement.verdict);
            verdicts.max()
        };
        let of = |verdict| RULES.iter().filter(|rule| worst(rule.id) == Some(verdict)).count();
        let [kept, broken] = [Verdict::Kept, Verdict::Broken].map(of);
        let rules = counted(kept as u64, "rule");

        let text = card_text(&card, &nothing_known(), &Options::default());
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let done = done_text(&card, &Options::default());

        let words = format!("; {rules} kept, {broken} broken");
        prop_assert!(text.contains(&words), "{}", text);
        prop_assert!(done.contains(&format!(", and {rules} kept.")), "{}", done);
    }
}

#[test]
fn a_report_of_one_task_does_not_speak_of_all() {
    let heading = |process: Option<ProcessRecord>, statuses: &[u16]| {
        let script = (1..).zip(statuses);
        let script = script.fold(Script::new(), |script, (second, status)| {
            script.respond(3_000 * second, *status)
        });
        let goal = Goal::result(json!({"value": 1}));
        let case = CaseGrade::new("a case", &goal, process, script.record());
        let task = find("refused").expect("a task");
        let mut card = Card::new(vec!["client".to_owned()], 7, "");
        card.add([TaskGrade::new(
            task.words.name,
            task.kind,
            task.rules(),
            vec![case],
        )]);
        let page = html_card(&card, &[], &nothing_known());
        let (_, result) = page.split_once("<p class=\"result\">").expect("a result");
        let (result, _) = result.split_once("</p>").expect("its end");
        result.to_owned()
    };
    let reached = || Some(exits(0, r#"{"value": 1}"#));
    let tasks = TASKS.len();

    for (process, statuses, words, is_good) in [
        (
            reached(),
            &[200][..],
            &*format!("1 of {tasks} tasks attempted, all of these done"),
            true,
        ),
        (reached(), &[404, 404], "a rule is broken", false),
        (Some(exits(0, "{}")), &[200], "a goal is missed", false),
        (
            Some(exits(0, r#"{"skip": true}"#)),
            &[],
            "nothing was attempted",
            false,
        ),
        (None, &[200], "no goal was judged", false),
        (None, &[], "nothing was attempted", false),
    ] {
        let result = heading(process, statuses);

        assert!(result.contains(words), "{result}");
        assert_eq!(result.contains('✓'), is_good, "{result}");
    }
}
