//! `lab schema`: the JSON Schema of a run, a card or a storm.

use clap::{Args, ValueEnum};

use super::{Exit, terminal};

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The kind of document
    #[arg(value_enum, default_value_t = Described::Run)]
    what: Described,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Described {
    /// The output of `scenario --json`
    Run,
    /// The output of `grade --json`
    Card,
    /// The output of `storm --json`
    Storm,
    /// The output of `proxy --json`
    Proxy,
}

pub(super) fn schema(arguments: &Arguments) -> Result<Exit, Exit> {
    let schema = match arguments.what {
        Described::Run => render::run_schema(),
        Described::Card => render::card_schema(),
        Described::Storm => render::storm_schema(),
        Described::Proxy => render::proxy_schema(),
    };
    terminal::print(&schema).map(|()| Exit::Passed)
}
