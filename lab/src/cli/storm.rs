//! `lab storm`: many clients, one service, a short trouble.

use clap::Args;
use runner::storm::{POLICIES, Settings, play};

use super::{
    Exit,
    number::{self, NumberError},
    terminal,
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
    /// Use nothing but ASCII
    #[arg(long)]
    ascii: bool,
}

pub(super) fn storm(arguments: &Arguments) -> Result<Exit, Exit> {
    let mut settings = Settings::default();
    settings.seed = arguments.seed.unwrap_or(settings.seed);
    let options = terminal::options(arguments.ascii);
    let play = |settings: &Settings| {
        let storm = play(settings, &POLICIES);
        storm.map_err(|error| terminal::fail(&error, Exit::Environment))
    };
    let text = match arguments.seeds {
        None => {
            let storm = play(&settings)?;
            match arguments.json {
                true => render::json(&storm),
                false => render::storm(&storm, &options),
            }
        }
        Some(seeds) => {
            let bar = terminal::progress(seeds);
            let storms = (0..seeds).map(|number| {
                let seed = settings.seed.wrapping_add(number);
                let storm = play(&Settings { seed, ..settings });
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
