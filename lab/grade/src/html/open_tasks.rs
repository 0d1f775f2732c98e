//! The tasks with the cases that are open to any client, for the web UI.

use judge::{KnownFailures, is_good, rules};
use maud::{Markup, html as markup};
use render::page::class_and_mark;
use wire::{WireRecord, counted};

use super::requests;
use crate::{OpenCase, OpenCases, RuleGrade, TASKS, Task, TaskGrade};

/// The tasks, without cases.
#[must_use]
pub fn closed_tasks() -> Markup {
    markup! { @for task in TASKS { (open_task(task, None, &[])) } }
}

/// The tasks, each with its open cases, their requests so far, and the verdicts of its
/// rules. Goals are not judged here.
#[must_use]
pub fn open_tasks(cases: &OpenCases, grades: &[TaskGrade]) -> Markup {
    let mut open = cases.cases();
    markup! {
        @for (task, grade) in TASKS.iter().copied().zip(grades) {
            @let open: Vec<_> = open.by_ref().take(grade.cases.len()).collect();
            (open_task(task, Some(grade), &open))
        }
    }
}

fn open_task(task: &Task, grade: Option<&TaskGrade>, open: &[OpenCase<'_>]) -> Markup {
    let words = &task.words;
    let is_broken = grade.is_some_and(|grade| grade.broken().next().is_some());
    let is_called = grade.is_some_and(|grade| grade.requests() > 0);
    let known = KnownFailures::default();
    markup! {
        li id={ "task-" (words.name) } {
            details.panel.task.failed[is_broken] open[is_called] data-opens[is_called] {
                summary {
                    span.sign aria-hidden="true" { @if is_broken { "✗" } }
                    h2 { (words.name) }
                    span.terms {
                        (words.request) " …" (words.path)
                    }
                    span.counts { (grade.map(counts).unwrap_or_default()) }
                }
                p { (words.text) }
                p { "The last line that " code { "lab grade" } " wants: " code { (words.goal) } }
                details.hint {
                    summary { "Hint" }
                    p { (words.hint) }
                    p { "See it done: " a href={ "/#" (words.scenario) } { (words.scenario) } }
                }
                @if are_alike(open) {
                    p.terms { "The cases are alike, since the rules about waits need several waits." }
                }
                @if let Some(grade) = grade {
                    @for (open, case) in open.iter().zip(&grade.cases) {
                        div.case {
                            h3 { "Case " (open.number + 1) " of " (grade.cases.len()) ": " (open.name) }
                            (call(open))
                            (requests(grade, open.number, case, &known))
                        }
                    }
                    ul.rules aria-label={ "Rules of " (words.name) } {
                        @for rule in &grade.rules { (open_rule(rule)) }
                    }
                }
            }
        }
    }
}

/// Whether there are several cases, and all of one kind.
fn are_alike(open: &[OpenCase<'_>]) -> bool {
    let [first, others @ ..] = open else {
        return false;
    };
    !others.is_empty() && others.iter().all(|case| case.name == first.name)
}

/// The requests of a task, and the verdicts of its rules, in words.
fn counts(grade: &TaskGrade) -> String {
    if grade.requests() == 0 {
        let mut wires = grade.cases.iter().map(|case| &case.wire);
        let refused = wires.find_map(WireRecord::refusals_in_words);
        return refused.unwrap_or_else(|| "no request yet".to_owned());
    }
    let requests = counted(grade.requests(), "request");
    match grade.rules_in_words() {
        Some(rules) => format!("{requests} · {rules}"),
        None => requests,
    }
}

/// The address of a case, and a command that calls it.
fn call(case: &OpenCase<'_>) -> Markup {
    let curl = case.curl();
    let (before, after) = curl.split_once(case.url).unwrap_or((&curl, ""));
    let place = format!("{}, {}", case.task.words.name, case.name);
    markup! {
        p.call {
            code { (before) b { (case.url) } (after) }
            button.copy type="button" data-copies="b" aria-label={ "Copy URL: " (place) } { "Copy URL" }
            button.copy type="button" aria-label={ "Copy curl: " (place) } { "Copy curl" }
            button.again type="button" data-case={ (case.task.words.name) "/cases/" (case.number) }
                aria-label={ "Begin again: " (place) } { "Begin again" }
        }
    }
}

fn open_rule(rule: &RuleGrade) -> Markup {
    let verdict = rule.judgement.verdict;
    let (class, mark) = class_and_mark(is_good(verdict, false));
    let known = rules::find(rule.id);
    markup! {
        li class=(class) {
            p {
                span.sign aria-hidden="true" { (mark) } " " code { (rule.id) } " "
                b { (verdict) } " " span.terms { (rule.level) " · " (rule.source) }
            }
            @if let Some(found) = &rule.judgement.found { p.found { (found) } }
            @if let Some(known) = known {
                details {
                    summary { "Why and how" span.unseen { " of " (rule.id) } }
                    p { "Kept if " (known.text) "." }
                    p { (known.why) }
                    p { (known.hint) }
                }
            }
        }
    }
}
