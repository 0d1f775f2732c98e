//! The time of a storm.

use std::{
    env,
    ops::ControlFlow,
    path::Path,
    process::{Command, Stdio},
    time::Instant,
};

use storm::{Plan, STORIES, simulate};

use crate::{
    process::{self, Core},
    spread::Spread,
    table::{Bound, Line, Row},
};

/// A worker that simulates the stories, and prints the time of a million requests.
pub(crate) const WORKER: &str = "stories";

const MILLION: f64 = 1e6;
const ROUNDS: usize = 3;

const REQUESTS: Row = Row("storm, a million requests", " s", Bound::AtMost(12.0));
const STORY: Row = Row(
    "storm, the default story in a debug build",
    " s",
    Bound::AtMost(3.0),
);

pub(crate) fn measure() -> Vec<Line> {
    let rounds = (0..ROUNDS).map(|_| {
        let worker = process::worker_on(Core::First, WORKER, &[]);
        process::output(worker).trim().parse().expect("a number")
    });
    vec![REQUESTS.measured(Spread::of(rounds)), default_story()]
}

/// Simulates every story, and prints the seconds of a million requests.
pub(crate) fn simulate_stories() {
    let begun = Instant::now();
    let mut requests = 0;
    for story in STORIES {
        let storm = simulate(&Plan::of(story), |_| ControlFlow::Continue(()));
        let storm = storm.expect("a story can be simulated");
        let simulated = storm.policies.iter().map(|run| run.totals.requests);
        requests += simulated.sum::<u64>();
    }
    println!(
        "{}",
        begun.elapsed().as_secs_f64() * MILLION / requests as f64
    );
}

/// The time of `cargo run -p lab -- storm`, once it is built.
fn default_story() -> Line {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let build = Command::new(cargo)
        .args(["build", "--quiet", "--package", "lab"])
        .current_dir(&root)
        .status();
    assert!(build.expect("cargo runs").success(), "the lab is built");
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), Into::into);
    let lab = target.join("debug").join("lab");
    let rounds = (0..ROUNDS).map(|_| {
        let begun = Instant::now();
        let storm = Command::new(&lab)
            .arg("storm")
            .stdout(Stdio::null())
            .status();
        assert!(storm.expect("the lab runs").success());
        begun.elapsed().as_secs_f64()
    });
    STORY.measured(Spread::of(rounds))
}
