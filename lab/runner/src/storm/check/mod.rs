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
mod unreliable;
mod workers;

use std::ops::ControlFlow;

use client::ConfigError;
use evidence::storm::check::{FIGURES_VERSION, Figure, Figures, Model};

use self::experiment::{Run, Subject};
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
    subjects.map(|experiment| experiment.runs()).sum()
}

/// Simulates every model on all processors, and compares. `on_run` hears of each run
/// that has ended, and may end all of it; then the figures are those there are.
///
/// A seed gives the same figures on every machine, however many processors it has.
///
/// # Errors
///
/// If an experiment breaks a rule of the client.
pub fn check(
    seed: u64,
    on_run: &(dyn Fn() -> ControlFlow<()> + Sync),
) -> Result<Figures, ConfigError> {
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
            let Some(runs) = runs else {
                figures.cancelled = true;
                break;
            };
            let runs: Vec<_> = runs.into_iter().collect::<Result<_, _>>()?;
            figures.requests += runs.iter().map(|run| run.requests).sum::<u64>();
            miscounted += runs.iter().map(miscount).sum::<u64>();
            model.figures.extend(experiment.compare(&runs));
        }
        figures.models.push(model);
        if figures.cancelled {
            return Ok(figures);
        }
    }
    figures.models.push(counters(miscounted));
    Ok(figures)
}

/// How many attempts the clients have counted too many or too few.
fn miscount(run: &Run) -> u64 {
    run.attempts.abs_diff(run.ended)
}

/// The clients' own counters beside what came to the services.
fn counters(miscounted: u64) -> Model {
    let setting = "all runs above".to_owned();
    let quantity = "attempts counted too many or too few";
    Model {
        name: "The counters of the clients",
        about: "In each run the clients have counted as many attempts as came to the service \
                and ended.",
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
