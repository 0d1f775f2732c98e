//! The options of the commands that judge a client and print a card.

use std::path::PathBuf;

use clap::Args;
use judge::{KnownFailures, known_failures::JudgedCard};
use render::Options;
use serde::Serialize;

use super::{Exit, report, terminal};

#[derive(Debug, Args)]
pub(super) struct CardOptions {
    /// Do not fail because of what this file lists: one entry on each line, as RULE,
    /// TASK/RULE, TASK/goal or, for a proxy, ROUTE/RULE; `#` begins a comment. A listed rule
    /// that is kept, or a goal that is reached, fails instead
    #[arg(long, value_name = "FILE")]
    pub(super) known_failing: Option<PathBuf>,
    /// Fail as well if a rule cannot be told or a goal cannot be judged
    #[arg(long)]
    pub(super) strict: bool,
    /// Print the card as JSON
    #[arg(long)]
    pub(super) json: bool,
    /// Write the card to this file as JUnit XML, for CI
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Write the card to this file as a report in HTML
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Use ASCII only
    #[arg(long)]
    ascii: bool,
}

impl CardOptions {
    pub(super) fn terminal(&self) -> Options {
        terminal::options(self.ascii)
    }

    /// Checks that the requested files can be written. This happens before the first run,
    /// because the results would be lost otherwise.
    pub(super) fn check_files(&self) -> Result<(), Exit> {
        let mut files = self.junit.iter().chain(&self.report);
        files.try_for_each(|file| report::check(file))
    }

    /// Writes the card to the requested files.
    pub(super) fn write_files(&self, junit: &str, html: &str) -> Result<(), Exit> {
        let files = [(&self.junit, junit), (&self.report, html)];
        let mut files = files.into_iter();
        files.try_for_each(|(file, text)| match file {
            Some(file) => report::write(file, text),
            None => Ok(()),
        })
    }

    /// Prints the card as JSON or as this text.
    pub(super) fn print(
        &self,
        card: &impl Serialize,
        text: impl FnOnce(&Options) -> String,
    ) -> Result<(), Exit> {
        terminal::print(&match self.json {
            true => render::json(card),
            false => text(&self.terminal()),
        })
    }
}

/// Reports these demands that a card does not meet, and the known failures that it shows to
/// be wrong. Whether there are any.
pub(super) fn report_faults(
    card: &impl JudgedCard,
    known: &KnownFailures,
    unmet: impl Iterator<Item = String>,
) -> bool {
    let passed = known.passed(card);
    let passed =
        passed.map(|it| format!("'{it}' did not fail: remove it from the list of known failures"));
    let faults = unmet.chain(passed);
    let exits: Vec<_> = faults.map(|it| terminal::fail(it, Exit::Failed)).collect();
    !exits.is_empty()
}
