//! `lab scenario all`: plays the whole course and sums it up.

use super::{Exit, play::Runner, scenario_arguments::Arguments, terminal};
use evidence::{Pace, Run};
use runner::scenario;

/// Plays every scenario whose name contains the filter, in virtual time unless
/// the arguments say otherwise. One that is cancelled is the last.
pub(super) fn all(arguments: &Arguments) -> Result<Exit, Exit> {
    let filter = arguments.filter.as_deref().unwrap_or_default();
    let chosen = scenario::matching(filter).map_err(|error| terminal::fail(&error, Exit::Usage))?;

    let settings = arguments.settings(Pace::Virtual);
    let mut runner = Runner::new(arguments.otlp.as_deref())?;
    let progress = terminal::progress(chosen.len() as u64);
    let mut runs = Vec::new();
    for scenario in chosen {
        progress.set_message(scenario.words.name);
        let run = runner.play(scenario, &settings)?;
        progress.inc(1);
        let is_last = run.is_cancelled();
        runs.push(run);
        if is_last {
            break;
        }
    }
    progress.finish_and_clear();

    arguments.print(&runs, |options| render::table(&runs, options))?;
    for run in &runs {
        runner.send(run);
    }
    Ok(if runs.iter().any(Run::is_cancelled) {
        Exit::Cancelled
    } else if runs.iter().all(Run::passed) {
        Exit::Passed
    } else {
        Exit::Failed
    })
}
