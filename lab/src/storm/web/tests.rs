use std::time::Duration;

use storm::STORIES;
use tokio::time::{Instant, sleep, timeout};

use super::{
    record::{ABANDONED, WITHIN},
    *,
};

/// The least that a clock can advance.
const MOMENT: Duration = Duration::from_millis(1);

/// The address of a storm that runs too long to wait for.
const ENDLESS: &str = "/storm/spike?seed=1&calls_per_second=1000&length=600";

/// The plan of that address, with another seed.
fn endless(seed: u64) -> Plan {
    let mut plan = Plan::of(&STORIES[0]);
    plan.settings.calls_per_second = 1_000.0;
    plan.settings.length = Duration::from_secs(600);
    plan.seed = seed;
    plan
}

/// A storm that ends at once.
fn quick(seed: u64) -> Plan {
    let mut plan = Plan::of(&STORIES[0]);
    plan.settings.calls_per_second = 1.0;
    plan.settings.length = Duration::from_secs(17);
    plan.policies.truncate(1);
    plan.seed = seed;
    plan
}

fn storms() -> Arc<Storms> {
    Storms::new(Arc::default())
}

fn ask(storms: &Arc<Storms>, plan: Plan) -> Arc<Record> {
    storms.ask(plan).expect("room")
}

/// Waits until a storm has this phase.
async fn becomes(record: &Record, phase: Phase) {
    let reached = async {
        while record.phase() != phase {
            sleep(MOMENT).await;
        }
    };
    let reached = timeout(testkit::PATIENCE, reached).await;
    reached.unwrap_or_else(|_| panic!("{:?} in place of {phase:?}", record.phase()));
}

#[tokio::test]
async fn a_plan_is_simulated_once() {
    let storms = storms();

    let first = ask(&storms, quick(1));
    first.ended().await;
    let again = ask(&storms, quick(1));
    let other = ask(&storms, quick(2));

    assert!(Arc::ptr_eq(&first, &again));
    assert!(!Arc::ptr_eq(&first, &other));
    assert_eq!(first.phase(), Phase::Over);
}

#[tokio::test(start_paused = true)]
async fn a_storm_that_nobody_asks_for_ends_after_five_seconds() {
    let storms = storms();
    let record = ask(&storms, endless(1));

    sleep(ABANDONED / 2).await;
    ask(&storms, endless(1));
    sleep(ABANDONED - MOMENT).await;
    assert!(storms.kept(&record.plan).is_some(), "it was asked for");
    sleep(2 * MOMENT).await;

    assert!(storms.kept(&record.plan).is_none());
    // Its turn is free again.
    storms.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_storm_goes_on_while_its_page_is_streamed() {
    let storms = storms();
    let record = ask(&storms, endless(1));

    let stream = storms.streamed(ENDLESS).expect("it is kept");
    sleep(20 * ABANDONED).await;
    assert!(storms.kept(&record.plan).is_some());
    drop(stream);
    sleep(ABANDONED + MOMENT).await;

    assert!(storms.kept(&record.plan).is_none());
    storms.stop().await;
}

#[tokio::test]
async fn the_stream_of_another_page_keeps_no_storm() {
    let storms = storms();
    ask(&storms, endless(2));

    for page in [
        "",
        "/runs",
        ENDLESS,
        "/storm/spike",
        "/storm/%",
        "/storm/spike?workers=x",
    ] {
        assert!(storms.streamed(page).is_none(), "{page}");
    }
    storms.stop().await;
}

#[tokio::test]
async fn two_are_simulated_at_once_and_the_next_waits_for_its_turn() {
    let storms = storms();
    let records = [1, 2, 3].map(|seed| ask(&storms, endless(seed)));
    becomes(&records[0], Phase::Running).await;
    becomes(&records[1], Phase::Running).await;
    assert_eq!(records[2].phase(), Phase::Waiting);

    storms.cancel(&records[0].plan).await;

    becomes(&records[2], Phase::Running).await;
    becomes(&records[0], Phase::Cancelled).await;
    storms.stop().await;
    becomes(&records[2], Phase::Cancelled).await;
}

#[tokio::test]
async fn a_storm_that_waits_can_be_cancelled_and_started_again() {
    let storms = storms();
    let records = [1, 2, 3].map(|seed| ask(&storms, endless(seed)));
    becomes(&records[1], Phase::Running).await;

    storms.cancel(&records[2].plan).await;
    let kept = ask(&storms, endless(3)).phase();
    storms.again(&records[2].plan);
    let again = ask(&storms, endless(3)).phase();
    storms.again(&records[1].plan);

    assert_eq!((kept, again), (Phase::Cancelled, Phase::Waiting));
    let goes_on = ask(&storms, endless(2));
    assert!(
        Arc::ptr_eq(&goes_on, &records[1]),
        "one that goes on is not started again"
    );
    storms.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_storm_is_waited_for_while_it_is_new() {
    let storms = storms();
    let record = ask(&storms, endless(1));
    let asked = Instant::now();

    record.settled().await;
    assert_eq!(asked.elapsed(), WITHIN);
    record.settled().await;
    assert_eq!(asked.elapsed(), WITHIN, "it is not new any more");

    storms.stop().await;
}

#[tokio::test]
async fn no_storm_begins_after_the_stop() {
    let storms = storms();
    storms.stop().await;

    let late = ask(&storms, quick(1));
    late.ended().await;

    assert_eq!(late.phase(), Phase::Cancelled);
}

#[tokio::test]
async fn a_storm_is_dropped_without_a_newer_one_of_its_plan() {
    let storms = storms();
    let old = ask(&storms, quick(1));
    storms.forget(&old);
    let newer = ask(&storms, quick(1));

    storms.forget(&old);

    let kept = storms.kept(&newer.plan).expect("it is kept");
    assert!(Arc::ptr_eq(&kept, &newer));
    storms.stop().await;
}

#[tokio::test]
async fn the_newest_storms_are_kept_and_those_that_go_on_before_others() {
    let storms = storms();
    let going_on = ask(&storms, endless(0));
    for seed in 1..=MAX_KEPT as u64 {
        ask(&storms, quick(seed)).ended().await;
    }

    assert_eq!(lock(&storms.records).len(), MAX_KEPT);
    assert!(storms.kept(&going_on.plan).is_some());
    assert!(
        storms.kept(&quick(1)).is_none(),
        "it was the oldest that is over"
    );
    assert!(storms.kept(&quick(2)).is_some());
    storms.stop().await;
}

#[tokio::test]
async fn as_many_storms_go_on_as_are_kept() {
    let storms = storms();
    for seed in 0..MAX_KEPT as u64 {
        ask(&storms, endless(seed));
    }

    let refused = storms.ask(quick(1)).map(|_| ()).expect_err("no room");

    assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS);
    assert!(storms.ask(endless(7)).is_ok(), "it is there already");
    storms.stop().await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_storm_that_gets_no_thread_says_so_and_frees_its_turn() {
    let storms = storms();
    // No system has so much memory for the stack of a thread.
    let no_thread = || thread::Builder::new().stack_size(1 << 50);

    for seed in 0..=u64::from(TURNS) {
        let record = storms.ask_on(no_thread, quick(seed)).expect("room");
        record.ended().await;

        let phase = record.phase();
        let says = matches!(&phase, Phase::Failed(why) if why.contains("no thread"));
        assert!(says, "{phase:?}");
        storms.again(&record.plan);
        let again = ask(&storms, quick(seed));
        again.ended().await;
        assert_eq!(again.phase(), Phase::Over);
    }
}
