//! The teaching service beside a bare axum handler with the same body.

use std::{process::Command, thread, time::Duration};

use crate::{
    bare_service, lab_service,
    process::{self, Core, Service, is_installed, pinned},
    spread::Spread,
    table::{Bound, Line, Row},
};

const BARE: Row = Row("axum, requests a second", "", Bound::None);
const OFF: Row = Row(
    "service / axum, requests a second",
    "",
    Bound::AtLeast(0.80),
);
const ON: Row = Row("  with spans recorded", "", Bound::AtLeast(0.65));

/// Processes of each service, one after another: the addresses of its memory make a process
/// faster or slower.
const PROCESSES: usize = 5;

/// Rounds of these processes, in which each service has a turn.
const ROUNDS: usize = 3;

/// How long a turn is, in seconds.
const TURN: &str = "1s";

pub(crate) fn measure() -> Vec<Line> {
    if !is_installed("wrk") {
        return [OFF, ON].map(|row| row.missing("needs wrk")).into();
    }
    let mut rates = [const { Vec::new() }; 3];
    for _ in 0..PROCESSES {
        let services = start();
        for _ in 0..ROUNDS {
            for (service, rates) in services.iter().zip(&mut rates) {
                rates.push(load(&service.url("/items"), TURN).a_second);
                // The work that a turn leaves behind, such as histograms, is not the next one's.
                thread::sleep(Duration::from_millis(100));
            }
        }
    }
    let [bare, off, on] = rates;
    vec![
        BARE.measured(Spread::of(bare.iter().copied())),
        OFF.measured(Spread::of_ratios(&off, &bare)),
        ON.measured(Spread::of_ratios(&on, &bare)),
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

/// The counts of `wrk`.
pub(crate) struct Load {
    pub(crate) requests: u64,
    pub(crate) a_second: f64,
}

/// Sends requests for this long, on 16 connections.
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
