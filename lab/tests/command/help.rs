//! The help and the completions.

use evidence::rules::RULES;
use runner::{grade, scenario::CATALOGUE};

use crate::{assert_contains, assert_fits_80_columns, printed};

#[test]
fn the_help_of_the_lab_groups_its_commands() {
    let help = printed("--help");

    // The first words of the headings, and of what is listed below them.
    let listed = help.lines().filter(|line| !line.starts_with("   "));
    let words = listed.filter_map(|line| line.split_whitespace().next());
    let words: Vec<_> = words.skip_while(|word| *word != "Usage:").collect();
    let groups = "Usage: Learn: list scenario storm Grade: starter grade proxy tasks rule \
                  Observe: serve load Tools: doctor schema completions help";
    let rest = "Options: -h, -V, Start lab lab lab lab Exit 0 1 2 3 4 130";
    assert_eq!(words.join(" "), format!("{groups} {rest}"));
}

#[test]
fn no_help_is_wider_than_80_columns() {
    let commands =
        "list scenario grade tasks rule starter storm schema serve load doctor completions";
    for command in ["", "proxy"].into_iter().chain(commands.split(' ')) {
        for option in ["-h", "--help"] {
            assert_fits_80_columns(&printed(&format!("{command} {option}")));
        }
    }
}

#[test]
fn every_example_of_the_help_makes_sense_and_the_exit_codes_follow() {
    let mut examples = Vec::new();
    for command in ["", "scenario", "grade", "load", "storm", "doctor"] {
        let help = printed(&format!("{command} --help"));
        assert_contains(&help, &["\nExit codes:\n  0  "]);
        let lines = help.lines().filter_map(|line| line.strip_prefix("  lab "));
        examples.extend(lines.filter_map(|line| Some(line.split("  ").next()?.to_owned())));
    }

    assert!(examples.len() > 10, "{examples:?}");
    for example in examples {
        let words = ["lab"].into_iter().chain(example.split(' '));
        assert_eq!(lab::cli::check(words), Ok(()), "{example}");
    }
}

#[test]
fn completes_every_name_in_every_shell() {
    for (shell, start) in [
        ("bash", "_lab() {\n"),
        ("zsh", "#compdef lab\n"),
        ("fish", "# Print an optspec"),
    ] {
        let script = printed(&format!("completions {shell}"));

        assert!(script.starts_with(start), "{shell}: {script}");
        let words = || script.split(|sign: char| !sign.is_ascii_alphanumeric() && sign != '-');
        // Scenarios are values of one argument; tasks of one argument and three options;
        // rules of one argument and one option.
        let scenarios = CATALOGUE.iter().map(|scenario| (scenario.name(), 1));
        let tasks = grade::all().map(|task| (task.words.name, 4));
        let rules = RULES.iter().map(|rule| (rule.id, 2));
        for (name, times) in scenarios.chain(tasks).chain(rules) {
            let found = words().filter(|word| *word == name).count();
            assert!(found >= times, "{name} in {shell}: {found} times");
        }
    }
}
