use serde_json::Value;

use super::{super::run_request::ClientChoice, *};
use evidence::{Overrides, Pace};
use runner::{scenario, scenario::Scenario};

fn runs() -> Arc<Runs> {
    Runs::new(Feed::new(), Exposition::new(), Exporters::default())
}

fn request(scenario: &'static Scenario) -> RunRequest {
    RunRequest {
        scenario,
        choice: Default::default(),
        without: None,
        seed: 7,
        pace: Pace::Virtual,
        overrides: Overrides::default(),
    }
}

fn flaky() -> RunRequest {
    request(scenario::find("flaky").expect("known"))
}

/// Waits until nothing goes on any more.
async fn settle(runs: &Runs) {
    let mut tasks = std::mem::take(&mut *runs.tasks());
    while tasks.join_next().await.is_some() {}
}

async fn finished(request: RunRequest) -> Value {
    let runs = runs();
    let id = runs.start(request).expect("room");
    settle(&runs).await;
    serde_json::to_value(runs.find(&id).expect("kept").detail()).expect("JSON")
}

#[tokio::test]
async fn no_more_than_the_limit_go_on_at_once() {
    let runs = runs();
    // Nothing of them is run before this test waits for something.
    for _ in 0..MAX_PLAYING {
        runs.start(flaky()).expect("room");
    }

    let refused = runs.start(flaky()).is_err();
    settle(&runs).await;
    let admitted = runs.start(flaky()).is_ok();

    assert_eq!((refused, admitted), (true, true));
}

#[tokio::test]
async fn a_comparison_has_two_clients() {
    let runs = runs();
    let comparison = RunRequest {
        choice: ClientChoice::COMPARE,
        ..flaky()
    };

    let admitted = (0..MAX_PLAYING).filter(|_| runs.start(comparison).is_ok());

    assert_eq!(admitted.count(), MAX_PLAYING / 2);
}

#[tokio::test]
async fn the_newest_runs_are_kept() {
    let runs = runs();
    let mut ids = Vec::new();
    for _ in 0..MAX_KEPT / 50 + 1 {
        ids.extend((0..50).map(|_| runs.start(flaky()).expect("room")));
        settle(&runs).await;
    }

    let kept: Vec<_> = runs
        .records()
        .iter()
        .map(|record| record.id.clone())
        .collect();

    assert_eq!(kept, ids[ids.len() - MAX_KEPT..]);
    assert!(runs.find(&ids[0]).is_none());
    assert!(runs.tasks().is_empty());
}

#[tokio::test]
async fn a_run_that_goes_on_is_kept_before_one_that_ended() {
    let runs = runs();
    let going_on = runs.start(flaky()).expect("room");
    for _ in 1..MAX_KEPT {
        let id = runs.start(flaky()).expect("room");
        runs.change(&id, |record| record.state = State::Finished);
    }

    runs.start(flaky()).expect("room");

    assert_eq!(runs.records().len(), MAX_KEPT);
    assert!(runs.find(&going_on).is_some());
}

#[tokio::test]
async fn a_run_that_cannot_be_run_says_why() {
    let mut impossible = flaky();
    impossible.overrides.max_attempts = Some(0);

    let run = finished(impossible).await;

    assert_eq!(run["state"], "failed");
    assert_eq!(run["passed"], Value::Null);
    assert_eq!(
        run["error"],
        "max_attempts must be a positive integer, got zero"
    );
}

#[tokio::test]
async fn a_run_that_panics_ends_alone() {
    let flaky = scenario::find("flaky").expect("known");
    let broken = Scenario {
        routes: |_| panic!("a scenario broken on purpose"),
        ..*flaky
    };

    let run = finished(request(Box::leak(Box::new(broken)))).await;

    assert_eq!(run["state"], "failed");
    assert_eq!(run["error"], "the run panicked");
}
