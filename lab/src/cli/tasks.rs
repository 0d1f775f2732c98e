//! `lab tasks`: what a client can be graded on, in the order of the course.

use clap::Args;
use runner::grade::{TASKS, find};

use super::{Exit, terminal};

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The names of tasks; without them, all
    name: Vec<String>,
}

pub(super) fn tasks(arguments: &Arguments) -> Result<Exit, Exit> {
    let named: Result<Vec<_>, _> = arguments.name.iter().map(|name| find(name)).collect();
    let named = named.map_err(|error| terminal::fail(&error, Exit::Usage))?;
    let tasks = if named.is_empty() { TASKS } else { &named };
    let tasks = tasks.iter().map(|task| {
        let rules = task.rules().map(|rule| rule.id);
        (&task.words, rules.collect::<Vec<_>>())
    });
    let tasks: Vec<_> = tasks.collect();
    terminal::print(&render::grade::tasks(&tasks, &terminal::options(false)))?;
    Ok(Exit::Passed)
}
