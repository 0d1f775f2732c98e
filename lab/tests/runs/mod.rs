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

use std::thread;

use scenario::{
    CLIENTS, Client, Overrides, ScenarioRun, ScenarioWords, Settings, Story,
    catalogue::{CATALOGUE, Scenario},
};

/// What a function makes of every scenario, in the order of the course. Four threads share them.
fn of_the_catalogue<T: Send>(run_all: fn(&'static [Scenario]) -> Vec<T>) -> Vec<T> {
    thread::scope(|threads| {
        let parts = CATALOGUE.chunks(CATALOGUE.len().div_ceil(4));
        let parts: Vec<_> = parts
            .map(|part| threads.spawn(move || run_all(part)))
            .collect();
        let all = parts.into_iter().map(|part| part.join().expect("all"));
        all.flatten().collect()
    })
}

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
