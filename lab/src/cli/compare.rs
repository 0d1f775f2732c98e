//! `lab scenario NAME --compare`: plays one with both clients, side by side.

use super::{Exit, runner::Runner, scenario::Arguments, terminal};
use crate::{
    compare::Comparison,
    player::Client,
    render,
    run::{Pace, Run, Settings},
    scenario::Scenario,
};

/// Plays with one seed twice. The reliable client is held to the expectations;
/// what the naive one breaks is what there is to see.
pub(super) fn compare(arguments: &Arguments, scenario: &Scenario) -> Result<Exit, Exit> {
    let settings = arguments.settings(Pace::Real);
    let mut runner = Runner::new(arguments.otlp.as_deref())?;
    let mut play = |client| runner.play(scenario, &Settings { client, ..settings });
    let reliable = play(Client::Reliable)?;
    if reliable.is_cancelled() {
        return cut_short(arguments, scenario, &[reliable]);
    }
    let naive = play(Client::Naive)?;
    if naive.is_cancelled() {
        return cut_short(arguments, scenario, &[reliable, naive]);
    }
    let comparison = Comparison::of(reliable, naive);

    let text = if arguments.json {
        render::json(&comparison)
    } else {
        let options = terminal::options(arguments.ascii);
        render::comparison(scenario, &comparison, &options)
    };
    terminal::print(&text)?;
    runner.send(&comparison.reliable);
    runner.send(&comparison.naive);
    Ok(Exit::of(&comparison.reliable))
}

/// Shows what there is where Ctrl+C came in between: half a run cannot be compared.
fn cut_short(arguments: &Arguments, scenario: &Scenario, runs: &[Run]) -> Result<Exit, Exit> {
    let text = if arguments.json {
        render::json(&runs)
    } else {
        let options = terminal::options(arguments.ascii);
        let texts = runs
            .iter()
            .map(|run| render::text(scenario, run, None, &options));
        texts.collect::<Vec<_>>().join("\n")
    };
    terminal::print(&text)?;
    Ok(Exit::Cancelled)
}
