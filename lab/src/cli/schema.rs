//! `lab schema`: what a run, a card or a storm looks like as JSON, for whoever reads
//! one by program.

use clap::{Args, ValueEnum};

use super::{Exit, terminal};

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// What is to be described
    #[arg(value_enum, default_value_t = Described::Run)]
    what: Described,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Described {
    /// What `scenario --json` prints
    Run,
    /// What `grade --json` prints
    Card,
    /// What `storm --json` prints
    Storm,
}

pub(super) fn schema(arguments: &Arguments) -> Result<Exit, Exit> {
    let schema = match arguments.what {
        Described::Run => render::run_schema(),
        Described::Card => render::card_schema(),
        Described::Storm => render::storm_schema(),
    };
    terminal::print(&schema).map(|()| Exit::Passed)
}
