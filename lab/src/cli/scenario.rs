//! `lab scenario NAME`: runs a scenario and shows the evidence.

use evidence::Pace;
use runner::scenario::Scenario;

use super::{
    Exit, all, ask, compare, live,
    run_scenarios::Runner,
    scenario_arguments::{Arguments, Chosen},
    terminal,
};
use crate::invocation::lab;

pub(super) fn scenario(arguments: &Arguments) -> Result<Exit, Exit> {
    let chosen = arguments.chosen();
    if chosen.is_ok() {
        arguments.check_report()?;
    }
    match chosen {
        Ok(Chosen::All(scenarios)) => all::all(arguments, scenarios),
        Ok(Chosen::One(scenario)) if arguments.live => live::live(arguments, scenario),
        Ok(Chosen::One(scenario)) if arguments.compare => compare::compare(arguments, scenario),
        Ok(Chosen::One(scenario)) => one(arguments, scenario),
        Err(error) => Err(terminal::fail(&*error, Exit::Usage)),
    }
}

fn one(arguments: &Arguments, scenario: &Scenario) -> Result<Exit, Exit> {
    let mut runner = Runner::new(arguments.otlp.as_deref())?;
    let settings = arguments.settings(Pace::Real);
    let prediction = match arguments.ask {
        true => ask::ask(scenario, &settings, None)?,
        false => None,
    };
    let run = runner.run(scenario, &settings)?;

    let (words, prediction) = (&scenario.words, prediction.as_ref());
    arguments.print(&run, |options| {
        render::text(words, &run, prediction, options)
    })?;
    arguments.write_report(|| render::html(words, &run, prediction, &runner::metrics(), lab()))?;
    runner.send(&run);
    Ok(Exit::of(&run))
}
