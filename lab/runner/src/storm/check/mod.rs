//! The storm, validated against published figures and formulas.
//!
//! Each figure belongs to a model that is simulated here with the clients of the lab:
//! [`ReliableApiClient`](client::teaching::ReliableApiClient)s with the real middleware, on the
//! timeline of the storm. Only the service behind the transport is a model, so a matching
//! figure validates the real client.

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
use super::{STORIES, StormError, parallel};
use crate::run::GENERATOR;

/// The models, in the order in which they are shown.
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
    of_subjects + STORIES.iter().map(|_| stories::SEEDS).sum::<u32>()
}

/// Simulates every model on all processors, and compares. `on_run` is called after each
/// run and may end it early; the figures then cover the finished runs.
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
            let runs = parallel::each(experiment.runs(), on_run, |run| {
                experiment.simulate(draw::generator(seed, number, run))
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
    for story in STORIES {
        let Some(of_story) = stories::tell(story, stories::SEEDS, seed, on_run)? else {
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
    use std::{collections::BTreeSet, time::Duration};

    use super::{experiment::Call, *};

    /// Runs of clients that send no request, or one for each call.
    fn fake(requests: u64) -> Vec<Run> {
        let call = |second| Call {
            began: Duration::from_secs(second),
            ended: Some(Duration::from_secs(second)),
            has_succeeded: requests > 0,
        };
        let run = Run {
            calls: (0..80).map(call).collect(),
            requests: requests * 80,
            ..Run::default()
        };
        vec![run; 200]
    }

    #[test]
    fn every_figure_can_fail_and_has_many_runs() {
        for subject in SUBJECTS.map(|subject| subject()) {
            let mut seen = BTreeSet::new();
            for experiment in subject.experiments {
                assert!(experiment.runs() >= 100, "{}", subject.name);
                let [silent, lucky] = [0, 1].map(|it| experiment.compare(&fake(it)));
                assert!(!silent.is_empty(), "{}", subject.name);
                for (silent, lucky) in silent.into_iter().zip(lucky) {
                    assert!(!silent.held || !lucky.held, "{lucky:?}");
                    assert!(seen.insert((lucky.setting, lucky.quantity)), "{silent:?}");
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
        let figures = check(1, &|| ControlFlow::Break(())).expect("it breaks no rule");

        assert!(figures.cancelled);
        assert_eq!(figures.models.len(), 1);
        assert!(figures.models[0].figures.is_empty());
    }
}
