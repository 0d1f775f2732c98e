//! `lab completions SHELL`: a script that completes commands, options and the
//! names of scenarios.

use clap::{
    Args, CommandFactory, ValueEnum,
    builder::{PossibleValue, PossibleValuesParser},
};
use clap_complete::Shell;

use super::{Exit, scenario_arguments::ALL, terminal};
use runner::scenario::CATALOGUE;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The shell that reads the script
    #[arg(value_enum)]
    shell: Completed,
}

/// The shells in which the names of scenarios are completed.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Completed {
    Bash,
    Zsh,
    Fish,
}

pub(super) fn completions(arguments: &Arguments) -> Result<Exit, Exit> {
    let script = match arguments.shell {
        Completed::Bash => script(Shell::Bash),
        Completed::Zsh => script(Shell::Zsh),
        Completed::Fish => script(Shell::Fish) + fish_names().as_str(),
    };
    terminal::print(&script).map(|()| Exit::Passed)
}

fn script(shell: Shell) -> String {
    let names = CATALOGUE
        .iter()
        .map(|scenario| PossibleValue::new(scenario.words.name).help(scenario.words.title))
        .chain([PossibleValue::new(ALL).help("the whole course")]);
    // The names are a closed list for completion only: for a wrong one the lab's
    // own error suggests the nearest.
    let mut command = super::Arguments::command().mut_subcommand("scenario", |scenario| {
        scenario.mut_arg("name", |name| {
            name.value_parser(PossibleValuesParser::new(names))
        })
    });
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, "lab", &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

/// What clap leaves out of the script for fish: the values of an argument that is
/// no option. The condition is a function that the script defines.
fn fish_names() -> String {
    let names = CATALOGUE.iter().map(|scenario| scenario.words.name);
    let names: Vec<_> = names.chain([ALL]).collect();
    format!(
        "complete -c lab -n \"__fish_lab_using_subcommand scenario\" -f -a \"{}\"\n",
        names.join(" ")
    )
}
