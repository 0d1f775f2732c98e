//! The scenarios as the page lists them, and the options of a run.

use maud::{Markup, html};
use scenario::{
    Asked, WITHOUT,
    catalogue::{CATALOGUE, Scenario},
};
use serde::Serialize;

use super::request::ClientChoice;
use crate::invocation::lab;

/// A scenario as the page shows it before a run. The lesson comes with the run.
#[derive(Serialize)]
pub(super) struct ListedScenario {
    name: &'static str,
    title: &'static str,
    question: &'static str,
    /// The answers to choose from, in the order a, b, c; none if the answer is a number.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    choices: Vec<&'static str>,
    /// The unit of the answer, if it is a number.
    #[serde(skip_serializing_if = "Option::is_none")]
    number_of: Option<&'static str>,
    /// The names of the settings about listings that have an effect on it.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    settings: &'static [&'static str],
}

/// Every scenario, in the order of the course.
pub(super) fn scenarios() -> Vec<ListedScenario> {
    let listed = |scenario: &Scenario| ListedScenario {
        name: scenario.words.name,
        title: scenario.words.title,
        question: scenario.words.question.text,
        choices: {
            let choices = scenario.words.question.lettered();
            choices.map(|(_, choice)| choice.text).collect()
        },
        number_of: match scenario.words.question.asked {
            Asked::Number { of, .. } => Some(of),
            Asked::Choices(_) => None,
        },
        settings: scenario.task.settings_of_listings(),
    };
    CATALOGUE.iter().map(listed).collect()
}

/// The names that a run can be started with.
#[derive(Serialize)]
pub(super) struct Vocabulary {
    /// The options of a run, with the default first.
    clients: Vec<ClientChoice>,
    /// The defences that can be removed.
    defences: Vec<&'static str>,
}

/// Every client, and every defence.
pub(super) fn vocabulary() -> Vocabulary {
    Vocabulary {
        clients: ClientChoice::all().collect(),
        defences: WITHOUT.iter().map(|without| without.defence.id).collect(),
    }
}

/// The course before a script runs, as a list of links, each with the command that runs it in a terminal.
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
