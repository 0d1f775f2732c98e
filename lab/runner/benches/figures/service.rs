//! The teaching service beside a bare axum handler with the same body.

use std::{process::Command, thread, time::Duration};

use crate::{
    bare_service, lab_service,
    process::{self, Core, Service, is_installed, pinned},
    spread::Spread,
    table::{Bound, Line},
};

const OFF: &str = "service / axum, requests a second";
const ON: &str = "  with spans recorded";
const OFF_BOUND: Bound = Bound::AtLeast(0.80);
const ON_BOUND: Bound = Bound::AtLeast(0.65);

/// Processes of each service, one after another: no two are alike in where their memory
/// happens to lie.
const PROCESSES: usize = 5;

/// Rounds of these processes, in which each service has a turn.
const ROUNDS: usize = 3;

/// How long a turn is, in seconds.
const TURN: &str = "1s";

pub(crate) fn measure() -> Vec<Line> {
    if !is_installed("wrk") {
        let missing = |what, bound| Line::missing(what, "needs wrk", bound);
        return vec![missing(OFF, OFF_BOUND), missing(ON, ON_BOUND)];
    }
    let mut rates = [const { Vec::new() }; 3];
    for _ in 0..PROCESSES {
        let services = start();
        for _ in 0..ROUNDS {
            for (service, rates) in services.iter().zip(&mut rates) {
                rates.push(load(&service.url("/items"), TURN).a_second);
                // What a turn has left to do, its log of histograms say, is its own.
                thread::sleep(Duration::from_millis(100));
            }
        }
    }
    let [bare, off, on] = rates;
    vec![
        Line::measured(
            "axum, requests a second",
            Spread::of(bare.iter().copied()),
            "",
            Bound::None,
        ),
        Line::measured(OFF, Spread::of_ratios(&off, &bare), "", OFF_BOUND),
        Line::measured(ON, Spread::of_ratios(&on, &bare), "", ON_BOUND),
    ]
}

/// The bare service, and the teaching service with spans off and on.
fn start() -> [Service; 3] {
    let start = |worker, arguments: &[&str]| {
        Service::start(process::worker_on(Core::First, worker, arguments))
    };
    [
        start(bare_service::WORKER, &[]),
        start(lab_service::WORKER, &[]),
        start(lab_service::WORKER, &[lab_service::SPANS]),
    ]
}

/// What `wrk` has counted.
pub(crate) struct Load {
    pub(crate) requests: u64,
    pub(crate) a_second: f64,
}

/// Sends requests for so long, on 16 connections.
pub(crate) fn load(url: &str, duration: &str) -> Load {
    let mut wrk: Command = pinned(Core::Second, "wrk");
    wrk.args(["-t1", "-c16", "-d", duration, url]);
    let said = process::output(wrk);
    assert!(!said.contains("Non-2xx"), "{said}");
    let lines = || said.lines().map(str::trim);
    let requests = lines().find_map(|line| line.split_once(" requests in "));
    let a_second = lines().find_map(|line| line.strip_prefix("Requests/sec:"));
    let (Some((requests, _)), Some(a_second)) = (requests, a_second) else {
        panic!("wrk counts: {said}");
    };
    Load {
        requests: requests.parse().expect("a number"),
        a_second: a_second.trim().parse().expect("a number"),
    }
}
