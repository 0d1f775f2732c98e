//! The course on the page before its script runs.

use maud::{Markup, html};
use scenario::catalogue::CATALOGUE;

use crate::invocation::lab;

/// The course as a list of links, each with the command that runs it in a terminal.
pub(crate) fn listed() -> Markup {
    html! {
        @for (number, scenario) in (1..).zip(CATALOGUE) {
            @let words = &scenario.words;
            li data-name=(words.name) {
                a.choose href={ "/#" (words.name) } {
                    span.number { (number) } " "
                    span.name { (words.name) } " "
                    span.title { (words.title) }
                }
                button.run-one type="button" tabindex="-1" aria-label={ "Run " (words.name) } { "▶" }
                code.without-script { (lab()) " scenario " (words.name) }
            }
        }
    }
}
