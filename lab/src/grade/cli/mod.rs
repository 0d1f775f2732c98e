//! `lab grade`: grades the client that a command runs, and shows cards.

mod board;
mod demands;
mod known_failing;
mod language;
mod open_cases;
mod run;
mod solution;
pub(crate) mod starter;

use std::{
    error::Error,
    ffi::OsString,
    path::{Path, PathBuf},
};

use clap::Args;
use grade::{Task, find};
use wire::UnknownName;

use self::{board::Class, run::Grader, solution::Solution};
use crate::cli::{
    card_options::CardOptions,
    exit::Exit,
    intercepting_proxy, number, rule,
    terminal::{self, OrExit},
};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Run these tasks only. With --summary: show these columns only
    #[arg(long, value_name = "NAME", num_args = 1..)]
    task: Vec<String>,
    #[command(flatten)]
    run: RunOptions,
    /// Run again whenever this file is saved, starting at the first task that is not done.
    /// With --summary, and without a file: show the cards again whenever one changes
    #[arg(long, value_name = "FILE", num_args = 0..=1, conflicts_with_all = ["all", "json", "junit"])]
    watch: Option<Option<PathBuf>>,
    /// Print a hint for a task, and run nothing
    #[arg(long, value_name = "NAME", exclusive = true)]
    hint: Option<String>,
    /// Print a client that does every task, and run nothing
    #[arg(long, value_enum, value_name = "LANGUAGE", exclusive = true)]
    solution: Option<Solution>,
    /// Count how many of the cards in this folder (as --json prints them) reached each goal
    /// and kept each rule, and run nothing. With --report: write a board with a row for each
    /// card, which has the name of its file
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["RunOptions", "OfCard"])]
    summary: Option<PathBuf>,
    #[command(flatten)]
    card: CardOptions,
}

/// The options of a run. A summary of cards takes none of them.
#[derive(Debug, Args)]
struct RunOptions {
    /// Run all tasks and print the card, instead of stopping at the first task that is not
    /// done; with --task, all of these
    #[arg(long)]
    all: bool,
    /// Judge these rules only
    #[arg(long, value_name = "RULE", num_args = 1..)]
    only: Vec<String>,
    /// Exit with 1 unless these tasks are done
    #[arg(long, value_name = "NAME", num_args = 1..)]
    require: Vec<String>,
    /// The seed of ids, cursors and URLs [default: random]
    #[arg(long, value_parser = number::any, allow_hyphen_values = true)]
    seed: Option<u64>,
    /// The command that runs the client. `{url}`, `{base_url}` and `{task}` in it stand
    /// for those of each case, as LAB_URL, LAB_BASE_URL and LAB_TASK do in its environment.
    /// Without a command the cases are open to any client until
    /// Ctrl+C, and then the requests are judged
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

/// The ways to use the command, each with the arguments that it alone needs.
enum Mode<'a> {
    Hint(&'static Task),
    Solution(Solution),
    Board(Class<'a>),
    /// The cases are open to any client.
    Open,
    Once,
    Watch(&'a Path),
}

/// Why `--watch` cannot be followed.
#[derive(Debug, thiserror::Error)]
enum WatchError {
    #[error("--watch needs a file: that of the client")]
    NoFile,
    #[error("--watch FILE needs a COMMAND after `--`, which runs the client")]
    NoCommand,
    #[error("--watch cannot be used with --report, except with --summary")]
    WithReport,
    #[error("--watch takes no file with --summary: the cards themselves are watched")]
    WithSummary,
}

impl Arguments {
    /// Checks that the named tasks and rules exist, and that the options fit together.
    pub(crate) fn check(&self) -> Result<(), Box<dyn Error>> {
        let tasks = self.task.iter().chain(&self.run.require);
        for name in tasks.chain(&self.hint) {
            find(name)?;
        }
        for id in &self.run.only {
            rule::find_graded(id)?;
        }
        self.mode().map(drop)
    }

    /// The tasks named by `--task`.
    fn named_tasks(&self) -> Result<Vec<&'static Task>, UnknownName> {
        self.task.iter().map(|name| find(name)).collect()
    }

    fn mode(&self) -> Result<Mode<'_>, Box<dyn Error>> {
        if let Some(name) = &self.hint {
            return Ok(Mode::Hint(find(name)?));
        }
        if let Some(solution) = self.solution {
            return Ok(Mode::Solution(solution));
        }
        if let Some(folder) = &self.summary {
            let class = Class {
                folder,
                tasks: self.named_tasks()?,
                report: self.card.report(),
                is_watched: self.watch.is_some(),
            };
            return match &self.watch {
                None | Some(None) => Ok(Mode::Board(class)),
                Some(Some(_)) => Err(WatchError::WithSummary.into()),
            };
        }
        let has_command = !self.run.command.is_empty();
        match &self.watch {
            None if has_command => Ok(Mode::Once),
            None => Ok(Mode::Open),
            Some(None) => Err(WatchError::NoFile.into()),
            Some(Some(_)) if !has_command => Err(WatchError::NoCommand.into()),
            Some(Some(_)) if self.card.report().is_some() => Err(WatchError::WithReport.into()),
            Some(Some(file)) => Ok(Mode::Watch(file)),
        }
    }
}

pub(crate) fn grade(arguments: &Arguments) -> Result<Exit, Exit> {
    match arguments.mode().or_exit(Exit::Usage)? {
        Mode::Hint(task) => {
            let hint = grade::text::hint(&task.words, &arguments.card.terminal());
            terminal::print(&hint).map(|()| Exit::Passed)
        }
        Mode::Solution(solution) => terminal::print(solution.source()).map(|()| Exit::Passed),
        Mode::Board(class) => class.show(),
        Mode::Open => open_cases::open(arguments),
        Mode::Once => grader(arguments)?.once(),
        Mode::Watch(file) => grader(arguments)?.watch(file),
    }
}

fn grader(arguments: &Arguments) -> Result<Grader<'_>, Exit> {
    let grader = Grader::new(arguments)?;
    intercepting_proxy::warn();
    Ok(grader)
}
