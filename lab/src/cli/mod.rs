//! The command line: arguments in, a subcommand run, an exit code out.
//!
//! Data goes to stdout, everything else to stderr.

mod all;
mod ask;
mod card_options;
mod compare;
mod completions;
mod doctor;
mod exit;
mod grade;
mod help;
mod known_failing;
mod list;
mod live;
mod load;
pub(crate) mod number;
mod open_cases;
mod proxy;
mod report;
mod rule;
mod run_scenarios;
mod running_lab;
mod scenario;
mod scenario_arguments;
mod schema;
mod serve;
mod starter;
mod storm_command;
mod summary;
mod tasks;
mod terminal;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

pub use exit::Exit;
use terminal::OrExit;

#[derive(Debug, Parser)]
#[command(
    name = "lab",
    version,
    about = "A teaching lab for reliable HTTP clients",
    long_about = help::LAB,
    after_help = help::below_lab(),
    help_template = help::template(&Command::augment_subcommands(clap::Command::new("lab"))),
    max_term_width = help::WIDTH
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List the scenarios in the order of the course
    List,
    /// Run a scenario, or all, and show every attempt, wait and verdict
    #[command(long_about = help::SCENARIO, after_long_help = help::below_scenario())]
    Scenario(scenario_arguments::Arguments),
    /// Grade a client in any language: the command after `--` starts it
    #[command(long_about = help::GRADE, after_long_help = help::BELOW_GRADE)]
    Grade(grade::Arguments),
    /// Judge the client inside your application, in front of your API
    #[command(long_about = help::PROXY, after_long_help = help::BELOW_PROXY)]
    Proxy(Box<proxy::Arguments>),
    /// List the tasks that a client is graded on
    Tasks(tasks::Arguments),
    /// List the rules that clients are judged by, or explain one
    Rule(rule::Arguments),
    /// Write a small client that does the first task
    Starter(starter::Arguments),
    /// Simulate many clients during an incident, and see which policies recover
    #[command(long_about = help::STORM, after_long_help = help::below_storm())]
    Storm(Box<storm_command::Arguments>),
    /// Print the JSON Schema of a run, a card, a storm or a proxy's card
    Schema(schema::Arguments),
    /// Serve the web UI on this machine
    Serve(serve::Arguments),
    /// Start many runs in a running `lab serve`, so that its counters move
    #[command(long_about = help::LOAD, after_long_help = help::below_load())]
    Load(load::Arguments),
    /// Check whether this machine is ready for a workshop
    #[command(long_about = help::DOCTOR, after_long_help = help::BELOW_DOCTOR)]
    Doctor(Box<doctor::Arguments>),
    /// Print a shell completion script
    Completions(completions::Arguments),
}

/// Runs the command line of this process.
#[must_use]
pub fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(instead) => return print_instead(&instead).into(),
    };
    let ended = match &arguments.command {
        Command::List => list::list(),
        Command::Scenario(arguments) => scenario::scenario(arguments),
        Command::Grade(arguments) => grade::grade(arguments),
        Command::Proxy(arguments) => proxy::proxy(arguments),
        Command::Tasks(arguments) => tasks::tasks(arguments),
        Command::Rule(arguments) => rule::rule(arguments),
        Command::Starter(arguments) => starter::starter(arguments),
        Command::Storm(arguments) => storm_command::storm(arguments),
        Command::Schema(arguments) => schema::schema(arguments),
        Command::Serve(arguments) => serve::serve(arguments),
        Command::Load(arguments) => load::load(arguments),
        Command::Doctor(arguments) => doctor::doctor(arguments),
        Command::Completions(arguments) => completions::completions(arguments),
    };
    ended.unwrap_or_else(|exit| exit).into()
}

/// Prints what clap has instead of arguments: an error on stderr, or the help or
/// the version on stdout.
fn print_instead(instead: &clap::Error) -> Exit {
    let printed = instead.print();
    if instead.use_stderr() {
        // Without stderr nobody can be told.
        return Exit::Usage;
    }
    let written = terminal::written(printed).and_then(|()| terminal::flush());
    written.map_or_else(|exit| exit, |()| Exit::Passed)
}

/// Whether a command line makes sense: it can be read, and names scenarios, tasks and
/// rules that there are. Nothing is run. The first word is the name of the program.
///
/// # Errors
///
/// What is wrong with it, for a person.
pub fn check<'a>(words: impl IntoIterator<Item = &'a str>) -> Result<(), String> {
    let arguments = match Arguments::try_parse_from(words) {
        Ok(arguments) => arguments,
        Err(instead) if instead.use_stderr() => return Err(instead.to_string()),
        Err(_help) => return Ok(()),
    };
    match &arguments.command {
        Command::Scenario(arguments) => {
            let chosen = arguments.chosen().map(drop);
            chosen.map_err(|error| error.to_string())
        }
        Command::Grade(arguments) => arguments.check().map_err(|error| error.to_string()),
        Command::Load(arguments) => {
            let load = arguments.load().map(drop);
            load.map_err(|error| error.to_string())
        }
        Command::Storm(arguments) => {
            let plan = arguments.plan().map(drop);
            plan.map_err(|error| error.to_string())
        }
        _ => Ok(()),
    }
}
