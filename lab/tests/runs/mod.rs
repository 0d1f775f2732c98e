//! The scenarios of the catalogue, run by both clients in virtual time.

mod cancel;
mod catalogue;
mod comparison;
mod defences;
mod difference;
mod fits;
mod lessons;
mod other_runs;
mod pairwise_runs;
mod products;
mod questions;
mod redaction;

use scenario::{CLIENTS, Client, Overrides, ScenarioRun, ScenarioWords, Settings, Story};

fn settings(client: Client, overrides: Overrides) -> Settings {
    let known = CLIENTS.iter().find(|known| known.identity() == client);
    Settings {
        overrides,
        ..Settings::in_virtual_time(*known.expect("a client of the list"), 7)
    }
}

fn text(words: &ScenarioWords, run: &ScenarioRun) -> String {
    scenario::text(words, run, None, &render::Options::default())
}

fn report(words: &ScenarioWords, run: &ScenarioRun) -> String {
    Story::of_run(words, run, render::Options::LAB).page()
}
