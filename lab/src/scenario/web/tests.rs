use scenario::{
    Overrides, Pace,
    catalogue::{self, Scenario},
};
use serde_json::Value;

use super::{request::ClientChoice, *};

fn runs() -> Arc<Runs> {
    Runs::new(Arc::default(), Exposition::new(), Exporters::default())
}

fn request(scenario: &'static Scenario) -> RunRequest {
    RunRequest {
        scenario,
        choice: Default::default(),
        without: None,
        seed: 7,
        pace: Pace::Virtual,
        kept: true,
        overrides: Overrides::default(),
    }
}

fn flaky() -> RunRequest {
    request(catalogue::find("flaky").expect("known"))
}

/// Waits until all runs have ended.
async fn settle(runs: &Runs) {
    let mut tasks = std::mem::take(&mut *lock(&runs.tasks));
    while tasks.join_next().await.is_some() {}
}

async fn finished(request: RunRequest) -> Value {
    let runs = runs();
    let id = runs.start(request).expect("room");
    settle(&runs).await;
    serde_json::to_value(runs.find(&id).expect("kept").detail()).expect("JSON")
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

    let kept: Vec<_> = lock(&runs.records)
        .iter()
        .map(|record| record.id.clone())
        .collect();

    assert_eq!(kept, ids[ids.len() - MAX_KEPT..]);
    assert!(runs.find(&ids[0]).is_none());
    assert!(lock(&runs.tasks).is_empty());
}

#[tokio::test]
async fn running_runs_are_kept_before_finished_ones() {
    let runs = runs();
    let going_on = runs.start(flaky()).expect("room");
    for _ in 1..MAX_KEPT {
        let id = runs.start(flaky()).expect("room");
        runs.change(&id, |record| record.state = State::Finished);
    }

    runs.start(flaky()).expect("room");

    assert_eq!(lock(&runs.records).len(), MAX_KEPT);
    assert!(runs.find(&going_on).is_some());
}

#[tokio::test]
async fn a_failed_run_has_a_reason_and_the_lesson_for_every_client() {
    let mut impossible = flaky();
    impossible.overrides.max_attempts = Some(0);

    let run = finished(impossible).await;

    assert_eq!(run["state"], "failed");
    assert_eq!(run["passed"], Value::Null);
    assert_eq!(
        run["error"],
        "max_attempts must be a positive integer, got 0"
    );
    let general = flaky().scenario.words.why;
    assert_eq!(run["lesson"], general);
}

#[tokio::test]
async fn a_panicking_run_does_not_affect_others() {
    let flaky = catalogue::find("flaky").expect("known");
    let broken = Scenario {
        routes: |_| panic!("a scenario broken on purpose"),
        ..*flaky
    };

    let run = finished(request(Box::leak(Box::new(broken)))).await;

    assert_eq!(run["state"], "failed");
    assert_eq!(run["error"], "the run panicked");
}
