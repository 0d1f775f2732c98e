//! `lab scenario NAME --compare`: plays one with both clients, side by side.

use super::{Exit, play::Runner, scenario_arguments::Arguments};
use evidence::{Comparison, Pace, Run};
use runner::{ClientUnderTest, Naive, Reliable, Settings, scenario::Scenario};

/// Plays with one seed twice. Only the reliable client's expectations decide the
/// exit code; what the naive one breaks is the lesson.
pub(super) fn compare(arguments: &Arguments, scenario: &Scenario) -> Result<Exit, Exit> {
    let settings = arguments.settings(Pace::Real);
    let mut player = Runner::new(arguments.otlp.as_deref())?;
    let mut play = |client: &'static dyn ClientUnderTest| {
        player.play(scenario, &Settings { client, ..settings })
    };
    let reliable = play(&Reliable)?;
    if reliable.is_cancelled() {
        print_runs(arguments, scenario, &[&reliable])?;
        let words = &scenario.words;
        arguments.write_report(|| render::html(words, &reliable, None, &runner::metrics()))?;
        return Ok(Exit::Cancelled);
    }
    let naive = play(&Naive)?;
    let cancelled = naive.is_cancelled();
    let both = Comparison::of(reliable, naive, scenario.next_comparison());

    if cancelled {
        print_runs(arguments, scenario, &[&both.reliable, &both.naive])?;
    } else {
        arguments.print(&both, |options| {
            render::comparison(&scenario.words, &both, options)
        })?;
    }
    arguments
        .write_report(|| render::html_comparison(&scenario.words, &both, &runner::metrics()))?;
    if cancelled {
        return Ok(Exit::Cancelled);
    }
    player.send(&both.reliable);
    player.send(&both.naive);
    Ok(Exit::of(&both.reliable))
}

/// Shows the runs there are in place of a comparison, which needs two whole ones.
fn print_runs(arguments: &Arguments, scenario: &Scenario, runs: &[&Run]) -> Result<(), Exit> {
    arguments.print(&runs, |options| {
        let texts = runs
            .iter()
            .map(|run| render::text(&scenario.words, run, None, options));
        texts.collect::<Vec<_>>().join("\n")
    })
}
