//! A client with one habit, right or wrong, to be graded:
//!
//! ```sh
//! cargo build -p lab --example habits
//! cargo run -p lab -- grade --task flaky -- target/debug/examples/habits no-wait
//! ```
//!
//! It implements HTTP itself, so that it can do things that no library would. Apart
//! from its habit it behaves correctly.

#![expect(clippy::print_stdout, reason = "its last line is its result")]

mod client;
mod habit;
mod http;
mod tasks;

use std::{env, error::Error, process::ExitCode};

use clap::Parser;

use crate::{client::Client, habit::Habit};

/// A client with one habit, right or wrong, to be graded.
#[derive(Debug, Parser)]
struct Arguments {
    habit: Habit,
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let Arguments { habit } = Arguments::parse();
    let (task, url) = (env::var("LAB_TASK")?, env::var("LAB_URL")?);
    let (path, host) = (tasks::path_of(&url), tasks::host_of(&url));
    let mut client = Client::new(habit, host);
    let (line, exit) = match tasks::run(&mut client, &task, path) {
        Ok(result) => (Some(result), ExitCode::SUCCESS),
        Err(_) if habit == Habit::ExitCodeAlone => (None, ExitCode::FAILURE),
        Err(failure) => (Some(failure.0), ExitCode::FAILURE),
    };
    if let Some(line) = line {
        println!("{line}");
    }
    if habit == Habit::RetriesInBackground && exit == ExitCode::FAILURE {
        client.repeat_in_background();
    }
    Ok(exit)
}
