//! What there is to play, and what the numbers are called.

use serde::Serialize;

use evidence::Metric;
use runner::{scenario::CATALOGUE, scenario::Scenario};

/// A scenario as the page shows it before a run. What there is to learn from it
/// comes with the run.
#[derive(Serialize)]
pub(super) struct Lesson {
    name: &'static str,
    title: &'static str,
    question: &'static str,
    hint: &'static str,
    listing: bool,
}

/// Every scenario, in the order of the course.
pub(super) fn scenarios() -> Vec<Lesson> {
    let lesson = |scenario: &Scenario| Lesson {
        name: scenario.words.name,
        title: scenario.words.title,
        question: scenario.words.question,
        hint: scenario.words.hint,
        listing: scenario.listing,
    };
    CATALOGUE.iter().map(lesson).collect()
}

/// The names of both sides' metrics.
#[derive(Serialize)]
pub(super) struct Vocabulary {
    metrics: Vec<Metric>,
    /// The counters that are shown before there is a run.
    headlines: &'static [&'static str],
}

/// Every metric of the clients and of the service.
pub(super) fn vocabulary() -> Vocabulary {
    Vocabulary {
        metrics: runner::metrics(),
        headlines: runner::RELIABLE.headlines,
    }
}
