//! The card of `lab proxy` as one HTML page.

use judge::{KnownFailures, in_words, is_good};
use maud::{Markup, html as markup};
use render::{
    Options, fit,
    page::{document, marked, wide_table},
    timeline::{self, Layout, Waterfall, legend},
};

use crate::{CommandEnd, ProxyCard, card::CaseCard, find, text::count, verdict::Judged};

/// The most lines about the requests of a case.
const LINES: usize = 41;

/// The maximum width of the command in the heading, in columns.
const COMMAND: usize = 80;

/// Renders the card of a command behind a proxy as a page.
#[must_use]
pub fn html_proxy(card: &ProxyCard, known: &KnownFailures) -> String {
    let command = if card.command.is_empty() {
        card.upstream.clone()
    } else {
        fit(&card.command.join(" "), COMMAND, false)
    };
    let rows = card.verdicts();
    let caption = "How the command took each fault";
    let titles = [
        ("route", false),
        ("fault", false),
        ("rule", false),
        ("verdict", false),
        ("found", false),
        ("source", false),
    ];
    let end = card.healthy.first().map(CommandEnd::words);
    document(
        &format!("{command} — proxy"),
        markup! {
            header {
                p.kind { "Proxy" }
                h1.client { code { (command) } }
                p.title { (count(card, &Options::default())) }
            }
            main {
                section.panel aria-labelledby="card" {
                    h2 #card { "Verdicts" }
                    (wide_table(Some("card"), ("judged", caption), titles, markup! {
                        tbody { @for (case, judged) in rows { (line(case, judged, known)) } }
                    }))
                    @for warning in &card.warnings { p.remark { (warning) } }
                }
                @for (number, case) in card.cases.iter().enumerate().filter(|(_, case)| !case.requests.is_empty()) {
                    (requests(number, case))
                }
            }
            footer {
                p { "before " (card.upstream) @if let Some(end) = end { " · healthy: " (end) } }
            }
        },
    )
}

fn line(case: &CaseCard, judged: &Judged, known: &KnownFailures) -> Markup {
    let verdict = judged.verdict;
    let is_known = judged.is_known_to_fail(case, known);
    let rule = find(judged.rule);
    markup! {
        tr {
            td { (case.route) }
            td { (case.event) }
            th.rule scope="row" title=[rule.map(|rule| rule.text)] { (judged.rule) }
            td { (marked(is_good(verdict, is_known), in_words(verdict, is_known))) }
            td { (judged.found.as_deref().unwrap_or_default()) }
            td { (rule.map_or("", |rule| rule.source)) }
        }
    }
}

fn requests(number: usize, case: &CaseCard) -> Markup {
    let timeline = case.timeline(LINES);
    let waterfall = Waterfall {
        timeline: &timeline,
        axis: &timeline::axis(&[&timeline]),
        title: "The requests of this route, from the one that met the fault",
        prefix: &format!("case-{number}-"),
        layout: Layout::Requests,
        folds_repeated: false,
    };
    markup! {
        section.panel.task {
            h2 { (case.route) ": " (case.event) }
            @if let Some(end) = &case.end { p.remark { "The command: " (end.words()) } }
            (waterfall.draw(|_| None))
            (legend(&[&timeline], Layout::Requests))
        }
    }
}
