//! A run or a comparison as one HTML page that opens, shows and prints without a
//! network.
//!
//! It needs no script and no other file, and its content security policy forbids both.
//! `maud` escapes all text, so text from the wire never becomes markup.

mod chart;
mod comparison;
mod exchange;
mod tables;

use maud::{Markup, html as markup};
use render::{Mark, Options, page::class_and_mark};

use super::run_phrases::{NOT_JUDGED, pace, wire};
use crate::{Answer, Check, Compared, Comparison, Metric, ScenarioRun, ScenarioWords, compare};

/// Renders a run and its lesson as a page.
///
/// `prediction` is what the reader expected before the run, if anything. `metrics` are
/// those whose questions are shown beside their counters. `lab` is how the reader called
/// the lab.
#[must_use]
pub fn html(
    words: &ScenarioWords,
    run: &ScenarioRun,
    prediction: Option<&Answer>,
    metrics: &[Metric],
    lab: &str,
) -> String {
    let story = Story {
        words,
        metrics,
        sides: vec![Side { run, beside: None }],
        prediction,
        compared: None,
        why: run.lesson.why.join(" "),
        next: format!("{lab} {}", run.lesson.next),
    };
    story.page()
}

/// Renders a comparison and the lesson of its two runs as a page: the differences first,
/// then each run in full, on one time axis.
#[must_use]
pub fn html_comparison(
    words: &ScenarioWords,
    comparison: &Comparison,
    prediction: Option<&Answer>,
    metrics: &[Metric],
    lab: &str,
) -> String {
    let Comparison {
        runs,
        compared,
        next,
    } = comparison;
    let sides = runs.iter().zip(&compared.sides);
    let sides = sides.map(|(run, beside)| Side {
        run,
        beside: Some(beside),
    });
    let story = Story {
        words,
        metrics,
        sides: sides.collect(),
        prediction,
        compared: Some(compared),
        why: comparison.why().join(" "),
        next: format!("{lab} {next}"),
    };
    story.page()
}

/// The content of a page.
struct Story<'a> {
    words: &'a ScenarioWords,
    metrics: &'a [Metric],
    sides: Vec<Side<'a>>,
    prediction: Option<&'a Answer>,
    compared: Option<&'a Compared>,
    why: String,
    next: String,
}

/// A run on a page, alone or in a comparison.
struct Side<'a> {
    run: &'a ScenarioRun,
    /// Its effects, in a comparison.
    beside: Option<&'a compare::Side>,
}

impl Side<'_> {
    /// Its name in the comparison.
    fn name(&self) -> Option<&'static str> {
        self.beside.map(|side| side.client.name)
    }

    /// Whether a check is shown. In a comparison rules are shown, but not the
    /// expectations that apply to the reference client only.
    fn shows(&self, check: &Check) -> bool {
        self.beside.is_none() || check.rule.is_some()
    }

    /// The id of one of its sections.
    fn id(&self, part: &str) -> String {
        match self.name() {
            Some(name) => format!("{part}-{name}"),
            None => part.to_owned(),
        }
    }

    /// The heading of one of its sections.
    fn title(&self, part: &str) -> String {
        match self.name() {
            Some(name) => format!("{part} · {name}"),
            None => part.to_owned(),
        }
    }
}

impl Story<'_> {
    fn page(&self) -> String {
        let Self { words, sides, .. } = self;
        let mut without = sides.iter().flat_map(|side| &side.run.lesson.without);
        let title = format!("{} — {}", words.name, words.title);
        let first = sides.first().map(|side| side.run);
        render::page::document(
            &title,
            markup! {
                (heading(words, sides))
                main {
                    (question(words, sides, self.prediction))
                    @if let Some(compared) = self.compared {
                        (comparison::effects(compared, Options::LAB))
                    }
                    @for (side, figure) in sides.iter().zip(chart::figures(sides)) {
                        (figure)
                        div.pair {
                            (outcome(side))
                            (verdict(side))
                        }
                        (tables::wire(side))
                        (tables::counters(side, self.metrics))
                    }
                    (lesson(&self.why, without.next(), words.unsolved, &self.next))
                }
                @if let Some(run) = first {
                    footer {
                        p { "seed " (run.seed) " · " (pace(run.pace)) }
                    }
                }
            },
        )
    }
}

fn heading(words: &ScenarioWords, sides: &[Side<'_>]) -> Markup {
    markup! {
        header {
            p.kind { "Scenario" }
            h1 { code { (words.name) } }
            p.title { (words.title) }
            div.badges { @for side in sides { (badge(side)) } }
            @for side in sides {
                ul.terms aria-label=(side.title("The question, and the limits of the client")) {
                    @if let Some(name) = side.name() { li { (name) } }
                    @for term in &side.run.terms { li { (term) } }
                }
            }
        }
    }
}

/// The results of a run. A failed call may be exactly what was expected.
fn badge(side: &Side<'_>) -> Markup {
    let class = |mark| match mark {
        Some(Mark::Ok) => "held",
        Some(Mark::Failed) => "broken",
        _ => "",
    };
    let result = side.beside.map_or(&side.run.view.result, |it| &it.result);
    markup! {
        p.badge {
            @if let Some(name) = side.name() { (name) ": " }
            @for (place, phrase) in result.iter().enumerate() {
                @if place > 0 { " · " }
                span class=(class(phrase.mark)) { (phrase.text) }
            }
        }
    }
}

/// The question with its choices, and the answers, because a report is read after the run.
/// The prediction is about the first side.
fn question(words: &ScenarioWords, sides: &[Side<'_>], prediction: Option<&Answer>) -> Markup {
    let came_true_of = |it: &Answer| sides.first().and_then(|side| it.came_true(side.run));
    markup! {
        section.question aria-labelledby="question" {
            h2 #question { "The question" }
            p { (words.question.text) }
            @if words.question.lettered().next().is_some() {
                ul.choices { @for (letter, choice) in words.question.lettered() {
                    li { b { (letter) } " " (choice.text) }
                } }
            }
            dl {
                @if let Some(prediction) = prediction {
                    dt { "Your prediction" }
                    dd { (prediction.text) (came_true(came_true_of(prediction))) }
                }
                @for side in sides {
                    @if let Some(answer) = &side.run.answer {
                        dt { (side.title("The answer")) }
                        dd { (answer.text) }
                    }
                }
            }
        }
    }
}

fn came_true(came_true: Option<bool>) -> Markup {
    markup! {
        @match came_true {
            Some(true) => span.held { " ✓ right" },
            Some(false) => span.broken { " ✗ wrong" },
            None => "",
        }
    }
}

fn outcome(side: &Side<'_>) -> Markup {
    let (run, id) = (side.run, side.id("outcome"));
    markup! {
        section.outcome aria-labelledby=(id) {
            h2 id=(id) { (side.title("Outcome")) }
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

fn verdict(side: &Side<'_>) -> Markup {
    let (run, id) = (side.run, side.id("verdict"));
    markup! {
        section aria-labelledby=(id) {
            h2 id=(id) { (side.title("Verdict")) }
            @if run.is_cancelled() { p { (NOT_JUDGED) } }
            ul.checks {
                @for check in run.verdict.iter().filter(|check| side.shows(check)) {
                    @let (class, mark) = class_and_mark(Some(check.held));
                    li class=(class) {
                        span.mark role="img" aria-label=(if check.held { "held" } else { "did not hold" }) {
                            (mark)
                        }
                        span.source { (check.source) }
                        span {
                            (check.text)
                            @if let Some(found) = check.contradiction() { " — " strong { (found) } }
                        }
                    }
                }
            }
            @if !run.verdict.is_empty() {
                p.remark { "“wire” is the service's record, “client” the client's own." }
            }
        }
    }
}

fn lesson(why: &str, without: Option<&String>, unsolved: &str, next: &str) -> Markup {
    markup! {
        div.pair {
            section aria-labelledby="lesson" {
                h2 #lesson { "Why it matters" }
                p { (why) }
                @if let Some(without) = without { p { "Removed defence: " (without) } }
            }
            section aria-labelledby="unsolved" {
                h2 #unsolved { "What it does not solve" }
                p { (unsolved) }
            }
            section.next aria-labelledby="next" {
                h2 #next { "Try next" }
                p { code { (next) } }
            }
        }
    }
}
