//! The storm: a million requests of its default story, which no setting of another story can
//! change, the instructions of one, and the story beside the same model as a plain event loop in
//! Python.

use std::{hint::black_box, ops::ControlFlow, process::Command, time::Instant};

use ::storm::{Plan, PolicyRun, Story, simulate, story};

use crate::{
    process::instructions,
    table::{Bound, ratios, show},
};

const ROUNDS: usize = 3;

/// The default story without a client: it prints how many requests it simulates, and how many
/// per second.
const EVENT_LOOP: &str = include_str!("event_loop.py");

/// The seeds of the default story in a round.
const SEEDS: u64 = 5;

/// The number of requests of a simulation.
struct Requests {
    /// Those of the pictures.
    shown: f64,
    /// All that were simulated, in a second of the processor.
    per_second: f64,
}

pub(crate) fn measure() {
    let default = story("spike").expect("the default story");
    let rounds = (0..ROUNDS).map(|_| 1e6 / of_storms(default).per_second);
    let label = "storm, a million requests";
    show(label, " s", Bound::AtMost(2.5), rounds.collect());

    if let Some(count) = instructions(&["storm"], "figures::storm::counted") {
        let thousands = count / 1e3 / counted() as f64;
        let label = "storm, a request, thousand instructions";
        show(label, "", Bound::AtMost(15.2), vec![thousands]);
    }

    let (mut storm, mut event_loop) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let Some(requests) = of_event_loop() else {
            return;
        };
        let same = of_storms(default);
        // Only the same model can be compared. Chance changes the number by a percent or so.
        let ratio = requests.shown / same.shown;
        assert!((0.95..1.05).contains(&ratio), "{ratio} times as many");
        event_loop.push(requests.per_second);
        storm.push(same.per_second);
    }
    let label = "storm / loop in Python, requests a second";
    show(label, "", Bound::None, ratios(&storm, &event_loop));
}

/// The requests of this story.
fn of_storms(story: &'static Story) -> Requests {
    let begun = Instant::now();
    let (mut shown, mut simulated) = (0, 0);
    for seed in 1..=SEEDS {
        for run in policies(story, seed) {
            shown += run.totals.requests;
            simulated += run.simulated_requests;
        }
    }
    Requests {
        shown: shown as f64,
        per_second: simulated as f64 / begun.elapsed().as_secs_f64(),
    }
}

fn policies(story: &'static Story, seed: u64) -> Vec<PolicyRun> {
    let plan = Plan {
        seed,
        ..Plan::of(story)
    };
    let storm = simulate(&plan, |_| ControlFlow::Continue(()));
    storm.expect("a story can be simulated").policies
}

/// Simulates the storm whose instructions are counted.
pub(crate) fn simulate_counted() {
    black_box(counted());
}

/// The number of requests of the default story. Callgrind finds it by the name of this function.
#[inline(never)]
fn counted() -> u64 {
    let story = story("spike").expect("the default story");
    let runs = policies(story, 1);
    runs.iter().map(|run| run.simulated_requests).sum()
}

/// The requests of the event loop; none if Python is not installed.
fn of_event_loop() -> Option<Requests> {
    let output = Command::new("python3").args(["-c", EVENT_LOOP]).output();
    let printed = String::from_utf8(output.ok()?.stdout).expect("text");
    let mut numbers = printed.split_whitespace();
    let mut number = || numbers.next()?.parse().ok();
    let (shown, per_second) = number().zip(number()).expect("two numbers");
    Some(Requests { shown, per_second })
}
