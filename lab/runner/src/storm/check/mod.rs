//! The storm held to figures that others published or that follow from a formula.
//!
//! Each figure is that of a model which is simulated here with the clients of the lab:
//! [`ReliableApiClient`](client::ReliableApiClient)s with the real middleware, on the
//! timeline of the storm. Only what stands behind the transport is modelled, so that a
//! figure that holds says something of the client that ships.

mod budget;
mod collapse;
mod contention;
mod draw;
mod experiment;
mod formula;
mod stage;
mod stories;
mod unreliable;

use std::ops::ControlFlow;

use evidence::storm::check::{FIGURES_VERSION, Figure, Figures, Model};

use self::experiment::{Run, Subject};
use super::{StormError, workers};
use crate::run::GENERATOR;

/// What is modelled, in the order in which it is shown.
const SUBJECTS: [fn() -> Subject; 4] = [
    formula::subject,
    budget::subject,
    collapse::subject,
    contention::subject,
];

/// How many runs there are in all.
#[must_use]
pub fn runs() -> u32 {
    let subjects = SUBJECTS.iter().flat_map(|subject| subject().experiments);
    let of_subjects: u32 = subjects.map(|experiment| experiment.runs()).sum();
    of_subjects + stories::all().map(|(_, seeds)| seeds).sum::<u32>()
}

/// Simulates every model on all processors, and compares. `on_run` hears of each run
/// that has ended, and may end all of it; then the figures are those there are.
///
/// A seed gives the same figures on every machine, however many processors it has.
///
/// # Errors
///
/// If an experiment or a story breaks a rule of the client.
pub fn check(
    seed: u64,
    on_run: &(dyn Fn() -> ControlFlow<()> + Sync),
) -> Result<Figures, StormError> {
    let mut figures = Figures {
        schema_version: FIGURES_VERSION,
        seed,
        generator: GENERATOR,
        requests: 0,
        cancelled: false,
        models: Vec::new(),
    };
    let (mut number, mut miscounted) = (0, 0);
    for subject in SUBJECTS {
        let subject = subject();
        let mut model = Model {
            name: subject.name,
            about: subject.about,
            source: subject.source,
            figures: Vec::new(),
        };
        for experiment in &subject.experiments {
            let runs = workers::each(experiment.runs(), on_run, |run| {
                experiment.play(draw::generator(seed, number, run))
            });
            number += 1;
            if runs.len() < experiment.runs() as usize {
                figures.cancelled = true;
                break;
            }
            let runs = runs.into_iter().collect::<Result<Vec<_>, _>>();
            let runs = runs.map_err(|error| StormError::Policy {
                policy: subject.name.to_owned(),
                error,
            })?;
            figures.requests += runs.iter().map(|run| run.requests).sum::<u64>();
            miscounted += runs.iter().map(miscount).sum::<u64>();
            model.figures.extend(experiment.compare(&runs));
        }
        figures.models.push(model);
        if figures.cancelled {
            return Ok(figures);
        }
    }
    let mut told = model_of_stories();
    for (story, seeds) in stories::all() {
        let Some(of_story) = stories::tell(story, seeds, seed, on_run)? else {
            figures.cancelled = true;
            break;
        };
        figures.requests += of_story.requests;
        miscounted += of_story.miscounted;
        told.figures.push(of_story.figure);
    }
    figures.models.push(told);
    if !figures.cancelled {
        figures.models.push(counters(miscounted));
    }
    Ok(figures)
}

/// What every seed of a story has to show.
fn model_of_stories() -> Model {
    Model {
        name: "The stories as they come",
        about: "Such a system has two states, and a seed decides between them where it can. The \
                stories are set up so that none can: each of these seeds shows what the answer \
                says.",
        source: "what `lab storm` prints below each story",
        figures: Vec::new(),
    }
}

/// How many attempts the clients have counted too many or too few.
fn miscount(run: &Run) -> u64 {
    run.attempts.abs_diff(run.ended)
}

/// The clients' own counters beside what came to the services.
fn counters(miscounted: u64) -> Model {
    let setting = "all runs above".to_owned();
    let quantity = "counted too many or too few";
    Model {
        name: "The counters of the clients",
        about: "In each run the clients have counted as many attempts as came to the service \
                and ended, and in each story as many retries as came or were waited for.",
        source: "the model's own count",
        figures: vec![Figure::of_numbers(
            setting,
            quantity,
            miscounted as f64,
            0.0,
            0.0,
        )],
    }
}
