//! `lab scenario NAME --compare`: plays one with both clients, side by side.

use super::{Exit, runner::Runner, scenario::Arguments, terminal};
use crate::{
    compare::Comparison,
    player::Client,
    render,
    run::{Pace, Settings},
    scenario::Scenario,
};

/// Plays with one seed twice. The reliable client is held to the expectations;
/// what the naive one breaks is what there is to see.
pub(super) fn compare(arguments: &Arguments, scenario: &Scenario) -> Result<Exit, Exit> {
    let settings = arguments.settings(Pace::Real);
    let mut runner = Runner::new(arguments.otlp.as_deref())?;
    let play = |client| runner.play(scenario, &Settings { client, ..settings });
    let comparison = Comparison::of(play(Client::Reliable)?, play(Client::Naive)?);

    let text = if arguments.json {
        render::json(&comparison)
    } else {
        let options = terminal::options(arguments.ascii);
        render::comparison(scenario, &comparison, &options)
    };
    terminal::print(&text)?;
    runner.send(&comparison.reliable);
    runner.send(&comparison.naive);
    Ok(if comparison.reliable.passed() {
        Exit::Passed
    } else {
        Exit::Failed
    })
}
