//! What there is to play, who can play it, and what the numbers are called.

use serde::Serialize;

use super::run_request::Players;
use evidence::{Asked, Defence, Metric, Question};
use runner::{WITHOUT, scenario::CATALOGUE, scenario::Scenario};

/// A scenario as the page shows it before a run. What there is to learn from it
/// comes with the run.
#[derive(Serialize)]
pub(super) struct Lesson {
    name: &'static str,
    title: &'static str,
    question: &'static str,
    /// The answers to choose from, by their letters; none where a number is asked for.
    choices: Vec<Choice>,
    /// What is counted, where a number is asked for.
    number_of: Option<&'static str>,
    hint: &'static str,
    listing: bool,
}

/// An answer to choose.
#[derive(Serialize)]
struct Choice {
    letter: char,
    text: &'static str,
}

fn choices(question: &Question) -> Vec<Choice> {
    let choices = question.lettered();
    choices
        .map(|(letter, choice)| Choice {
            letter,
            text: choice.text,
        })
        .collect()
}

/// Every scenario, in the order of the course.
pub(super) fn scenarios() -> Vec<Lesson> {
    let lesson = |scenario: &Scenario| Lesson {
        name: scenario.words.name,
        title: scenario.words.title,
        question: scenario.words.question.text,
        choices: choices(&scenario.words.question),
        number_of: match scenario.words.question.asked {
            Asked::Number(number) => Some(number.of),
            Asked::Choices(_) => None,
        },
        hint: scenario.words.hint,
        listing: scenario.listing,
    };
    CATALOGUE.iter().map(lesson).collect()
}

/// The names of the clients, and of both sides' metrics.
#[derive(Serialize)]
pub(super) struct Vocabulary {
    /// What a run can be asked for with, the default first.
    clients: Vec<Players>,
    /// The defences that can be taken away.
    defences: Vec<&'static Defence>,
    metrics: Vec<Metric>,
    /// The counters that are shown before there is a run.
    headlines: &'static [&'static str],
}

/// Every client, and every metric of the clients and of the service.
pub(super) fn vocabulary() -> Vocabulary {
    Vocabulary {
        clients: Players::all().collect(),
        defences: WITHOUT.iter().map(|without| without.defence).collect(),
        metrics: runner::metrics(),
        headlines: runner::RELIABLE.headlines,
    }
}
