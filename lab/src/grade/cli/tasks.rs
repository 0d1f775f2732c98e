//! `lab tasks`: the tasks that a client can be graded on, in the order of the course.

use clap::Args;
use grade::{PRACTICE, TASKS, Task, TaskWords, find};

use crate::cli::{Exit, OrExit, terminal};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The names of tasks; without them, all tasks
    name: Vec<String>,
}

pub(crate) fn tasks(arguments: &Arguments) -> Result<Exit, Exit> {
    let named: Result<Vec<_>, _> = arguments.name.iter().map(|name| find(name)).collect();
    let named = named.or_exit(Exit::Usage)?;
    let (tasks, practice) = match named.is_empty() {
        true => (TASKS, PRACTICE),
        false => (&*named, &[][..]),
    };
    let text = grade::text::tasks(
        &with_rules(tasks),
        &with_rules(practice),
        &terminal::options(false),
    );
    terminal::print(&text).map(|()| Exit::Passed)
}

fn with_rules(tasks: &[&'static Task]) -> Vec<(&'static TaskWords, Vec<&'static str>)> {
    let tasks = tasks.iter().map(|task| {
        let rules = task.rules().map(|rule| rule.id);
        (&task.words, rules.collect())
    });
    tasks.collect()
}
