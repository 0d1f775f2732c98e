//! A run as one page of HTML, to be opened, shown or printed without a network.
//!
//! It needs no script and nothing from elsewhere, and its policy forbids both.
//! Everything is set by `maud`, which escapes: what came from the wire is text
//! here, and never markup.

mod chart;
mod document;
mod evidence;

use maud::{Markup, html as markup};

use super::words::{NOT_JUDGED, pace, terms, wire};
use crate::{lesson::Lesson, run::Run, scenario::Scenario};

/// Sets a run, and what it teaches, as a page.
///
/// `prediction` is what the reader expected before looking, if anything.
#[must_use]
pub fn html(scenario: &Scenario, run: &Run, prediction: Option<&str>) -> String {
    let title = format!("{} — {}", scenario.name, scenario.title);
    document::document(
        &title,
        markup! {
            (heading(scenario, run))
            main {
                (question(scenario, prediction))
                (chart::figure(run))
                div.pair {
                    (outcome(run))
                    (verdict(run))
                }
                (evidence::wire(run))
                (evidence::counters(run))
                (lesson(&run.lesson))
            }
            footer {
                p { "seed " (run.seed) " · " (pace(run.pace)) }
            }
        },
    )
}

fn heading(scenario: &Scenario, run: &Run) -> Markup {
    markup! {
        header {
            p.kind { "Scenario" }
            h1 { code { (scenario.name) } }
            p.title { (scenario.title) }
            ul.terms aria-label="What was asked, and what the client was allowed" {
                @for term in terms(scenario, run, false) { li { (term) } }
            }
            (badge(run))
        }
    }
}

/// What came of the expectations, in a word.
fn badge(run: &Run) -> Markup {
    let held = run.verdict.iter().filter(|check| check.held).count();
    let of = run.verdict.len();
    let (class, mark) = mark(run.passed());
    markup! {
        @if run.is_cancelled() {
            p.badge { "cancelled" }
        } @else {
            p class={ "badge " (class) } {
                span aria-hidden="true" { (mark) } " "
                (held) " of " (of) " expectations held"
            }
        }
    }
}

fn question(scenario: &Scenario, prediction: Option<&str>) -> Markup {
    markup! {
        section.question aria-labelledby="question" {
            h2 #question { "The question" }
            p { (scenario.question) }
            @if let Some(prediction) = prediction {
                dl {
                    dt { "Your prediction" }
                    dd { (prediction) }
                }
            }
        }
    }
}

fn outcome(run: &Run) -> Markup {
    markup! {
        section.outcome aria-labelledby="outcome" {
            h2 #outcome { "Outcome" }
            p.ending { (run.outcome.text) }
            dl.facts {
                div { dt { "ending" } dd { (run.outcome.ending) } }
                @for (name, fact) in &run.outcome.facts {
                    div { dt { (name.replace('_', " ")) } dd { (fact) } }
                }
            }
            p.counts { "On the wire, " (wire(run)) "." }
        }
    }
}

fn verdict(run: &Run) -> Markup {
    markup! {
        section aria-labelledby="verdict" {
            h2 #verdict { "Verdict" }
            @if run.is_cancelled() { p { (NOT_JUDGED) } }
            ul.checks {
                @for check in &run.verdict {
                    @let (class, mark) = mark(check.held);
                    li class=(class) {
                        span.mark role="img" aria-label=(if check.held { "held" } else { "did not hold" }) {
                            (mark)
                        }
                        span {
                            (check.text)
                            @if let Some(found) = &check.found { " — " strong { (found) } }
                        }
                    }
                }
            }
        }
    }
}

fn lesson(lesson: &Lesson) -> Markup {
    markup! {
        div.pair {
            section aria-labelledby="lesson" {
                h2 #lesson { "Why it matters" }
                p { (lesson.why.join(" ")) }
            }
            section aria-labelledby="unsolved" {
                h2 #unsolved { "What it does not solve" }
                p { (lesson.unsolved) }
            }
            section.next aria-labelledby="next" {
                h2 #next { "Try next" }
                p { code { "cargo run -p lab -- " (lesson.next) } }
            }
        }
    }
}

/// A class and a sign for what held and what did not: the words beside them say
/// the same.
fn mark(held: bool) -> (&'static str, &'static str) {
    match held {
        true => ("held", "✓"),
        false => ("broken", "✗"),
    }
}
