//! The options of the commands that judge a client and print a card.

use std::{
    error::Error,
    path::{Path, PathBuf},
};

use clap::Args;
use judge::{
    KnownFailures,
    known_failures::{JudgedCard, KnownFailure},
};
use render::Options;
use serde::Serialize;

use super::{
    exit::Exit,
    report::{self, NamedFile},
    terminal::{self, OrExit},
    text_file::{self, FileError},
};

#[derive(Debug, Args)]
pub(crate) struct CardOptions {
    #[command(flatten)]
    of_card: OfCard,
    #[command(flatten)]
    look: LookOptions,
}

/// The options that need a card of one client.
#[derive(Debug, Args)]
struct OfCard {
    /// Do not fail because of what this file lists: one entry on each line, as RULE,
    /// TASK/RULE, TASK/goal or, for a proxy, ROUTE/RULE; `#` begins a comment. A listed rule
    /// that is kept, or a goal that is reached, fails instead
    #[arg(long, value_name = "FILE")]
    known_failing: Option<PathBuf>,
    /// Fail as well if a rule cannot be told or a goal cannot be judged
    #[arg(long)]
    strict: bool,
    /// Print the card as JSON
    #[arg(long)]
    json: bool,
    /// Write the card to this file as JUnit XML, for CI
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
}

/// The options of everything that can be shown: also of the cards of a class.
#[derive(Debug, Args)]
struct LookOptions {
    /// Write the card to this file as a report in HTML
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Use ASCII only
    #[arg(long)]
    ascii: bool,
}

impl CardOptions {
    /// Whether a rule that cannot be told fails as well.
    pub(crate) fn is_strict(&self) -> bool {
        self.of_card.strict
    }

    /// Whether the card is printed as JSON.
    pub(crate) fn is_json(&self) -> bool {
        self.of_card.json
    }

    /// Whether a card is to be written to a file.
    pub(crate) fn writes_files(&self) -> bool {
        self.of_card.junit.is_some() || self.report().is_some()
    }

    /// The file of the report.
    pub(crate) fn report(&self) -> Option<&Path> {
        self.look.report.as_deref()
    }

    pub(crate) fn terminal(&self) -> Options {
        terminal::options(self.look.ascii)
    }

    /// The list of known failures, whose entries must pass this check; empty without a file.
    pub(crate) fn known_failures(
        &self,
        check: impl Fn(&KnownFailure) -> Result<(), Box<dyn Error>>,
    ) -> Result<KnownFailures, Exit> {
        let Some(file) = &self.of_card.known_failing else {
            return Ok(KnownFailures::default());
        };
        let text = text_file::read(file).or_exit(Exit::Usage)?;
        let list = KnownFailures::read(&text, check);
        let place = |line| format!("{}, line {line}", file.display());
        list.map_err(|(line, error)| FileError::new(place(line), error))
            .or_exit(Exit::Usage)
    }

    /// Checks that the requested files can be written, and that none of them is read, here or as
    /// one of these inputs. This happens before the first run, because the results would be lost
    /// otherwise.
    pub(crate) fn check_files(&self, inputs: &[NamedFile<'_>]) -> Result<(), Exit> {
        let known = self.of_card.known_failing.as_deref();
        let known = known.map(|file| ("--known-failing", file));
        let inputs: Vec<_> = inputs.iter().copied().chain(known).collect();
        let junit = self.of_card.junit.as_deref().map(|file| ("--junit", file));
        let report = self.report().map(|file| (report::OPTION, file));
        report::check(junit.into_iter().chain(report), &inputs)
    }

    /// Writes the card to the requested files.
    pub(crate) fn write_files(&self, junit: &str, html: &str) -> Result<(), Exit> {
        let files = [(&self.of_card.junit, junit), (&self.look.report, html)];
        let mut files = files.into_iter();
        files.try_for_each(|(file, text)| match file {
            Some(file) => report::write(file, text),
            None => Ok(()),
        })
    }

    /// Prints the card as JSON or as this text.
    pub(crate) fn print(
        &self,
        card: &impl Serialize,
        text: impl FnOnce(&Options) -> String,
    ) -> Result<(), Exit> {
        terminal::print(&if self.of_card.json {
            render::json(card)
        } else {
            text(&self.terminal())
        })
    }
}

/// Reports these demands that a card does not meet, and the known failures that it shows to
/// be wrong. Whether there are any.
pub(crate) fn report_faults(
    card: &impl JudgedCard,
    known: &KnownFailures,
    unmet: impl Iterator<Item = String>,
) -> bool {
    let passed = known.passed(card);
    let passed = passed
        .map(|entry| format!("'{entry}' did not fail: remove it from the list of known failures"));
    let faults = unmet.chain(passed);
    let exits: Vec<_> = faults
        .map(|error| terminal::fail(error, Exit::Failed))
        .collect();
    !exits.is_empty()
}
