//! `lab scenario all`: runs the whole course and sums it up.

use scenario::{Pace, ScenarioRun, Score, catalogue::CATALOGUE};

use super::{arguments::Arguments, ask, runner::Runner};
use crate::cli::{exit::Exit, terminal};

/// Runs every scenario, in virtual time unless the arguments say otherwise. It stops after a
/// run that is cancelled.
pub(super) fn all(arguments: &Arguments) -> Result<Exit, Exit> {
    let settings = arguments.settings(Pace::Virtual);
    let mut runner = Runner::new(arguments.otlp.as_deref())?;
    let progress = if arguments.ask {
        terminal::no_progress()
    } else {
        terminal::progress(CATALOGUE.len() as u64)
    };
    let mut runs = Vec::new();
    let mut score = Score::default();
    for scenario in CATALOGUE {
        progress.set_message(scenario.words.name);
        let prediction = if arguments.ask {
            ask::ask(scenario, &settings, None)?
        } else {
            None
        };
        let run = runner.run(scenario, &settings)?;
        progress.inc(1);
        if let Some(prediction) = prediction {
            let verdict = prediction.verdict(&[&run]);
            let why = run.lesson.paragraph();
            terminal::paragraph(&format!("{}: {verdict}. {why}\n", run.scenario));
            score.count(prediction.came_true(&run));
        }
        let is_last = run.is_cancelled();
        runs.push(run);
        if is_last {
            break;
        }
    }
    progress.finish_and_clear();

    arguments.print(&runs, |options| {
        let table = scenario::table(&runs, options);
        match score.of {
            0 => table,
            1 => format!("{table}{} of 1 prediction came true\n", score.right),
            of => format!("{table}{} of {of} predictions came true\n", score.right),
        }
    })?;
    for run in &runs {
        runner.send(run);
    }
    Ok(if runs.iter().any(ScenarioRun::is_cancelled) {
        Exit::Cancelled
    } else if runs.iter().all(ScenarioRun::passed) {
        Exit::Passed
    } else {
        Exit::Failed
    })
}
