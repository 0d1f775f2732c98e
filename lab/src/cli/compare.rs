//! `lab scenario NAME --compare`: plays one with both clients, side by side.

use runner::{NAIVE, RELIABLE};
use std::iter;

use super::{Exit, play::Runner, report, scenario::Arguments, terminal};
use evidence::{Comparison, Pace, Run};
use runner::{Settings, scenario::Scenario};

/// Plays with one seed twice. The reliable client is held to the expectations;
/// what the naive one breaks is what there is to see.
pub(super) fn compare(arguments: &Arguments, scenario: &Scenario) -> Result<Exit, Exit> {
    let settings = arguments.settings(Pace::Real);
    let mut player = Runner::new(arguments.otlp.as_deref())?;
    let mut play = |client| player.play(scenario, &Settings { client, ..settings });
    let reliable = play(RELIABLE)?;
    if reliable.is_cancelled() {
        return cut_short(arguments, scenario, reliable, None);
    }
    let naive = play(NAIVE)?;
    if naive.is_cancelled() {
        return cut_short(arguments, scenario, reliable, Some(naive));
    }
    let comparison = Comparison::of(reliable, naive, scenario.next_comparison());

    let text = if arguments.json {
        render::json(&comparison)
    } else {
        let options = terminal::options(arguments.ascii);
        render::comparison(&scenario.words, &comparison, &options)
    };
    terminal::print(&text)?;
    if let Some(file) = &arguments.report {
        report::write(
            file,
            &render::html_comparison(&scenario.words, &comparison, &runner::metrics()),
        )?;
    }
    player.send(&comparison.reliable);
    player.send(&comparison.naive);
    Ok(Exit::of(&comparison.reliable))
}

/// Shows what there is where Ctrl+C came in between: half a run cannot be compared.
fn cut_short(
    arguments: &Arguments,
    scenario: &Scenario,
    reliable: Run,
    naive: Option<Run>,
) -> Result<Exit, Exit> {
    let runs: Vec<_> = iter::once(&reliable).chain(&naive).collect();
    let text = if arguments.json {
        render::json(&runs)
    } else {
        let options = terminal::options(arguments.ascii);
        let texts = runs
            .iter()
            .map(|run| render::text(&scenario.words, run, None, &options));
        texts.collect::<Vec<_>>().join("\n")
    };
    terminal::print(&text)?;
    if let Some(file) = &arguments.report {
        let page = match naive {
            None => render::html(&scenario.words, &reliable, None, &runner::metrics()),
            Some(naive) => {
                let both = Comparison::of(reliable, naive, scenario.next_comparison());
                render::html_comparison(&scenario.words, &both, &runner::metrics())
            }
        };
        report::write(file, &page)?;
    }
    Ok(Exit::Cancelled)
}
