//! The scenarios of the catalogue, run by both clients in virtual time.

mod cancel;
mod catalogue;
mod comparison;
mod defences;
mod fits;
mod lessons;
mod pairwise_runs;
mod questions;
mod redaction;

use evidence::{Client, Overrides, Run, ScenarioWords};
use runner::{CLIENTS, Settings};

fn settings(client: Client, overrides: Overrides) -> Settings {
    let known = CLIENTS.iter().find(|known| known.identity() == client);
    Settings {
        overrides,
        ..Settings::in_virtual_time(*known.expect("a client of the list"), 7)
    }
}

fn text(words: &ScenarioWords, run: &Run) -> String {
    render::text(words, run, None, &render::Options::default())
}

fn report(words: &ScenarioWords, run: &Run) -> String {
    render::html(words, run, None, &runner::metrics(), render::Options::LAB)
}
