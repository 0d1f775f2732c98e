//! The storm: a million requests of its stories, and its default story beside the same model
//! as a plain event loop in Python.

use std::{ops::ControlFlow, process::Command, time::Instant};

use ::storm::{Plan, STORIES, Story, simulate};

use crate::table::{Bound, ratios, show};

const ROUNDS: usize = 3;

/// The default story without a client: it prints how many requests it simulates per second.
const EVENT_LOOP: &str = include_str!("event_loop.py");

/// The seeds of the default story in a round.
const SEEDS: u64 = 5;

pub(crate) fn measure() {
    let rounds = (0..ROUNDS).map(|_| 1e6 / per_second(STORIES, 1));
    let label = "storm, a million requests";
    show(label, " s", Bound::AtMost(2.5), rounds.collect());

    let Some(default) = STORIES.get(..1) else {
        return;
    };
    let (mut storm, mut event_loop) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let Some(requests) = event_loop_per_second() else {
            return;
        };
        event_loop.push(requests);
        storm.push(per_second(default, SEEDS));
    }
    let label = "storm / loop in Python, requests a second";
    show(label, "", Bound::None, ratios(&storm, &event_loop));
}

/// How many requests of these stories are simulated per second.
fn per_second(stories: &'static [Story], seeds: u64) -> f64 {
    let begun = Instant::now();
    let mut requests = 0;
    for story in stories {
        for seed in 1..=seeds {
            let plan = Plan {
                seed,
                ..Plan::of(story)
            };
            let storm = simulate(&plan, |_| ControlFlow::Continue(()));
            let policies = storm.expect("a story can be simulated").policies;
            requests += policies.iter().map(|run| run.totals.requests).sum::<u64>();
        }
    }
    requests as f64 / begun.elapsed().as_secs_f64()
}

/// The same of the event loop; none if Python is not installed.
fn event_loop_per_second() -> Option<f64> {
    let output = Command::new("python3").args(["-c", EVENT_LOOP]).output();
    let output = output.ok()?;
    let printed = String::from_utf8_lossy(&output.stdout);
    Some(printed.trim().parse().expect("a number"))
}
