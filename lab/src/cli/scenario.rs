//! `lab scenario NAME`: plays one and shows the evidence.

use std::{num::NonZeroU32, time::Duration};

use clap::{Args, ValueEnum};
use client::{ConfigError, positive_from_text};

use super::{Exit, terminal};
use crate::{
    policy::Overrides,
    render,
    run::{Pace, RunError, Settings, run},
    scenario,
};

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The scenario to play; `lab list` shows them all
    name: String,

    /// The most requests one call may put on the wire
    #[arg(long, value_name = "N", value_parser = max_attempts, allow_hyphen_values = true)]
    max_attempts: Option<NonZeroU32>,

    /// The longest Retry-After that is waited for; a longer one ends the call
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(..=86_400))]
    max_retry_after: Option<u64>,

    /// The most pages that a listing reads
    #[arg(long, value_name = "N", value_parser = max_pages, allow_hyphen_values = true)]
    max_pages: Option<NonZeroU32>,

    /// The most items that a listing yields
    #[arg(long, value_name = "N", value_parser = max_items, allow_hyphen_values = true)]
    max_items: Option<NonZeroU32>,

    /// What jitter, keys, cursors and ids are made from; random if left out
    #[arg(long, value_name = "N")]
    seed: Option<u64>,

    /// Whether the waits are real, or drawn without being waited for
    #[arg(long, value_enum, default_value = "real")]
    pace: PaceArgument,

    /// Print the run as JSON
    #[arg(long)]
    json: bool,

    /// Draw with nothing but ASCII
    #[arg(long)]
    ascii: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum PaceArgument {
    Real,
    Virtual,
}

fn max_attempts(text: &str) -> Result<NonZeroU32, ConfigError> {
    positive_from_text("max_attempts", text)
}

fn max_pages(text: &str) -> Result<NonZeroU32, ConfigError> {
    positive_from_text("max_pages", text)
}

fn max_items(text: &str) -> Result<NonZeroU32, ConfigError> {
    positive_from_text("max_items", text)
}

impl Arguments {
    fn settings(&self) -> Settings {
        Settings {
            seed: self.seed.unwrap_or_else(rand::random),
            pace: match self.pace {
                PaceArgument::Real => Pace::Real,
                PaceArgument::Virtual => Pace::Virtual,
            },
            overrides: Overrides {
                max_attempts: self.max_attempts.map(NonZeroU32::get),
                max_retry_after: self.max_retry_after.map(Duration::from_secs),
                max_pages: self.max_pages.map(NonZeroU32::get),
                max_items: self.max_items.map(NonZeroU32::get),
            },
        }
    }
}

pub(super) fn scenario(arguments: &Arguments) -> Exit {
    play(arguments).unwrap_or_else(|exit| exit)
}

fn play(arguments: &Arguments) -> Result<Exit, Exit> {
    let scenario =
        scenario::find(&arguments.name).map_err(|error| terminal::fail(&error, Exit::Usage))?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| terminal::fail(&error, Exit::Environment))?;
    let run = runtime
        .block_on(run(scenario, &arguments.settings()))
        .map_err(|error| {
            let exit = match error {
                RunError::Settings(_) => Exit::Usage,
                _ => Exit::Environment,
            };
            terminal::fail(&error, exit)
        })?;

    let text = if arguments.json {
        render::json(&run)
    } else {
        render::text(scenario, &run, &terminal::options(arguments.ascii))
    };
    terminal::print(&text)?;
    Ok(if run.passed() {
        Exit::Passed
    } else {
        Exit::Failed
    })
}
