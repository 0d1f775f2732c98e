//! A card as HTML: a report with a table of goals and rules, and the requests of each
//! task, case by case.

mod evidence;

use judge::{KnownFailures, in_words, is_good, rules};
use maud::{Markup, html as markup};
use render::{
    fit,
    page::{document, marked, panel, wide_table, word},
    timeline::{self, Layout, Timeline, Waterfall, legend},
};
use wire::duration;

pub use evidence::{before_its_result, evidence};

use crate::{
    Card, CardResult, CaseGrade, GoalVerdict, PolicyUnderLoad, RuleGrade, TASKS, TaskGrade,
    TaskWords, in_flight, policy_under_load,
    text::{count, has_failed},
};

/// The most lines about the requests of a case.
const LINES: usize = 41;

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
                @if let Some(under_load) = &card.policy_under_load {
                    (html_policy_under_load(under_load, true))
                }
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

/// Renders what many clients with the policy of a card do to a service, as a panel of a page. Its
/// reader may want to guess the endings first: then only those are left out.
#[must_use]
pub fn html_policy_under_load(under_load: &PolicyUnderLoad, shows_endings: bool) -> Markup {
    let storm = under_load.storm.as_ref();
    let body = markup! {
        p { (under_load.policy_sentences().join(" ")) }
        @if let Some(storm) = storm {
            @if shows_endings {
                p {
                    "In a spike of many such clients: "
                    (word(storm.as_measured.is_good, &storm.as_measured.words))
                    " With a retry budget: "
                    (word(storm.with_budget.is_good, &storm.with_budget.words))
                }
            }
            p.remark { (policy_under_load::NOT_SEEN) }
            p { code { "lab " (storm.command) } }
            p.remark { (policy_under_load::WITH_BUDGET) }
        }
    };
    panel(
        "policy-under-load",
        policy_under_load::TITLE,
        "many such clients, in a simulation",
        &body,
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
            @let timelines = timelines(card, known);
            p.remark {
                "Below are the requests of each case. Times count from its first request, and each \
                 case has an axis of its own."
            }
            (legend(&timelines.iter().collect::<Vec<_>>(), Layout::Requests))
        }
    }
}

/// The requests of all cases.
fn timelines(card: &Card, known: &KnownFailures) -> Vec<Timeline> {
    let tasks = card.tasks.iter();
    let timelines = tasks
        .flat_map(|task| (0..task.cases.len()).map(move |case| task.timeline(case, known, LINES)));
    timelines.collect()
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
            (requests(task, number, case, known, LINES))
        }
    }
}

/// The requests of a case as they arrived, in at most so many lines, each with the rules that it
/// broke.
fn requests(
    task: &TaskGrade,
    number: usize,
    case: &CaseGrade,
    known: &KnownFailures,
    lines: usize,
) -> Markup {
    let timeline = task.timeline(number, known, lines);
    let waterfall = Waterfall {
        timeline: &timeline,
        axis: &timeline::axis(&[&timeline]),
        title: &format!("Requests: {}, {}", task.task, case.name),
        prefix: &format!("{}-{number}-", task.task),
        layout: Layout::Requests,
        folds_repeated: false,
    };
    markup! {
        @if let Some(in_flight) = in_flight(&case.wire) { p.remark { (in_flight) } }
        (waterfall.draw(|_| None))
    }
}

/// A text of the client, without characters that could hide or reorder the text around
/// it.
fn safe(text: &str) -> String {
    fit(text, LONGEST, false)
}
