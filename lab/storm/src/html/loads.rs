//! A storm at several loads as HTML: a table, with the command of each cell.

use maud::{Markup, html as markup};
use render::page::{document, marked, wide_table};

use crate::{
    LoadTable,
    results::figures::rate,
    text::{loads, rows},
};

/// Renders a table of loads as a page.
#[must_use]
pub fn html_loads(table: &LoadTable) -> String {
    let story = table.story;
    document(
        &format!("{} — {}", story.name, loads::QUESTION),
        markup! {
            header {
                p.kind { "Storm at several loads" }
                h1 { code { (story.name) } }
                p.title { (story.title) }
            }
            main {
                section.panel aria-labelledby="question" {
                    h2 #question { (loads::QUESTION) }
                    p.terms { (terms(table)) }
                    (cells(table))
                    p.remark { (loads::legend(table)) }
                    @for reason in &table.no_word { p.remark { "No word: " (reason) "." } }
                    @if let Some(early) = loads::ended_early(table) { p.remark { (early) } }
                }
                section.panel aria-labelledby="commands" {
                    h2 #commands { "Each cell as a storm" }
                    ul {
                        @for cell in table.policies.iter().flat_map(|row| &row.cells) {
                            li { code { "lab " (cell.command) } }
                        }
                    }
                }
            }
            footer {
                p { "seeds from " (table.seed) " on · " (table.generator) " · virtual time" }
            }
        },
    )
}

fn terms(table: &LoadTable) -> String {
    let policies = table.policies.iter().map(|row| &row.policy);
    let rows = format!("policies: {}", rows(table.story, policies));
    let terms = loads::conditions(&table.settings).into_iter().chain([rows]);
    terms.collect::<Vec<_>>().join(" · ")
}

fn cells(table: &LoadTable) -> Markup {
    let first = table.policies.first();
    let loads = first.map_or(&[][..], |row| &row.cells);
    let loads: Vec<_> = loads
        .iter()
        .map(|cell| rate(cell.calls_per_second))
        .collect();
    let columns = ["calls per second"]
        .into_iter()
        .chain(loads.iter().map(String::as_str));
    wide_table(
        None,
        ("loads", "How often each word came"),
        columns.map(|title| (title, false)),
        markup! {
            tbody {
                @for row in &table.policies {
                    tr {
                        th scope="row" { (row.policy.name) }
                        @for cell in &row.cells { td { (marked(cell.is_good(), cell.text())) } }
                    }
                }
            }
        },
    )
}
