//! The storm: a million requests of its default story, which no setting of another story can
//! change, and the story beside the same model as a plain event loop in Python.

use std::{ops::ControlFlow, process::Command, time::Instant};

use ::storm::{Plan, Story, simulate, story};

use crate::table::{Bound, ratios, show};

const ROUNDS: usize = 3;

/// The default story without a client: it prints how many requests it simulates, and how many
/// per second.
const EVENT_LOOP: &str = include_str!("event_loop.py");

/// The seeds of the default story in a round.
const SEEDS: u64 = 5;

/// The number of requests of a simulation.
struct Requests {
    all: f64,
    per_second: f64,
}

pub(crate) fn measure() {
    let default = story("spike").expect("the default story");
    let rounds = (0..ROUNDS).map(|_| 1e6 / of_storms(default).per_second);
    let label = "storm, a million requests";
    show(label, " s", Bound::AtMost(2.5), rounds.collect());

    let (mut storm, mut event_loop) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let Some(requests) = of_event_loop() else {
            return;
        };
        let same = of_storms(default);
        // Only the same model can be compared. Chance changes the number by a percent or so.
        let ratio = requests.all / same.all;
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
    let mut requests = 0;
    for seed in 1..=SEEDS {
        let plan = Plan {
            seed,
            ..Plan::of(story)
        };
        let storm = simulate(&plan, |_| ControlFlow::Continue(()));
        let policies = storm.expect("a story can be simulated").policies;
        requests += policies.iter().map(|run| run.totals.requests).sum::<u64>();
    }
    let all = requests as f64;
    Requests {
        all,
        per_second: all / begun.elapsed().as_secs_f64(),
    }
}

/// The requests of the event loop; none if Python is not installed.
fn of_event_loop() -> Option<Requests> {
    let output = Command::new("python3").args(["-c", EVENT_LOOP]).output();
    let printed = String::from_utf8(output.ok()?.stdout).expect("text");
    let mut numbers = printed.split_whitespace();
    let mut number = || numbers.next()?.parse().ok();
    let (all, per_second) = number().zip(number()).expect("two numbers");
    Some(Requests { all, per_second })
}
