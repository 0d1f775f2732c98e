//! The card of `lab proxy` as one HTML page.

use evidence::{
    KnownFailures,
    proxy::{CaseCard, CommandEnd, Judged, ProxyCard, WireRow, find},
};
use maud::{Markup, html as markup};

use super::{
    super::paint::fit,
    document::document,
    grade::{class_and_mark, verdict},
};
use crate::{Options, proxy::count};

/// The maximum width of the command in the heading, in columns.
const COMMAND: usize = 80;

/// Renders the card of a command behind a proxy as a page.
#[must_use]
pub fn html_proxy(card: &ProxyCard, known: &KnownFailures) -> String {
    let command = match card.command.is_empty() {
        true => card.upstream.clone(),
        false => fit(&card.command.join(" "), COMMAND, false),
    };
    let rows = card.verdicts();
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
                section aria-labelledby="card" {
                    h2 #card { "Verdicts" }
                    div.wide role="region" aria-labelledby="judged" tabindex="0" {
                        table.card {
                            caption #judged { "How the command took each fault" }
                            thead { tr {
                                @for title in ["route", "fault", "rule", "verdict", "found", "source"] {
                                    th scope="col" { (title) }
                                }
                            } }
                            tbody { @for (case, judged) in rows { (line(case, judged, known)) } }
                        }
                    }
                    @for warning in &card.warnings { p.remark { (warning) } }
                }
                @for case in card.cases.iter().filter(|case| !case.requests.is_empty()) {
                    (requests(case))
                }
            }
            footer {
                p { "before " (card.upstream) @if let Some(end) = end { " · healthy: " (end) } }
            }
        },
    )
}

fn line(case: Option<&CaseCard>, judged: &Judged, known: &KnownFailures) -> Markup {
    let is_known = judged.is_known_to_fail(case, known);
    let (class, mark) = class_and_mark(judged.verdict, is_known);
    let words = match is_known {
        true => "known to fail".to_owned(),
        false => judged.verdict.to_string(),
    };
    let rule = find(judged.rule);
    markup! {
        tr {
            td { @if let Some(case) = case { (case.route) } @else { "all requests" } }
            td { @if let Some(case) = case { (case.fault.words()) } }
            th.rule scope="row" title=[rule.map(|rule| rule.text)] { (judged.rule) }
            td { (verdict(class, mark, words)) }
            td { (judged.found.as_deref().unwrap_or_default()) }
            td { (rule.map_or("", |rule| rule.source)) }
        }
    }
}

fn requests(case: &CaseCard) -> Markup {
    let row = |row: &WireRow| {
        let status = |status: Option<u16>| status.map_or("nothing".to_owned(), |it| it.to_string());
        markup! {
            tr {
                td { (row.after_ms) " ms" }
                td { (status(row.status)) }
                td { @if row.upstream.is_some() { (status(row.upstream)) } @else { "did not see it" } }
            }
        }
    };
    markup! {
        section.task {
            h2 { (case.route) ": " (case.fault.words()) }
            @if let Some(end) = &case.end { p.remark { "The command: " (end.words()) } }
            table.card {
                caption { "The requests of this route, since the one that met the fault" }
                thead { tr {
                    @for title in ["arrived", "the client got", "the API answered"] {
                        th scope="col" { (title) }
                    }
                } }
                tbody { @for request in &case.requests { (row(request)) } }
            }
        }
    }
}
