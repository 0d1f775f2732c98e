//! `lab scenario NAME --compare`: runs a scenario with two clients, side by side.

use scenario::{
    Answer, ClientUnderTest, Comparison, Pace, ScenarioRun, Settings, Story, catalogue::Scenario,
};

use super::{arguments::Arguments, ask, runner::Runner};
use crate::{cli::exit::Exit, invocation::lab};

/// Runs the scenario twice with one seed. Only the first client's expectations decide the
/// exit code: the second client is meant to fail some.
pub(super) fn compare(arguments: &Arguments, scenario: &Scenario) -> Result<Exit, Exit> {
    let settings = arguments.settings(Pace::Real);
    let clients = arguments.compared();
    let mut runner = Runner::new(arguments.otlp.as_deref())?;
    let of_the_first = Settings {
        client: clients[0],
        ..settings
    };
    let prediction = if arguments.ask {
        ask::ask(scenario, &of_the_first, Some(clients[0].identity()))?
    } else {
        None
    };
    let prediction = prediction.as_ref();
    let mut run = |client: &'static dyn ClientUnderTest| {
        runner.run(scenario, &Settings { client, ..settings })
    };
    let first = run(clients[0])?;
    if first.is_cancelled() {
        arguments.write_report(|| {
            let story = Story::of_run(&scenario.words, &first, lab());
            story.with_prediction(prediction).page()
        })?;
        print_runs(arguments, scenario, prediction, &[&first])?;
        return Ok(Exit::Cancelled);
    }
    let second = run(clients[1])?;
    let cancelled = second.is_cancelled();
    let next = scenario.next_comparison(second.client);
    let both = Comparison::of([first, second], next);

    arguments.write_report(|| {
        let story = Story::of_comparison(&scenario.words, &both, lab());
        story.with_prediction(prediction).page()
    })?;
    if cancelled {
        print_runs(arguments, scenario, prediction, &both.runs.each_ref())?;
        return Ok(Exit::Cancelled);
    }
    arguments.print(&both, |options| {
        scenario::comparison(&scenario.words, &both, prediction, options)
    })?;
    both.runs.iter().for_each(|run| runner.send(run));
    Ok(Exit::of(&both.runs[0]))
}

/// Prints the runs so far instead of a comparison, which needs two complete runs.
fn print_runs(
    arguments: &Arguments,
    scenario: &Scenario,
    prediction: Option<&Answer>,
    runs: &[&ScenarioRun],
) -> Result<(), Exit> {
    arguments.print(&runs, |options| {
        let texts = runs
            .iter()
            .map(|run| scenario::text(&scenario.words, run, prediction, options));
        texts.collect::<Vec<_>>().join("\n")
    })
}
