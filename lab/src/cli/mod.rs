//! The command line: arguments in, a subcommand run, an exit code out.
//!
//! Data goes to stdout, everything else to stderr.

mod all;
mod ask;
mod compare;
mod exit;
mod list;
mod report;
mod runner;
mod scenario;
mod schema;
mod serve;
mod signals;
mod terminal;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

pub use exit::Exit;

/// An observable lab for reliable HTTP clients
#[derive(Debug, Parser)]
#[command(
    name = "lab",
    version,
    after_help = "Start here:\n  lab list               what can be played\n  lab scenario flaky     \
                  a service that fails twice, then answers\n  lab serve --open       \
                  the same, in the browser\n\nExit codes:\n  0  every expectation \
                  held\n  1  an expectation did not hold\n  2  the command line makes no sense\n  3  \
                  the environment failed, such as a port that is taken"
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List the scenarios in the order of the course
    List,
    /// Play a scenario, or all, each on a fresh service, and show the evidence
    Scenario(scenario::Arguments),
    /// Print the JSON Schema of a run, as `scenario --json` prints it
    Schema,
    /// Serve the lab as a web page, on this machine alone
    Serve(serve::Arguments),
}

/// Runs the command line of this process.
#[must_use]
pub fn main() -> ExitCode {
    // A wrong command line ends here, with exit code 2.
    let arguments = Arguments::parse();
    let exit = match &arguments.command {
        Command::List => list::list(),
        Command::Scenario(arguments) => scenario::scenario(arguments),
        Command::Schema => schema::schema(),
        Command::Serve(arguments) => serve::serve(arguments),
    };
    exit.into()
}
