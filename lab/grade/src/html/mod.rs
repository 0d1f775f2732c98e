//! A card as HTML: a report with a table of goals and rules, and the requests of each
//! task, case by case.

mod open_tasks;

use judge::{KnownFailures, in_words, is_good, rules};
use maud::{Markup, html as markup};
use render::{
    Scale, fit,
    page::{PartKind, document, marked, wide_table},
};
use wire::{WireRecord, duration};

pub use self::open_tasks::{closed_tasks, open_tasks};
use crate::{
    Card, CardResult, CaseChart, CaseGrade, CaseRow, GoalVerdict, RuleGrade, TASKS, TaskGrade,
    TaskWords, in_flight,
    text::{count, has_failed},
};

/// The most requests of a case to draw.
const ROWS: usize = 40;

/// The number of columns on the axis of time: each is one percent of the width.
const COLUMNS: usize = 100;

/// The maximum width of the client's texts, in columns.
const LONGEST: usize = 300;

/// The maximum width of the command in the heading, in columns: it may be a whole script.
const LONGEST_COMMAND: usize = 80;

/// Renders a card as a page. `words` are those of its tasks, in any order; `known` lists
/// the rules that are known to be broken.
#[must_use]
pub fn html_card(card: &Card, words: &[&TaskWords], known: &KnownFailures) -> String {
    let command = if card.command.is_empty() {
        "open cases".to_owned()
    } else {
        fit(&card.command.join(" "), LONGEST_COMMAND, false)
    };
    document(
        &format!("{command} — card"),
        markup! {
            (heading(card, &command, known))
            main {
                (table(card, known))
                @for task in &card.tasks {
                    @let words = words.iter().find(|words| words.name == task.task);
                    (cases(task, words.copied(), known))
                }
            }
            footer {
                p {
                    "seed " (card.seed) " · waits may be " (duration(card.tolerance)) " short"
                }
            }
        },
    )
}

fn heading(card: &Card, command: &str, known: &KnownFailures) -> Markup {
    let attempted = card.tasks.iter().filter(|task| task.was_attempted());
    let attempted = attempted.count();
    let all = TASKS.len();
    let (is_good, words) = match card.result(known) {
        CardResult::RuleBroken => (Some(false), "a rule is broken".to_owned()),
        CardResult::GoalMissed => (Some(false), "a goal is missed".to_owned()),
        CardResult::NothingAttempted => (None, "nothing was attempted".to_owned()),
        CardResult::NotJudged => (None, "no goal was judged".to_owned()),
        CardResult::Passed => {
            let done = format!("{attempted} of {all} tasks attempted, all of these done");
            (Some(true), done)
        }
    };
    markup! {
        header {
            p.kind { "Card" }
            h1.client { code { (command) } }
            p.title { (count(card, known)) }
            p.result { (marked(is_good, words)) }
        }
    }
}

fn table(card: &Card, known: &KnownFailures) -> Markup {
    let caption = "The result of each task and of each of its rules";
    let titles = ["task", "verdict", "level", "source", "found"].map(|title| (title, false));
    markup! {
        section.panel aria-labelledby="card" {
            h2 #card { "Goals and rules" }
            (wide_table(Some("card"), ("judged", caption), titles, markup! {
                @for task in &card.tasks {
                    tbody {
                        tr.goal {
                            th scope="row" { a href={ "#" (task.task) } { (task.task) } }
                            td {
                                @if task.is_known_to_miss(known) {
                                    (marked(None, "known to fail"))
                                } @else {
                                    (goal(task.goal.verdict))
                                }
                            }
                            td { "goal" }
                            td {}
                            td { (safe(task.goal.found.as_deref().unwrap_or_default())) }
                        }
                        @for rule in task.rules.iter().filter(|_| task.requests() > 0) {
                            (line(rule, known.cover(Some(task.task), rule.id)))
                        }
                    }
                }
            }))
            p.remark {
                "Below, a plain bar is a response with a status under 400, and a crossed one "
                "another response, or none; stripes are the pause before a request, and a gap "
                "in them is time that is not drawn. Times count from the first request of a "
                "case, and each case has an axis of its own."
            }
        }
    }
}

fn line(rule: &RuleGrade, is_known: bool) -> Markup {
    let verdict = rule.judgement.verdict;
    let found = rule.judgement.found.as_deref().unwrap_or_default();
    markup! {
        tr {
            th.rule scope="row" title=[rules::find(rule.id).map(|rule| rule.text)] { (rule.id) }
            td { (marked(is_good(verdict, is_known), in_words(verdict, is_known))) }
            td { (rule.level) }
            td { (rule.source) }
            td { (found) }
        }
    }
}

fn goal(of: GoalVerdict) -> Markup {
    marked(is_good(of.as_verdict(), false), of)
}

/// The cases of a task that received a request, or missed their goal.
fn cases(task: &TaskGrade, words: Option<&TaskWords>, known: &KnownFailures) -> Markup {
    let shown = task.cases.iter().enumerate();
    let shown = shown.filter(|(_, case)| case.wire.total > 0 || has_failed(task, case));
    let shown: Vec<_> = shown.collect();
    markup! {
        section.panel.task aria-labelledby=(task.task) {
            h2 id=(task.task) { (task.task) }
            @if let Some(words) = words {
                p { (words.text) }
                p.remark { (words.request) " … " (words.path) " · last line to print: " (words.goal) }
            }
            @if let Some(arrived) = task.other_method() { p { (arrived) } }
            @for (number, case) in &shown { (self::case(task, *number, case, known)) }
            @if shown.is_empty() { p.remark { "No request arrived." } }
        }
    }
}

fn case(task: &TaskGrade, number: usize, case: &CaseGrade, known: &KnownFailures) -> Markup {
    let found = case.goal.found.as_deref().map(safe);
    let stderr = case.process.iter().flat_map(|process| &process.stderr);
    let stderr: Vec<_> = stderr.map(|line| safe(line)).collect();
    markup! {
        div.case {
            h3 { (case.name) " " (goal(case.goal.verdict)) }
            @if has_failed(task, case) {
                p { (found.unwrap_or_default()) "; expected " (case.expected_in_words()) }
                @if !stderr.is_empty() { pre { (stderr.join("\n")) } }
            }
            (requests(task, number, case, known))
        }
    }
}

/// The requests of a case as they arrived, each with the rules that it broke.
fn requests(task: &TaskGrade, number: usize, case: &CaseGrade, known: &KnownFailures) -> Markup {
    let chart = CaseChart::new(&case.wire, ROWS);
    let scale = chart.scale(COLUMNS);
    let (head, tail) = chart.ends();
    let row = |row: &CaseRow| {
        let broken = task.broken().filter(|rule| {
            let mut requests = rule.judgement.requests.iter();
            requests.any(|request| request.case == number && request.seq == row.seq)
        });
        markup! {
            li id={ (task.task) "-" (number) "-" (row.seq) } .row {
                span.at { (duration(row.arrived)) }
                svg.chart aria-hidden="true" { (bars(row, kind(&case.wire, row.seq), &scale)) }
                span.how {
                    (row.label)
                    @for rule in broken {
                        @if known.cover(Some(task.task), rule.id) {
                            " · " (rule.id) ", known to fail"
                        } @else {
                            " " strong.no { "✗ " (rule.id) }
                        }
                    }
                }
            }
        }
    };
    markup! {
        @if let Some(in_flight) = in_flight(&case.wire) { p.remark { (in_flight) } }
        ol.arrivals aria-label={ "Requests: " (task.task) ", " (case.name) } {
            @for request in head { (row(request)) }
            @if let Some(left_out) = &chart.left_out { li.remark { (left_out) } }
            @for request in tail { (row(request)) }
        }
    }
}

/// Whether a request got a complete response with a status under 400.
fn kind(wire: &WireRecord, seq: u64) -> PartKind {
    let mut entries = wire.entries.iter();
    let request = entries.find(|entry| entry.seq == seq);
    let is_ok = request.is_some_and(|request| {
        request.status.is_some_and(|status| status < 400) && request.ended.is_some()
    });
    if is_ok {
        PartKind::Ok
    } else {
        PartKind::Failed
    }
}

/// The pause before a request, without the parts that the axis cuts out, and the request.
fn bars(row: &CaseRow, kind: PartKind, scale: &Scale) -> Markup {
    let bar = scale.bar(row.arrived, row.ended);
    let pause = row
        .pause
        .map(|from| scale.bar(from, row.arrived).start..bar.start);
    let mut from = pause.as_ref().map_or(bar.start, |pause| pause.start);
    let mut pieces = Vec::new();
    for cut in pause.iter().flat_map(|pause| scale.cuts(pause)) {
        pieces.push(from..cut.start);
        from = cut.end;
    }
    pieces.push(from..bar.start);
    markup! {
        @for piece in pieces.into_iter().filter(|piece| !piece.is_empty()) {
            (PartKind::Wait.bar(piece.start as f64, piece.end as f64))
        }
        (kind.bar(bar.start as f64, bar.end as f64))
    }
}

/// A text of the client, without characters that could hide or reorder the text around
/// it.
fn safe(text: &str) -> String {
    fit(text, LONGEST, false)
}
