//! The command line: arguments in, a subcommand run, an exit code out.
//!
//! This file lists the commands. What they share stands in files below it, which know no command.
//!
//! Data goes to stdout, everything else to stderr.

pub(crate) mod card_options;
mod completions;
pub(crate) mod exit;
pub(crate) mod exporters;
mod help;
pub(crate) mod intercepting_proxy;
pub(crate) mod list;
mod load;
pub(crate) mod report;
pub(crate) mod rule;
pub(crate) mod running_lab;
mod serve;
pub(crate) mod terminal;
pub(crate) mod text_file;

use std::{
    io::{self, Write},
    panic::{self, AssertUnwindSafe},
    process::ExitCode,
};

use clap::{Arg, CommandFactory, Parser, Subcommand};
use host::{EndSignal, FailureWatch};

pub(crate) use ::scenario::number;

use crate::{grade, proxy, scenario, storm};

use exit::Exit;
use terminal::without_users;

/// A teaching lab for reliable HTTP clients
///
/// A service on this machine fails on purpose, and a client has to cope with it. The lab shows
/// what happened: every attempt and every wait, what the service saw, and which counters
/// moved. It grades clients in any language. It needs no account and no internet.
#[derive(Debug, Parser)]
#[command(
    name = "lab",
    version,
    after_help = help::below_lab(),
    max_term_width = help::WIDTH
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List the scenarios, the tasks, the rules or the stories
    List(list::Arguments),
    /// Run a scenario, or all, and show every attempt, wait and verdict
    ///
    /// A run starts a service on a free port, lets a client call it, stops both, and checks
    /// the evidence against the expectations of the scenario. The expectations depend on the
    /// options: with other limits, another outcome is correct. In virtual time, one seed
    /// always gives the same output, byte for byte.
    ///
    /// Ctrl+C cancels a run and shows its evidence up to that point. No run sends more than
    /// 10000 requests or takes longer than an hour. Without a name, the scenarios are listed.
    #[command(after_long_help = help::below_scenario(), mut_args(needs_a_scenario))]
    Scenario(scenario::cli::Arguments),
    /// Grade a client in any language: the command after `--` starts it
    ///
    /// A task has several cases. The lab starts the client once for each case, with a service
    /// and a URL of its own. The client finds the task and the URL in LAB_TASK and LAB_URL, or
    /// in its arguments as `{task}` and `{url}`, and prints its result as JSON on its last
    /// line. The lab judges this result and the requests that the service saw, and nothing
    /// that the client says about itself. A client that does not do a task prints `{"skip":
    /// true}` or exits with 127.
    ///
    /// The lab runs the tasks in order, up to the first that is not done, and explains what to
    /// do about it.
    #[command(after_long_help = help::BELOW_GRADE)]
    Grade(grade::cli::Arguments),
    /// Judge the client inside your application, in front of your API
    ///
    /// The lab runs the command after `--` several times, each time with a proxy of its own
    /// between it and UPSTREAM. Two runs are healthy. In each of the others the first request
    /// of one route meets one fault, and the requests that follow show how the command takes
    /// it. What is judged is the command: all that it runs and that sends through the proxy. A
    /// test runner that repeats failed tests is part of it: switch that off.
    ///
    /// The command finds the proxy in LAB_BASE_URL, in the variables of --set, or in its
    /// arguments as `{base_url}`. It has to exit with 0 if nothing is broken.
    #[command(after_long_help = help::BELOW_PROXY)]
    Proxy(Box<proxy::cli::Arguments>),
    /// Explain a rule by which clients are judged
    Rule(rule::Arguments),
    /// Write a small client that does the first task
    Starter(grade::cli::starter::Arguments),
    /// Simulate many clients during an incident, and see which policies recover
    ///
    /// One client that waits looks slower than one that retries at once. Why waiting wins, and
    /// when it does not, shows only with many clients: a service with a limited capacity, a
    /// short incident, and retries that keep the service down. The clients run the code of the
    /// reference client; the service is a model, in virtual time. One seed always gives the
    /// same output, byte for byte.
    ///
    /// Ctrl+C ends the storm and shows its results up to that point. A policy simulates at
    /// most a million requests, and at most 5000 calls at once.
    #[command(after_long_help = help::BELOW_STORM)]
    Storm(Box<storm::cli::Arguments>),
    /// Serve the web UI on this machine
    Serve(serve::Arguments),
    /// Start many runs in a running `lab serve`, so that its counters move
    ///
    /// The runs are a mix of the whole course. Each starts a fresh service in the process of
    /// `lab serve`, in real time. Most are healthy; in the last third of every minute there
    /// are three times as many faults. The counters of client and service at /metrics then
    /// give the dashboards something to show. The number of runs at a time is limited: a run
    /// above the limit is not started, and the exit code is 3. The web UI does not keep these
    /// runs. Ctrl+C stops them and prints a summary.
    #[command(after_long_help = help::below_load())]
    Load(load::Arguments),
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
    host::note_panics();
    let failures = FailureWatch::start();
    // A panic says nothing about a client, so that its exit code may not be one of a verdict.
    let ended = panic::catch_unwind(AssertUnwindSafe(|| run(&arguments.command)));
    let ended = ended.unwrap_or_else(|_| match failures.check() {
        Err(failure) => terminal::fail(failure, Exit::Environment),
        Ok(()) => Exit::Environment,
    });
    if ended == Exit::Cancelled
        && let Some(signal) = EndSignal::first().filter(|signal| *signal != EndSignal::Interrupt)
    {
        terminal::note(&format!("Ended by {}.", signal.name()));
    }
    ended.into()
}

/// Runs a subcommand.
fn run(command: &Command) -> Exit {
    let ended = match command {
        Command::List(arguments) => list::list(arguments),
        Command::Scenario(arguments) => scenario::cli::scenario(arguments),
        Command::Grade(arguments) => grade::cli::grade(arguments),
        Command::Proxy(arguments) => proxy::cli::proxy(arguments),
        Command::Rule(arguments) => rule::rule(arguments),
        Command::Starter(arguments) => grade::cli::starter::starter(arguments),
        Command::Storm(arguments) => storm::cli::storm(arguments),
        Command::Serve(arguments) => serve::serve(arguments),
        Command::Load(arguments) => load::load(arguments),
        Command::Completions(arguments) => {
            completions::completions(arguments, &Arguments::command())
        }
    };
    ended.unwrap_or_else(|exit| exit)
}

/// Lets an option of `lab scenario` stand only beside the name of a scenario.
fn needs_a_scenario(argument: Arg) -> Arg {
    match argument.get_id().as_str() {
        "name" => argument,
        _ => argument.requires("name"),
    }
}

/// Prints what clap has instead of arguments: an error on stderr, or the help or
/// the version on stdout.
fn print_instead(instead: &clap::Error) -> Exit {
    if instead.use_stderr() {
        let text = instead.to_string();
        let shown = without_users(&text);
        // Without stderr nobody can be told.
        let _ = if shown == text {
            instead.print()
        } else {
            write!(io::stderr(), "{shown}")
        };
        return Exit::Usage;
    }
    let written = terminal::written(instead.print()).and_then(|()| terminal::flush());
    written.map_or_else(|exit| exit, |()| Exit::Passed)
}

/// Whether a command line makes sense: it can be read, and names scenarios, tasks and
/// rules that there are. Nothing is run. The first word is the name of the program.
///
/// # Errors
///
/// The problem with it, for a person.
pub fn check<'a>(words: impl IntoIterator<Item = &'a str>) -> Result<(), String> {
    let checked = match Arguments::try_parse_from(words) {
        Ok(arguments) => checked(&arguments.command),
        Err(instead) if instead.use_stderr() => Err(instead.to_string()),
        Err(_help) => Ok(()),
    };
    checked.map_err(|error| without_users(&error))
}

/// Whether what a subcommand names is there.
fn checked(command: &Command) -> Result<(), String> {
    match command {
        Command::Scenario(arguments) => {
            let chosen = arguments.chosen().map(drop);
            chosen.map_err(|error| error.to_string())
        }
        Command::Grade(arguments) => arguments.check().map_err(|error| error.to_string()),
        Command::Rule(arguments) => arguments.check().map_err(|error| error.to_string()),
        Command::Load(arguments) => {
            let plan = arguments.plan().map(drop);
            plan.map_err(|error| error.to_string())
        }
        Command::Storm(arguments) => {
            let plan = arguments.plan().map(drop);
            plan.map_err(|error| error.to_string())
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_invalid_argument_is_shown_with_its_password() {
        const URL: &str = "http://me:SECRET@127.0.0.1:1";
        let lab = Arguments::command();
        let mut refused = 0;
        for command in lab.get_subcommands() {
            let options = command.get_arguments().filter_map(Arg::get_long);
            let options = options.map(|option| format!("--{option}"));
            let words = options.flat_map(|option| [format!("{option}={URL}"), option]);
            for word in words.chain([URL.to_owned()]) {
                let checked = check(["lab", command.get_name(), &word, URL]);

                let error = checked.err().unwrap_or_default();
                assert!(!error.contains("SECRET"), "{word}: {error}");
                // An example before the URL would be hidden with the user part.
                assert!(!error.contains("such as http://…@"), "{word}: {error}");
                refused += usize::from(error.contains("http://…@127.0.0.1:1"));
            }
        }
        assert!(refused > 50, "{refused} errors show a URL");
    }

    /// The help of the lab, and the short and the long one of each command.
    fn helps() -> Vec<String> {
        let mut lab = Arguments::command();
        lab.build();
        let mut helps = vec![lab.render_long_help().to_string()];
        for command in lab.get_subcommands_mut() {
            helps.push(command.render_help().to_string());
            helps.push(command.render_long_help().to_string());
        }
        helps
    }

    #[test]
    fn no_help_is_wider_than_80_columns() {
        for line in helps().iter().flat_map(|help| help.lines()) {
            assert!(line.chars().count() <= 80, "{line}");
        }
    }

    #[test]
    fn every_example_of_the_help_makes_sense() {
        let helps = helps();
        let lines = helps.iter().flat_map(|help| help.lines());
        let examples = lines.filter_map(|line| line.strip_prefix("  lab ")?.split("  ").next());
        // Some go on in the next line, for a shell.
        let examples: Vec<_> = examples.filter(|line| !line.ends_with('\\')).collect();

        assert!(examples.len() > 10, "{examples:?}");
        for example in examples {
            let words = ["lab"].into_iter().chain(example.split(' '));
            assert_eq!(check(words), Ok(()), "{example}");
        }
    }
}
