//! `lab scenario NAME`: runs a scenario and shows the evidence.

use scenario::{Pace, catalogue::Scenario};

use super::{
    Exit, OrExit, all, ask, compare, live,
    run_scenarios::Runner,
    scenario_arguments::{Arguments, Chosen},
};
use crate::invocation::lab;
pub(super) fn scenario(arguments: &Arguments) -> Result<Exit, Exit> {
    let chosen = arguments.chosen().or_exit(Exit::Usage)?;
    arguments.check_report()?;
    match chosen {
        Chosen::All(scenarios) => all::all(arguments, scenarios),
        Chosen::One(scenario) if arguments.live => live::live(arguments, scenario),
        Chosen::One(scenario) if arguments.compare => compare::compare(arguments, scenario),
        Chosen::One(scenario) => one(arguments, scenario),
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
        scenario::text(words, &run, prediction, options)
    })?;
    arguments
        .write_report(|| scenario::html(words, &run, prediction, &scenario::metrics(), lab()))?;
    runner.send(&run);
    Ok(Exit::of(&run))
}
