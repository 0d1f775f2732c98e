//! The storm, validated against published figures and formulas.
//!
//! Each figure belongs to a model that is simulated here with the clients of the lab:
//! [`ReliableApiClient`](client::teaching::ReliableApiClient)s with the real middleware, on the
//! timeline of the storm. Only the service behind the transport is a model, so a matching
//! figure validates the real client.

mod collapse;
mod contention;
mod draw;
mod experiment;
mod stage;
mod unreliable;

use std::sync::atomic::{AtomicBool, Ordering};

use evidence::storm::{
    Storm, Totals,
    check::{FIGURES_VERSION, Figure, Figures, Model},
};

use self::experiment::{Run, Subject};
use super::{Plan, STORIES, StormError, parallel, seeds::each_seed};
use crate::run::GENERATOR;

/// The models, in the order in which they are shown.
const SUBJECTS: [fn() -> Subject; 4] = [
    unreliable::formula,
    unreliable::budgets,
    collapse::subject,
    contention::subject,
];

/// The seeds of each story.
const SEEDS: u32 = 200;

/// How many runs there are in all.
#[must_use]
pub fn runs() -> u32 {
    let subjects = SUBJECTS.iter().flat_map(|subject| subject().1);
    let of_subjects: u32 = subjects.map(|experiment| experiment.runs()).sum();
    of_subjects + STORIES.iter().map(|_| SEEDS).sum::<u32>()
}

/// Simulates every model on all processors, and compares. `on_run` is called after each
/// run. All end as soon as `is_over` is set; the figures then cover the finished runs.
///
/// A seed gives the same figures on every machine, however many processors it has.
///
/// # Errors
///
/// If an experiment or a story breaks a rule of the client.
pub fn check(
    seed: u64,
    is_over: &AtomicBool,
    on_run: &(dyn Fn() + Sync),
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
        let (mut model, experiments) = subject();
        for experiment in &experiments {
            let runs = parallel::each(experiment.runs(), is_over, on_run, |run| {
                experiment.simulate(draw::generator(seed, number, run))
            });
            number += 1;
            if is_over.load(Ordering::Relaxed) {
                figures.cancelled = true;
                break;
            }
            let runs = runs.into_iter().collect::<Result<Vec<_>, _>>();
            let runs = runs.map_err(|error| StormError::Policy {
                policy: model.name.to_owned(),
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
    for story in STORIES {
        let plan = Plan::of(story).with_seed(seed);
        let storms = each_seed(&plan, SEEDS, is_over, on_run, counts)?;
        if is_over.load(Ordering::Relaxed) {
            figures.cancelled = true;
            break;
        }
        let shown = storms.iter().filter(|(shows, ..)| *shows).count();
        figures.requests += storms.iter().map(|(_, requests, _)| requests).sum::<u64>();
        miscounted += storms
            .iter()
            .map(|(.., miscounted)| miscounted)
            .sum::<u64>();
        told.figures.push(Figure::of_numbers(
            format!("{}, {SEEDS} seeds", story.words.name),
            "seeds that show what the answer says",
            shown as f64,
            SEEDS.into(),
            0.0,
        ));
    }
    figures.models.push(told);
    if !figures.cancelled {
        figures.models.push(counters(miscounted));
    }
    Ok(figures)
}

/// Whether a storm shows the story's answer, the requests that the clients sent, and the
/// attempts and retries that they have counted too many or too few.
fn counts(storm: Storm) -> (bool, u64, u64) {
    let totals = || storm.policies.iter().map(|run| run.totals);
    let miscounted = |it: Totals| {
        let retries = it.retries + it.retries_not_sent;
        it.counted_attempts.abs_diff(it.settled) + it.counted_retries.abs_diff(retries)
    };
    (
        storm.shows_the_answer == Some(true),
        totals().map(|it| it.requests).sum(),
        totals().map(miscounted).sum(),
    )
}

/// The stories, simulated with many seeds.
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

/// Compares the clients' counters with the requests that reached the services.
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_figure_has_a_name_of_its_own_and_many_runs() {
        for (model, experiments) in SUBJECTS.map(|subject| subject()) {
            let mut seen = BTreeSet::new();
            for experiment in experiments {
                assert!(experiment.runs() >= 100, "{}", model.name);
                for figure in experiment.compare(&[Run::default()]) {
                    assert!(seen.insert((figure.setting, figure.quantity)));
                }
            }
        }
    }

    #[test]
    fn an_attempt_too_many_counts_as_much_as_one_too_few() {
        let run = |attempts, ended| Run {
            attempts,
            ended,
            ..Run::default()
        };
        let wrong = [run(3, 1), run(1, 3), run(3, 3)].map(|run| miscount(&run));

        assert_eq!(wrong, [2, 2, 0]);
        assert!(counters(0).figures[0].held && !counters(1).figures[0].held);
    }

    #[test]
    fn an_early_end_keeps_the_figures_so_far() {
        let figures = check(1, &AtomicBool::new(true), &|| {}).expect("it breaks no rule");

        assert!(figures.cancelled);
        assert_eq!(figures.models.len(), 1);
        assert!(figures.models[0].figures.is_empty());
    }
}
