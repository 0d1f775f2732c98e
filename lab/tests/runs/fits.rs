//! Runs on a low and narrow terminal.

use render::Options;
use scenario::chart::Chart;

use crate::runs::pairwise_runs::{PAIRWISE_RUNS, PairwiseRun};

/// A terminal of half a laptop's screen.
const LOW_AND_NARROW: Options = Options {
    width: 60,
    height: Some(24),
    color: false,
    ascii: true,
    rows: Options::ROWS,
    exchanges: false,
    lab: "lab",
};

fn rendered(tried: &PairwiseRun, options: &Options) -> String {
    scenario::text(&tried.scenario.words, &tried.run, None, options)
}

#[test]
fn only_commands_are_wider_than_a_narrow_terminal() {
    for tried in PAIRWISE_RUNS.iter() {
        let text = rendered(tried, &LOW_AND_NARROW);

        let wide: Vec<_> = text
            .lines()
            .filter(|line| line.chars().count() > 60 && !line.contains("lab scenario"))
            .collect();
        assert!(wide.is_empty(), "{wide:#?} in\n{text}");
    }
}

/// The last lines are those that stay on the screen, above the prompt.
#[test]
fn the_picture_and_the_verdict_stay_on_a_low_screen() {
    let width = Options::WIDTH;
    let options = Options {
        width,
        ..LOW_AND_NARROW
    };
    for tried in PAIRWISE_RUNS.iter().filter(|tried| tried.run.passed()) {
        let text = rendered(tried, &options);

        let lines: Vec<_> = text.lines().collect();
        let screen = &lines[lines.len().saturating_sub(23)..];
        let first = &Chart::of(&tried.run.trace).rows[0];
        let is_seen = |start: &str| {
            let mut lines = screen.iter();
            lines.any(|line| line.trim_start().starts_with(start))
        };
        let row = format!("{}  ", first.at);
        assert!(is_seen(&row) && is_seen("ok   "), "{}", screen.join("\n"));
        assert!(is_seen("outcome"), "{}", screen.join("\n"));
    }
}
