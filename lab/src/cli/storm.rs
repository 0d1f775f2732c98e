//! `lab storm`: many clients, one service, a short trouble.

use std::{collections::BTreeMap, ops::ControlFlow, path::PathBuf};

use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use evidence::storm::{KnobError, Knobs, Policy, Settings, Setup, Storm, Values};
use runner::storm::{POLICIES, play};

use super::{
    Exit,
    number::{self, NumberError},
    report, terminal,
};

/// The most storms that are kept at once.
const MOST_SEEDS: u64 = 1_000;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// What arrivals, work and jitter are drawn from [default: 1]
    #[arg(long, value_parser = number::any)]
    seed: Option<u64>,
    /// Play the storm of this many seeds, from --seed on, and count where the service
    /// stayed down
    #[arg(long, value_name = "N", value_parser = seeds)]
    seeds: Option<u64>,
    /// Print the storm, or the storms, as JSON
    #[arg(long)]
    json: bool,
    /// Write the storm as a page of HTML
    #[arg(long, value_name = "FILE", conflicts_with = "seeds")]
    report: Option<PathBuf>,
    /// Use nothing but ASCII
    #[arg(long)]
    ascii: bool,
    #[command(flatten)]
    settings: Turned<Settings>,
    #[command(flatten)]
    setup: Turned<Setup>,
}

/// The knobs of a table that are turned on the command line: an option for each.
#[derive(Debug)]
struct Turned<T> {
    knobs: BTreeMap<&'static str, String>,
    of: std::marker::PhantomData<T>,
}

impl<T: Knobs> Turned<T> {
    fn apply(&self, to: &mut T) -> Result<(), KnobError> {
        self.knobs
            .iter()
            .try_for_each(|(name, text)| to.set_text(name, text))
    }
}

/// The option of a knob: its name without the unit.
fn option(name: &str) -> String {
    name.trim_end_matches("_seconds").replace('_', "-")
}

impl<T: Knobs + Headed> Args for Turned<T> {
    fn augment_args(command: Command) -> Command {
        let arguments = T::KNOBS.iter().map(|knob| {
            let name = match knob.values {
                Values::OneOf(_) => "WORD",
                Values::Whole { .. } => "N",
                Values::Number { .. } if knob.unit() == "s" => "SECONDS",
                Values::Number { .. } => "X",
            };
            let values = match knob.values {
                Values::OneOf(words) => words.join(", "),
                Values::Whole { least, most } => format!("{least} to {most}"),
                Values::Number { least, most } => format!("{least} to {most}"),
            };
            let default = knob.value(&T::default_value());
            Arg::new(knob.name)
                .long(option(knob.name))
                .value_name(name)
                .help(format!("{} [{values}; default: {default}]", knob.what))
                .hide_short_help(true)
        });
        command.next_help_heading(T::HEADING).args(arguments)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<T: Knobs> FromArgMatches for Turned<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = T::KNOBS.iter().filter_map(|knob| {
            let text = matches.get_one::<String>(knob.name)?;
            Some((knob.name, text.clone()))
        });
        Ok(Self {
            knobs: given.collect(),
            of: std::marker::PhantomData,
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// What a table of knobs is called in the help, and what it starts from.
trait Headed {
    const HEADING: &'static str;

    fn default_value() -> Self;
}

impl Headed for Settings {
    const HEADING: &'static str = "The storm";

    fn default_value() -> Self {
        Self::DEFAULT
    }
}

impl Headed for Setup {
    const HEADING: &'static str = "A policy of your own, beside the others";

    fn default_value() -> Self {
        Self::DEFAULT
    }
}

pub(super) fn storm(arguments: &Arguments) -> Result<Exit, Exit> {
    let usage = |error: &dyn std::error::Error| terminal::fail(error, Exit::Usage);
    let mut settings = Settings::DEFAULT;
    arguments
        .settings
        .apply(&mut settings)
        .map_err(|error| usage(&error))?;
    let mut policies = POLICIES.to_vec();
    if !arguments.setup.knobs.is_empty() {
        let mut setup = Setup::DEFAULT;
        arguments
            .setup
            .apply(&mut setup)
            .map_err(|error| usage(&error))?;
        policies.push(Policy::new("yours", setup));
    }
    let first = arguments.seed.unwrap_or(1);
    let options = terminal::options(arguments.ascii);
    let play = |seed| -> Result<Storm, Exit> {
        let storm = play(&settings, seed, &policies, |_| ControlFlow::Continue(()));
        storm.map_err(|error| usage(&error))
    };
    let text = match arguments.seeds {
        None => {
            let storm = play(first)?;
            let text = match arguments.json {
                true => render::json(&storm),
                false => render::storm(&storm, &options),
            };
            terminal::print(&text)?;
            if let Some(file) = &arguments.report {
                report::write(file, &render::html_storm(&storm))?;
            }
            return Ok(Exit::Passed);
        }
        Some(seeds) => {
            let bar = terminal::progress(seeds);
            let storms = (0..seeds).map(|number| {
                let storm = play(first.wrapping_add(number));
                bar.inc(1);
                storm
            });
            let storms = storms.collect::<Result<Vec<_>, _>>()?;
            bar.finish_and_clear();
            match arguments.json {
                true => render::json(&storms),
                false => render::storms(&storms, &options),
            }
        }
    };
    terminal::print(&text).map(|()| Exit::Passed)
}

fn seeds(text: &str) -> Result<u64, NumberError> {
    number::within(text, 1..=MOST_SEEDS)
}
