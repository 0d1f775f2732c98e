//! `lab completions SHELL`: a script that completes commands, options and the
//! names of scenarios, of tasks and of rules.

use clap::{
    Args, Command, ValueEnum,
    builder::{PossibleValue, PossibleValuesParser},
};
use clap_complete::Shell;
use judge::rules::{RULES, Rule};
use scenario::catalogue::CATALOGUE;

use super::{exit::Exit, terminal};
use crate::scenario::cli::ALL;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The shell that reads the script
    #[arg(value_enum)]
    shell: Completed,
}

/// The shells in which names are completed.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Completed {
    Bash,
    Zsh,
    Fish,
}

/// Prints the script for this command.
pub(crate) fn completions(arguments: &Arguments, lab: &Command) -> Result<Exit, Exit> {
    terminal::print(&completed(arguments.shell, lab)).map(|()| Exit::Passed)
}

/// The script for a shell.
fn completed(shell: Completed, lab: &Command) -> String {
    match shell {
        Completed::Bash => script(Shell::Bash, lab),
        Completed::Zsh => script(Shell::Zsh, lab),
        Completed::Fish => script(Shell::Fish, lab) + fish_names().as_str(),
    }
}

fn script(shell: Shell, lab: &Command) -> String {
    let scenarios = CATALOGUE
        .iter()
        .map(|scenario| PossibleValue::new(scenario.words.name).help(scenario.words.title))
        .chain([PossibleValue::new(ALL).help("the whole course")]);
    let scenarios = PossibleValuesParser::new(scenarios);
    let tasks = grade::TASKS
        .iter()
        .map(|task| PossibleValue::new(task.words.name));
    let tasks = PossibleValuesParser::new(tasks);
    let of_rules = |rules: &[&Rule]| {
        let rules = rules.iter();
        PossibleValuesParser::new(rules.map(|rule| PossibleValue::new(rule.id).help(rule.text)))
    };
    let graded = RULES
        .iter()
        .copied()
        .filter(|rule| rule.is_judged_by_cases());
    let graded = of_rules(&graded.collect::<Vec<_>>());
    let rules = of_rules(RULES);
    // The lists restrict completion only: for an unknown name the lab's own error
    // suggests the nearest.
    let mut command = lab.clone();
    for (subcommand, argument, names) in [
        ("scenario", "name", &scenarios),
        ("grade", "task", &tasks),
        ("grade", "require", &tasks),
        ("grade", "hint", &tasks),
        ("grade", "only", &graded),
        ("rule", "id", &rules),
    ] {
        command = command.mut_subcommand(subcommand, |subcommand| {
            subcommand.mut_arg(argument, |argument| argument.value_parser(names.clone()))
        });
    }
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, "lab", &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

/// Completes the values of positional arguments in fish, which clap's script omits. The
/// condition is a function that the script defines.
fn fish_names() -> String {
    let scenarios = CATALOGUE.iter().map(|scenario| scenario.words.name);
    let lists: [(_, Vec<_>); 2] = [
        ("scenario", scenarios.chain([ALL]).collect()),
        ("rule", RULES.iter().map(|rule| rule.id).collect()),
    ];
    let line = |(subcommand, names): (&str, Vec<&str>)| {
        let names = names.join(" ");
        format!(
            "complete -c lab -n \"__fish_lab_using_subcommand {subcommand}\" -f -a \"{names}\"\n"
        )
    };
    lists.into_iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::cli;

    #[test]
    fn completes_every_name_in_every_shell() {
        for (shell, start) in [
            (Completed::Bash, "_lab() {\n"),
            (Completed::Zsh, "#compdef lab\n"),
            (Completed::Fish, "# Print an optspec"),
        ] {
            let script = completed(shell, &cli::Arguments::command());

            assert!(script.starts_with(start), "{shell:?}: {script}");
            let words = || script.split(|sign: char| !sign.is_ascii_alphanumeric() && sign != '-');
            // Scenarios are values of one argument; tasks of three options; rules of one argument
            // and those of tasks of one option.
            let scenarios = CATALOGUE.iter().map(|scenario| (scenario.name(), 1));
            let tasks = grade::TASKS.iter().map(|task| (task.words.name, 3));
            let rules = RULES.iter();
            let rules = rules.map(|rule| (rule.id, 1 + usize::from(rule.is_judged_by_cases())));
            for (name, times) in scenarios.chain(tasks).chain(rules) {
                let found = words().filter(|word| *word == name).count();
                assert!(found >= times, "{name} in {shell:?}: {found} times");
            }
        }
    }
}
