//! The options of `lab scenario`: which scenario to run, and what to do with the
//! evidence.

use std::{error::Error, path::PathBuf};

use clap::{
    Args, ValueEnum,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
};
use render::Options;
use scenario::{
    CLIENTS, ClientUnderTest, Naive, Overrides, Pace, RELIABLE, Reliable, Settings, WITHOUT,
    Without,
    catalogue::{self, Scenario},
    number,
};
use serde::Serialize;
use serde_json::{Value, json};
use wire::UnknownName;

use crate::{
    cli::{
        exit::Exit,
        report,
        running_lab::{default_page, page},
        terminal,
    },
    scenario::web::COMPARE,
};

/// The name that stands for every scenario.
pub(crate) const ALL: &str = "all";

/// Headings in the help.
const CLIENT: &str = "Client and limits";
const EVIDENCE: &str = "Output";

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The scenario to run, or `all`; `lab list` shows them
    name: Option<String>,

    #[command(flatten, next_help_heading = CLIENT)]
    overrides: Overrides,

    /// The seed of jitter, keys, cursors and ids [default: random]
    #[arg(long, value_name = "N", value_parser = number::any, allow_hyphen_values = true)]
    seed: Option<u64>,

    /// The client to run. The naive one breaks most expectations on purpose: the exit
    /// code is then 1
    #[arg(long, help_heading = CLIENT, value_parser = one_of(CLIENTS, |client| (client.identity().name, client.about())), default_value = RELIABLE.name)]
    client: &'static dyn ClientUnderTest,

    /// Remove one defence of the reference client, and see what breaks
    #[arg(long, help_heading = CLIENT, value_name = "DEFENCE", value_parser = one_of(WITHOUT, |without| (without.defence.id, without.about())), conflicts_with = "client")]
    without: Option<&'static Without>,

    /// Run two clients with one seed and show them side by side: the reliable client
    /// and the naive client, or the client of --without. The exit code is that of the
    /// reliable client
    #[arg(long, help_heading = CLIENT, conflicts_with = "client")]
    pub(crate) compare: bool,

    /// Wait in real time, or only compute the waits [default: real; virtual for `all`]
    #[arg(long, value_enum)]
    pace: Option<PaceArgument>,

    /// Run inside the running `lab serve`, in real time, so that Grafana and the web UI
    /// show the run
    #[arg(long, conflicts_with_all = ["ask", "otlp", "report", "json", "exchanges", "ascii"])]
    pub(crate) live: bool,

    /// With --live: the address of the web UI, as `lab serve` prints it
    #[arg(long, value_name = "URL", default_value_t = default_page(), value_parser = page, requires = "live")]
    pub(crate) page: String,

    /// Send the trace to the OTLP/HTTP receiver at this base address, such as
    /// http://127.0.0.1:4318 [default: what the standard variables
    /// OTEL_EXPORTER_OTLP_TRACES_ENDPOINT or OTEL_EXPORTER_OTLP_ENDPOINT say]
    #[arg(long, help_heading = EVIDENCE, value_name = "URL")]
    pub(crate) otlp: Option<String>,

    /// Ask a question first, read your prediction from stdin, and say whether it was
    /// right; with `all`, keep the score
    #[arg(long, help_heading = EVIDENCE, conflicts_with = "json")]
    pub(crate) ask: bool,

    /// Also write the run to this file, as an HTML report
    #[arg(long, help_heading = EVIDENCE, value_name = "FILE")]
    report: Option<PathBuf>,

    /// Print the run as JSON
    #[arg(long, help_heading = EVIDENCE)]
    json: bool,

    /// Show each request and its response as sent over the wire, without possible secrets
    #[arg(long, help_heading = EVIDENCE, conflicts_with = "json")]
    exchanges: bool,

    /// Use ASCII only
    #[arg(long, help_heading = EVIDENCE)]
    ascii: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum PaceArgument {
    Real,
    Virtual,
}

/// Reads one of these names, each with its explanation, as the value that has it.
fn one_of<T: ?Sized>(
    values: &'static [&'static T],
    words: fn(&'static T) -> (&'static str, &'static str),
) -> impl TypedValueParser<Value = &'static T>
where
    &'static T: Clone + Send + Sync,
{
    let names = values.iter().map(|value| {
        let (name, help) = words(value);
        PossibleValue::new(name).help(help)
    });
    PossibleValuesParser::new(names).map(move |name| {
        let known = values.iter().find(|value| words(value).0 == name);
        #[expect(clippy::expect_used, reason = "the parser accepts only known names")]
        *known.expect("a name of the list")
    })
}

impl Arguments {
    /// The settings of the run, with this pace if no option sets one.
    pub(crate) fn settings(&self, pace: Pace) -> Settings {
        Settings {
            seed: self.seed.unwrap_or_else(Settings::random_seed),
            client: self.runner(),
            pace: match self.pace {
                Some(PaceArgument::Real) => Pace::Real,
                Some(PaceArgument::Virtual) => Pace::Virtual,
                None => pace,
            },
            overrides: self.overrides,
        }
    }

    fn runner(&self) -> &'static dyn ClientUnderTest {
        match self.without {
            Some(without) => without,
            None => self.client,
        }
    }

    /// The two clients to compare.
    pub(crate) fn compared(&self) -> [&'static dyn ClientUnderTest; 2] {
        match self.without {
            Some(without) => [&Reliable, without],
            None => [&Reliable, &Naive],
        }
    }

    /// The run that `lab serve` is asked for, with this pace if no option sets one.
    pub(crate) fn run_request(&self, scenario: &Scenario, pace: Pace) -> Value {
        let client = match (self.compare, self.without) {
            (true, _) => COMPARE,
            (false, Some(_)) => RELIABLE.name,
            (false, None) => self.client.identity().name,
        };
        let settings = self.settings(pace);
        json!({
            "scenario": scenario.name(),
            "client": client,
            "without": self.without.map(|without| without.defence.id),
            "pace": settings.pace,
            "seed": settings.seed,
            "settings": settings.overrides,
        })
    }

    /// Prints to stdout, as JSON with `--json`.
    pub(crate) fn print(
        &self,
        value: &impl Serialize,
        text: impl FnOnce(&Options) -> String,
    ) -> Result<(), Exit> {
        terminal::print(&if self.json {
            render::json(value)
        } else {
            text(&Options {
                exchanges: self.exchanges,
                ..terminal::options(self.ascii)
            })
        })
    }

    /// Checks that the report can be written, if one was requested. This happens before a
    /// run, which may take a while.
    pub(crate) fn check_report(&self) -> Result<(), Exit> {
        report::check(
            self.report.iter().map(|file| (report::OPTION, &**file)),
            &[],
        )
    }

    /// Writes the report, if one was requested.
    pub(crate) fn write_report(&self, html: impl FnOnce() -> String) -> Result<(), Exit> {
        match &self.report {
            Some(file) => report::write(file, &html()),
            None => Ok(()),
        }
    }

    /// The runs that the options ask for, if they go together.
    pub(crate) fn chosen(&self) -> Result<Chosen, Box<dyn Error>> {
        let Some(name) = self.name.as_deref() else {
            return Ok(Chosen::None);
        };
        if name != ALL {
            let scenario = catalogue::find(name).map_err(|unknown| or_task(name, unknown))?;
            return Ok(Chosen::One(scenario));
        }
        let for_one = [
            (self.compare, "--compare"),
            (self.report.is_some(), "--report"),
            (self.live, "--live"),
        ];
        if let Some((_, option)) = for_one.iter().find(|(given, _)| *given) {
            return Err(format!("{option} needs the name of one scenario").into());
        }
        Ok(Chosen::All)
    }
}

/// The error for an unknown scenario: one that has the name of a task was perhaps meant to
/// show what the task teaches.
fn or_task(name: &str, unknown: UnknownName) -> Box<dyn Error> {
    match grade::find(name) {
        Ok(task) => format!(
            "no scenario is called '{name}', but a task is; its scenario is '{}'",
            task.words.scenario,
        )
        .into(),
        Err(_) => unknown.into(),
    }
}

/// The scenarios that a command line selects.
pub(crate) enum Chosen {
    None,
    All,
    One(&'static Scenario),
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Words {
        #[command(flatten)]
        arguments: Arguments,
    }

    #[test]
    fn each_option_sets_its_limit() {
        let line = "lab items --max-attempts 2 --backoff 300 --max-retry-after 4 --max-pages 5 \
                    --max-items 6";

        let Words { arguments } = Words::try_parse_from(line.split_whitespace()).expect(line);

        let expected = Overrides {
            max_attempts: Some(2),
            backoff_ms: Some(300),
            max_retry_after_seconds: Some(4),
            max_pages: Some(5),
            max_items: Some(6),
        };
        assert_eq!(arguments.overrides, expected);
        assert!(arguments.chosen().is_ok());
    }
}
