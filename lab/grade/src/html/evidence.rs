//! What a card shows about one task, at the side of a page: the goal, and for each rule that was
//! broken the requests or the pauses that broke it, why the rule exists, and a hint.

use judge::{
    KnownFailures,
    rules::{self, Rule, Verdict},
};
use maud::{Markup, html as markup};
use render::page::strip;

use super::{goal, requests, safe};
use crate::{
    Card, CaseGrade, GoalVerdict, RuleGrade, TaskGrade, TaskWords,
    card::names_once,
    find,
    text::{failed, has_failed},
};

/// The most lines about the requests of a case: the side of a page is narrow.
const LINES: usize = 9;

/// The most sets of pauses, by their number in the call.
const SETS: usize = 2;

/// The evidence of a task of a card. `scenario` is the address of the scenario that shows a client
/// doing it.
#[must_use]
pub fn evidence(card: &Card, grade: &TaskGrade, scenario: &str) -> Markup {
    let Ok(task) = find(grade.task) else {
        return markup! {};
    };
    let words = &task.words;
    let broken: Vec<_> = grade.broken().collect();
    // Each case is drawn once, under the first finding about it.
    let mut drawn = Vec::new();
    let missed = failed(grade).next();
    let missed = missed.map(|(number, case)| missed_case(&mut drawn, grade, number, case, words));
    let rules: Vec<_> = broken
        .iter()
        .map(|rule| broken_rule(&mut drawn, card, grade, rule))
        .collect();
    let shows_nothing = drawn.is_empty() && broken.is_empty() && grade.requests() > 0;
    markup! {
        p { (words.text) " " (goal(grade.goal.verdict)) }
        @match missed {
            Some(missed) => (missed),
            None => (not_missed(grade, words)),
        }
        @for rule in &rules { (rule) }
        @if let Some(arrived) = grade.other_method() { p { (arrived) } }
        (remarks(grade))
        (other_rules(grade))
        @if shows_nothing { (first_case(grade)) }
        (hint(words, &broken, scenario))
    }
}

/// A task before it has a result: what it asks for, or the case that crashed.
#[must_use]
pub fn before_its_result(words: &TaskWords, crashed: Option<&CaseGrade>, scenario: &str) -> Markup {
    markup! {
        @match crashed {
            Some(case) => {
                p { b.no { "✗ crashed:" } " " (safe(case.goal.found.as_deref().unwrap_or_default())) }
                (stderr(case))
            },
            None => p { (words.text) },
        }
        (hint(words, &[], scenario))
    }
}

/// The first case that missed the goal: how its process ended, and what was expected.
fn missed_case(
    drawn: &mut Vec<usize>,
    grade: &TaskGrade,
    number: usize,
    case: &CaseGrade,
    words: &TaskWords,
) -> Markup {
    drawn.push(number);
    let found = safe(case.goal.found.as_deref().unwrap_or_default());
    let expected = if case.expected.is_empty() {
        words.goal
    } else {
        &case.expected
    };
    let others = grade.cases.iter().filter(|other| has_failed(grade, other));
    let mut others = names_once(others);
    others.retain(|name| *name != case.name);
    markup! {
        p {
            b.no { (case.name) ":" } " " (found)
            @if !others.is_empty() { ". Also missed: " (others.join(", ")) }
        }
        (stderr(case))
        @if case.wire.total > 0 {
            p { "Expected: " code { (expected) } }
            (requests(grade, number, case, &KnownFailures::default(), LINES))
        }
    }
}

/// The goal of a task that no case missed: what it asks for, or a remark.
fn not_missed(grade: &TaskGrade, words: &TaskWords) -> Markup {
    let found = grade.goal.found.as_deref();
    markup! {
        @match grade.goal.verdict {
            GoalVerdict::Reached => @if let Some(found) = found { p.soft { (safe(found)) } },
            GoalVerdict::Skipped => {
                p { "Your client skips it. Build it next: the last line is " (words.goal) "." }
                @if let Some(case) = grade.cases.first() { (stderr(case)) }
            }
            _ => @if let Some(found) = found { p { (safe(found)) } },
        }
    }
}

/// The end of what a process wrote to stderr.
fn stderr(case: &CaseGrade) -> Markup {
    let lines = case.process.iter().flat_map(|process| &process.stderr);
    let lines: Vec<_> = lines.map(|line| safe(line)).collect();
    markup! {
        @if !lines.is_empty() {
            p { "The end of its stderr:" }
            pre { (lines.join("\n")) }
        }
    }
}

/// A broken rule: what was found, the pauses or the requests that show it, and why it exists.
fn broken_rule(
    drawn: &mut Vec<usize>,
    card: &Card,
    grade: &TaskGrade,
    broken: &RuleGrade,
) -> Markup {
    let rule = rules::find(broken.id);
    let is_about_pauses = rule.is_some_and(Rule::is_about_milliseconds);
    let first = broken.judgement.requests.first();
    let case = first.and_then(|request| Some((request.case, grade.cases.get(request.case)?)));
    let case = case.filter(|(number, _)| !is_about_pauses && !drawn.contains(number));
    drawn.extend(case.map(|(number, _)| number));
    markup! {
        p {
            b.no { "✗ " (broken.id) } " " span.soft { (broken.level) } br;
            (broken.judgement.found.as_deref().unwrap_or("broken"))
        }
        @if is_about_pauses { (pauses(card, grade, broken.id)) }
        @if let Some((number, case)) = case {
            (requests(grade, number, case, &KnownFailures::default(), LINES))
        }
        @if let Some(rule) = rule { p { (rule.why) } }
    }
}

/// The pauses by which a rule is judged, on one axis.
fn pauses(card: &Card, grade: &TaskGrade, rule: &str) -> Markup {
    let pauses = card.pauses(grade.task, rule);
    let sets = pauses.iter().zip(["first", "second"]).take(SETS);
    let sets: Vec<_> = sets
        .map(|(lengths, which)| (format!("{} {which} pauses", lengths.len()), &**lengths))
        .collect();
    let sets: Vec<_> = sets
        .iter()
        .map(|(label, lengths)| (&**label, *lengths))
        .collect();
    strip(&sets)
}

/// Why rules cannot be told, and under which condition others were kept.
fn remarks(grade: &TaskGrade) -> Markup {
    let found = |rule: &RuleGrade| rule.judgement.found.clone().unwrap_or_default();
    let kept = grade.with_verdict(Verdict::Kept);
    let kept = kept.filter(|rule| rule.judgement.found.is_some());
    markup! {
        @for rule in grade.with_verdict(Verdict::CannotTell) {
            p { b { "? " (rule.id) } " cannot be told: " (found(rule)) }
        }
        @for rule in kept { p { b.ok { "✓ " (rule.id) } " kept, but " (found(rule)) } }
    }
}

/// The names of the rules about which nothing else is said, so that each rule of a task is named.
fn other_rules(grade: &TaskGrade) -> Markup {
    let names = |is_one: fn(&RuleGrade) -> bool| {
        let rules = grade.rules.iter().filter(|rule| is_one(rule));
        rules.map(|rule| rule.id).collect::<Vec<_>>().join(", ")
    };
    let kept =
        names(|rule| rule.judgement.verdict == Verdict::Kept && rule.judgement.found.is_none());
    let not_exercised = names(|rule| {
        matches!(
            rule.judgement.verdict,
            Verdict::NotExercised | Verdict::Skipped
        )
    });
    markup! {
        @if !kept.is_empty() { p.small { b.ok { "✓ kept: " } (kept) } }
        @if !not_exercised.is_empty() { p.small.soft { "· not exercised: " (not_exercised) } }
    }
}

/// What a client did that broke nothing.
fn first_case(grade: &TaskGrade) -> Markup {
    let mut cases = grade.cases.iter().enumerate();
    let called = cases.find(|(_, case)| case.wire.total > 0);
    markup! {
        @if let Some((number, case)) = called {
            p.soft { (case.name) ":" }
            (requests(grade, number, case, &KnownFailures::default(), LINES))
        }
    }
}

/// How to keep the broken rules, or else to do the task.
fn hint(words: &TaskWords, broken: &[&RuleGrade], scenario: &str) -> Markup {
    let rules = broken.iter().filter_map(|rule| rules::find(rule.id));
    let hints: Vec<_> = rules.map(|rule| (rule.hint, rule.source)).collect();
    markup! {
        details.fold id={ "hint-" (words.name) } {
            summary { "Hint" }
            @for (hint, source) in &hints {
                p { (hint) }
                p.soft.small { (source) }
            }
            @if hints.is_empty() { p { (words.hint) } }
            p { a href=(scenario) { "See it done" } }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use testkit::script::{Script, exits};
    use wire::ProcessRecord;

    use super::*;
    use crate::Goal;

    /// The evidence of a task with a case for each of these scripts and processes.
    fn shown(name: &str, cases: impl IntoIterator<Item = (Script, ProcessRecord)>) -> String {
        let task = find(name).expect("a task");
        let goal = Goal::result(json!({"value": 1}));
        let cases = cases
            .into_iter()
            .zip(["one", "two", "three"].into_iter().cycle());
        let cases = cases.map(|((script, process), name)| {
            CaseGrade::new(name, &goal, Some(process), script.record())
        });
        let grade = TaskGrade::new(task.words.name, task.kind, task.rules(), cases.collect());
        let mut card = Card::new(Vec::new(), 1, "");
        card.add([grade]);
        evidence(&card, &card.tasks[0], "/scenarios/flaky").into_string()
    }

    fn reached() -> ProcessRecord {
        exits(0, r#"{"value": 1}"#)
    }

    #[test]
    fn every_rule_of_a_task_is_named_whatever_its_verdict() {
        let twice = || (Script::new().respond(0, 404).respond(9, 404), reached());
        let never = || (Script::new(), exits(0, r#"{"skip": true}"#));
        for task in crate::TASKS {
            for case in [twice(), never()] {
                let shown = shown(task.words.name, [case]);

                for rule in task.rules() {
                    assert!(shown.contains(rule.id), "{}: {shown}", rule.id);
                }
            }
        }
    }

    /// How many waterfalls there are.
    fn waterfalls(shown: &str) -> usize {
        shown.matches("Requests: ").count()
    }

    #[test]
    fn a_rule_about_pauses_shows_them_on_one_axis_and_no_requests() {
        let after_502 = || Script::new().respond(0, 503).respond(502, 200);

        let shown = shown("flaky", (0..8).map(|_| (after_502(), reached())));

        assert!(shown.contains("✗ backoff-jitter"), "{shown}");
        assert!(
            shown.contains("8 first pauses: 8 pauses from 502 ms to 502 ms"),
            "{shown}"
        );
        assert_eq!(waterfalls(&shown), 0);
    }

    #[test]
    fn a_case_that_missed_the_goal_and_broke_a_rule_is_drawn_once() {
        let twice = || Script::new().respond(0, 404).respond(9, 404);
        for (process, others) in [(reached(), false), (exits(0, "{}"), true)] {
            let cases = [(twice(), process.clone()), (twice(), process)];

            let shown = shown("refused", cases);

            assert!(shown.contains("✗ no-retry-4xx"), "{shown}");
            assert_eq!(waterfalls(&shown), 1, "{shown}");
            assert_eq!(shown.contains("Also missed: two"), others, "{shown}");
        }
    }

    #[test]
    fn a_crash_shows_the_end_of_its_stderr_as_text() {
        let crashes = ProcessRecord {
            stderr: vec!["line 3: <b>\u{202e}".to_owned()],
            ..exits(1, "")
        };

        let shown = shown("refused", [(Script::new(), crashes)]);

        assert!(shown.contains("<pre>line 3: &lt;b&gt;"), "{shown}");
        assert!(!shown.contains('\u{202e}'), "{shown}");
        assert!(
            shown.contains("no request was sent, exit code 1"),
            "{shown}"
        );
        assert_eq!(waterfalls(&shown), 0);
    }

    #[test]
    fn a_task_that_is_done_shows_what_the_client_did() {
        let once = (Script::new().respond(0, 404), reached());

        let shown = shown("refused", [once]);

        assert_eq!(waterfalls(&shown), 1, "{shown}");
        assert!(!shown.contains('✗'), "{shown}");
    }
}
