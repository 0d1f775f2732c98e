//! A storm as HTML: a table with a chart for each policy, the lesson, and more figures. A report is
//! a page around the same parts as the page of the web UI.

mod loads;
mod picture;
mod table;
#[cfg(test)]
mod tests;

use maud::{Markup, html as markup};
use render::page::{document, wide_table};

pub use loads::html_loads;
pub use picture::StormPicture;
pub use table::{GUESS, RECOVERS, STAYS_DOWN, Shown};

use crate::{Plan, Storm, results::figures::rate, text::conditions};
use picture::{Row, break_even};

/// Renders a storm as a page.
#[must_use]
pub fn html_storm(storm: &Storm) -> String {
    let story = storm.story;
    let picture = StormPicture::of(storm);
    document(
        &format!("{} — {}", story.name, story.title),
        markup! {
            header {
                p.kind { "Storm" }
                h1 { code { (story.name) } }
                p.title { (story.title) }
            }
            main {
                section.panel.question aria-labelledby="question" {
                    h2 #question { "The question" }
                    p { (storm.question) }
                    p.terms { (terms(picture.plan())) }
                }
                (picture.draw(Shown::Results(&[])))
                (picture.learnt())
                section.panel aria-labelledby="more" {
                    h2 #more { "More about this storm" }
                    (picture.more(&markup! { code { "lab scenario " (story.scenario) } }))
                }
            }
            footer {
                p { "seed " (storm.seed) " · " (storm.generator) " · virtual time · " code { "lab " (storm.command) } }
            }
        },
    )
}

/// The conditions of a storm: its load, its incident and its service.
#[must_use]
pub fn terms(plan: &Plan) -> String {
    let seed = format!("seed {}.", plan.seed);
    let terms = conditions(&plan.settings).into_iter().chain([seed]);
    terms.collect::<Vec<_>>().join("; ")
}

impl StormPicture {
    /// The lesson, if there is one.
    #[must_use]
    pub fn learnt(&self) -> Markup {
        markup! {
            @if let Some(lesson) = self.lesson() {
                p.said { b { "What it shows. " } (lesson) }
            }
        }
    }

    /// More figures, and where to read on. `scenario` leads to the same with one client.
    #[must_use]
    pub fn more(&self, scenario: &Markup) -> Markup {
        let story = self.plan().story;
        markup! {
            (self.more_figures())
            dl.facts-of-storm {
                dt { "The model leaves out" }
                dd { (story.left_out) }
                dt { "The source" }
                dd { a href=(story.source) rel="noreferrer" { (story.source) } }
                dt { "With one client" }
                dd { (scenario) "; the rule: " code { (story.rule) } }
            }
        }
    }

    fn more_figures(&self) -> Markup {
        let (limit, kind) = self.plan().settings.limit_per_second();
        let even = format!("load × requests per call = {kind}, at calls/s");
        let columns = [
            ("policy", false),
            ("requests per call", true),
            ("most retries in 0.1 s", true),
            ("in the queue at the end", true),
            ("tokens left for a client", true),
            ("attempts a client allows itself", true),
            (&*even, true),
        ];
        let number = |number: Option<f64>| {
            number.map_or_else(|| "—".to_owned(), |number| format!("{number:.1}"))
        };
        let row = |row: &Row| {
            let ended = row.ended.as_ref();
            let last = ended.and_then(|ended| ended.last);
            let even = break_even(limit, &row.policy).map_or_else(|| "—".to_owned(), rate);
            markup! {
                tr {
                    th scope="row" { (row.policy.name) }
                    td.num { @if let Some(ended) = ended { (format!("{:.2}", ended.run.figures.requests_per_call)) } }
                    td.num { @if let Some(ended) = ended { (ended.retry_peak) } }
                    td.num { @if let Some(last) = last { (last.waiting) } }
                    td.num { (number(last.and_then(|last| last.tokens))) }
                    td.num { (number(last.and_then(|last| last.limit))) }
                    td.num { (even) }
                }
            }
        };
        wide_table(
            None,
            ("more-figures", "More figures of each policy"),
            columns,
            markup! { tbody { @for of in &self.rows { (row(of)) } } },
        )
    }
}
