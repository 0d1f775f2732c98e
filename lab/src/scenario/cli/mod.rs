//! `lab scenario NAME`: runs a scenario and shows the evidence.

mod all;
mod arguments;
mod ask;
mod compare;
mod live;
mod runner;

use scenario::{Pace, Story, catalogue::Scenario};

use arguments::Chosen;
use runner::Runner;

use crate::{
    cli::{exit::Exit, list, terminal::OrExit},
    invocation::lab,
};

pub(crate) use arguments::{ALL, Arguments};

pub(crate) fn scenario(arguments: &Arguments) -> Result<Exit, Exit> {
    let chosen = arguments.chosen().or_exit(Exit::Usage)?;
    arguments.check_report()?;
    match chosen {
        Chosen::None => list::scenarios(),
        Chosen::All => all::all(arguments),
        Chosen::One(scenario) if arguments.live => live::live(arguments, scenario),
        Chosen::One(scenario) if arguments.compare => compare::compare(arguments, scenario),
        Chosen::One(scenario) => one(arguments, scenario),
    }
}

fn one(arguments: &Arguments, scenario: &Scenario) -> Result<Exit, Exit> {
    let mut runner = Runner::new(arguments.otlp.as_deref())?;
    let settings = arguments.settings(Pace::Real);
    let prediction = if arguments.ask {
        ask::ask(scenario, &settings, None)?
    } else {
        None
    };
    let run = runner.run(scenario, &settings)?;

    let (words, prediction) = (&scenario.words, prediction.as_ref());
    // If the report cannot be written, no verdict is printed.
    arguments.write_report(|| {
        let story = Story::of_run(words, &run, lab());
        story.with_prediction(prediction).page()
    })?;
    arguments.print(&run, |options| {
        scenario::text(words, &run, prediction, options)
    })?;
    runner.send(&run);
    Ok(Exit::of(&run))
}
