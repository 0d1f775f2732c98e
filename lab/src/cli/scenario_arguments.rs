//! The options of `lab scenario`: which run is asked for, and what becomes of it.

use std::{error::Error, num::NonZeroU32, path::PathBuf, time::Duration};

use clap::{
    Args, ValueEnum,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
};
use evidence::{Overrides, Pace};
use render::Options;
use runner::{
    CLIENTS, ClientUnderTest, Naive, RELIABLE, Reliable, Settings, WITHOUT, Without, scenario,
    scenario::Scenario,
};
use serde::Serialize;

use super::{
    Exit,
    number::{self, NumberError},
    report, terminal,
};

/// The name that stands for every scenario.
pub(super) const ALL: &str = "all";

/// Headings of the help, beside the options of the run itself.
const CLIENT: &str = "Which client, and what it is allowed";
const EVIDENCE: &str = "What becomes of the evidence";

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The scenario to run, or `all`; `lab list` shows them
    name: String,

    /// With `all`: only the scenarios whose name contains this
    #[arg(long, value_name = "TEXT")]
    pub(super) filter: Option<String>,

    /// The most requests one call may put on the wire, up to 10000
    #[arg(long, help_heading = CLIENT, value_name = "N", value_parser = max_attempts, allow_hyphen_values = true)]
    max_attempts: Option<NonZeroU32>,

    /// The longest Retry-After that is waited for; a longer one ends the call
    #[arg(long, help_heading = CLIENT, value_name = "SECONDS", value_parser = max_retry_after, allow_hyphen_values = true)]
    max_retry_after: Option<u64>,

    /// The most pages that a listing reads, up to 10000
    #[arg(long, help_heading = CLIENT, value_name = "N", value_parser = max_pages, allow_hyphen_values = true)]
    max_pages: Option<NonZeroU32>,

    /// The most items that a listing yields, up to 10000
    #[arg(long, help_heading = CLIENT, value_name = "N", value_parser = max_items, allow_hyphen_values = true)]
    max_items: Option<NonZeroU32>,

    /// What jitter, keys, cursors and ids are drawn from; random if left out
    #[arg(long, value_name = "N", value_parser = number::any, allow_hyphen_values = true)]
    seed: Option<u64>,

    /// Which client runs. The naive one breaks most expectations, which is the
    /// lesson: the exit code is then 1
    #[arg(long, help_heading = CLIENT, value_parser = clients(), default_value = RELIABLE.name)]
    client: &'static dyn ClientUnderTest,

    /// Take one defence of the reference client away, and see what breaks
    #[arg(long, help_heading = CLIENT, value_name = "DEFENCE", value_parser = defences(), conflicts_with = "client")]
    without: Option<&'static Without>,

    /// Run two clients with one seed and show them side by side: the reliable and
    /// the naive one, or the one of --without; the exit code is the reliable one's
    #[arg(long, help_heading = CLIENT, conflicts_with = "client")]
    pub(super) compare: bool,

    /// Whether the waits are real, or drawn without being waited for [default:
    /// real; virtual for `all`]
    #[arg(long, value_enum)]
    pace: Option<PaceArgument>,

    /// Send the trace to the OTLP/HTTP receiver at this base address, such as
    /// http://127.0.0.1:4318 [default: what the standard variables
    /// OTEL_EXPORTER_OTLP_TRACES_ENDPOINT or OTEL_EXPORTER_OTLP_ENDPOINT say]
    #[arg(long, help_heading = EVIDENCE, value_name = "URL")]
    pub(super) otlp: Option<String>,

    /// Ask a question first, read your prediction from stdin, and say whether it came
    /// true; with `all`, keep the score
    #[arg(long, help_heading = EVIDENCE, conflicts_with = "json")]
    pub(super) ask: bool,

    /// Write the run to this file as well, as a report in HTML
    #[arg(long, help_heading = EVIDENCE, value_name = "FILE")]
    report: Option<PathBuf>,

    /// Print the run as JSON; `lab schema` describes it
    #[arg(long, help_heading = EVIDENCE)]
    json: bool,

    /// Say under each row why it is so: what came back, what is allowed, and what
    /// was decided
    #[arg(long, help_heading = EVIDENCE)]
    explain: bool,

    /// Show each request and its response as they went over the wire, without what
    /// may be a secret
    #[arg(long, help_heading = EVIDENCE, conflicts_with = "json")]
    exchanges: bool,

    /// Draw with nothing but ASCII
    #[arg(long, help_heading = EVIDENCE)]
    ascii: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum PaceArgument {
    Real,
    Virtual,
}

/// Reads the name of a client.
fn clients() -> impl TypedValueParser<Value = &'static dyn ClientUnderTest> {
    let names = CLIENTS.iter().map(|client| {
        let name = PossibleValue::new(client.identity().name);
        name.help(client.about())
    });
    PossibleValuesParser::new(names).map(|name| {
        let known = CLIENTS.iter().find(|client| client.identity().name == name);
        #[expect(clippy::expect_used, reason = "the parser lets no other pass")]
        *known.expect("a name of the list")
    })
}

/// Reads the name of a defence.
fn defences() -> impl TypedValueParser<Value = &'static Without> {
    let names = WITHOUT.iter().map(|client| {
        let name = PossibleValue::new(client.defence.id);
        name.help(client.defence.instead)
    });
    PossibleValuesParser::new(names).map(|name| {
        let known = WITHOUT.iter().find(|client| client.defence.id == name);
        #[expect(clippy::expect_used, reason = "the parser lets no other pass")]
        *known.expect("a name of the list")
    })
}

fn max_attempts(text: &str) -> Result<NonZeroU32, NumberError> {
    number::positive("max_attempts", text)
}

fn max_retry_after(text: &str) -> Result<u64, NumberError> {
    number::within(text, 0..=86_400)
}

fn max_pages(text: &str) -> Result<NonZeroU32, NumberError> {
    number::positive("max_pages", text)
}

fn max_items(text: &str) -> Result<NonZeroU32, NumberError> {
    number::positive("max_items", text)
}

impl Arguments {
    /// How to run, at this pace if none is asked for.
    pub(super) fn settings(&self, pace: Pace) -> Settings {
        Settings {
            seed: self.seed.unwrap_or_else(Settings::random_seed),
            client: match self.without {
                Some(without) => without,
                None => self.client,
            },
            pace: match self.pace {
                Some(PaceArgument::Real) => Pace::Real,
                Some(PaceArgument::Virtual) => Pace::Virtual,
                None => pace,
            },
            overrides: Overrides {
                max_attempts: self.max_attempts.map(NonZeroU32::get),
                max_retry_after: self.max_retry_after.map(Duration::from_secs),
                max_pages: self.max_pages.map(NonZeroU32::get),
                max_items: self.max_items.map(NonZeroU32::get),
            },
        }
    }

    /// The two clients that are compared.
    pub(super) fn compared(&self) -> [&'static dyn ClientUnderTest; 2] {
        match self.without {
            Some(without) => [&Reliable, without],
            None => [&Reliable, &Naive],
        }
    }

    /// Prints to stdout, as JSON if that was asked for.
    pub(super) fn print(
        &self,
        value: &impl Serialize,
        text: impl FnOnce(&Options) -> String,
    ) -> Result<(), Exit> {
        terminal::print(&match self.json {
            true => render::json(value),
            false => text(&Options {
                explain: self.explain,
                exchanges: self.exchanges,
                ..terminal::options(self.ascii)
            }),
        })
    }

    /// Whether the report can be written, if one was asked for. It is asked before a run,
    /// which may take a while.
    pub(super) fn check_report(&self) -> Result<(), Exit> {
        self.report.iter().try_for_each(|file| report::check(file))
    }

    /// Writes the report, if one was asked for.
    pub(super) fn write_report(&self, html: impl FnOnce() -> String) -> Result<(), Exit> {
        match &self.report {
            Some(file) => report::write(file, &html()),
            None => Ok(()),
        }
    }

    /// What is to be run, if the options go together.
    pub(super) fn chosen(&self) -> Result<Chosen, Box<dyn Error>> {
        if self.name != ALL {
            if self.filter.is_some() {
                return Err(format!("--filter goes with `lab scenario {ALL}`").into());
            }
            return Ok(Chosen::One(scenario::find(&self.name)?));
        }
        let for_one = [
            (self.compare, "--compare"),
            (self.report.is_some(), "--report"),
        ];
        match for_one.iter().find(|(given, _)| *given) {
            Some((_, option)) => Err(format!("{option} goes with the name of one scenario").into()),
            None => Ok(Chosen::All),
        }
    }
}

/// What a command line asks for.
pub(super) enum Chosen {
    All,
    One(&'static Scenario),
}
