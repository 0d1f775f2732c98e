//! Runs and comparisons on a terminal of any width.

use render::Options;
use scenario::catalogue::CATALOGUE;

use crate::runs::{comparison::compare, pairwise_runs::PAIRWISE_RUNS};

/// A text in 80 columns, and in half a laptop's screen.
fn assert_fits(text: impl Fn(&Options) -> String) {
    for (width, ascii) in [(Options::WIDTH, false), (60, true)] {
        let options = Options {
            width,
            ascii,
            lab: "lab",
            ..Options::default()
        };

        let text = text(&options);

        let wide: Vec<_> = text
            .lines()
            .filter(|line| line.chars().count() > width && !line.contains("lab scenario"))
            .collect();
        assert!(wide.is_empty(), "{wide:#?} in\n{text}");
    }
}

#[test]
fn only_commands_are_wider_than_the_terminal() {
    for tried in PAIRWISE_RUNS.iter() {
        let words = &tried.scenario.words;
        assert_fits(|options| scenario::text(words, &tried.run, None, options));
    }
    for scenario in CATALOGUE {
        let comparison = compare(scenario.name());
        assert_fits(|options| scenario::comparison(&scenario.words, &comparison, None, options));
    }
}
