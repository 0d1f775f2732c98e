//! `lab scenario all`: plays the whole course and sums it up.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::{Exit, runner::Runner, scenario::Arguments, terminal};
use crate::{
    render,
    run::{Pace, Run},
    scenario::CATALOGUE,
};

/// Plays every scenario whose name contains the filter, in virtual time unless
/// the arguments say otherwise.
pub(super) fn all(arguments: &Arguments) -> Result<Exit, Exit> {
    let filter = arguments.filter.as_deref().unwrap_or_default();
    let chosen: Vec<_> = CATALOGUE
        .iter()
        .filter(|scenario| scenario.name.contains(filter))
        .collect();
    if chosen.is_empty() {
        let error = format!("no scenario's name contains '{filter}'; `lab list` shows them all");
        return Err(terminal::fail(&*Box::from(error), Exit::Usage));
    }

    let settings = arguments.settings(Pace::Virtual);
    let mut runner = Runner::new(arguments.otlp.as_deref())?;
    let progress = progress(chosen.len());
    let mut runs = Vec::new();
    for scenario in chosen {
        progress.set_message(scenario.name);
        runs.push(runner.play(scenario, &settings)?);
        progress.inc(1);
    }
    progress.finish_and_clear();

    let text = if arguments.json {
        render::json(&runs)
    } else {
        render::table(&runs, &terminal::options(arguments.ascii))
    };
    terminal::print(&text)?;
    for run in &runs {
        runner.send(run);
    }
    Ok(if runs.iter().all(Run::passed) {
        Exit::Passed
    } else {
        Exit::Failed
    })
}

/// A bar on stderr; nothing where that is no terminal.
fn progress(length: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{pos:>3}/{len} {bar:30} {msg}");
    let bar = ProgressBar::with_draw_target(Some(length as u64), ProgressDrawTarget::stderr());
    match style {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
