//! A machine may be as slow as it likes: what that makes of a run is no fault of the
//! client, and what its scenario expects.

use std::time::Duration;

use wire::{RetryAfter, WireRecord, WireRequest};

use super::{Check, Evidence, judge};
use crate::{Counter, Counters, DEFAULT_POLICY, Outcome, Overrides, catalogue};

/// The scenario's expectations that failed under these settings.
fn missed(
    scenario: &str,
    overrides: &Overrides,
    wire: &WireRecord,
    outcome: &Outcome,
    counters: Counters,
) -> Vec<Check> {
    let scenario = catalogue::find(scenario).expect("a scenario of the catalogue");
    let policy = (scenario.policy)(DEFAULT_POLICY).with(overrides);
    let evidence = Evidence {
        outcome,
        wire,
        counters: &counters,
        is_one_call: false,
    };
    let mut checks = judge((scenario.expect)(&policy), evidence);
    checks.retain(|check| !check.held);
    checks
}

const fn date(millis: u64) -> RetryAfter {
    RetryAfter::date(Duration::from_millis(millis))
}

#[test]
fn the_scenario_with_a_date_passes_on_a_slow_machine() {
    let missed = |asked: RetryAfter, waited, overrides: &Overrides| {
        let request = |seq, arrived, retry_after| WireRequest {
            seq,
            arrived,
            method: "GET",
            route: "/maintenance".into(),
            status: Some(503),
            head: Some(arrived),
            ended: Some(arrived),
            retry_after,
            ..WireRequest::default()
        };
        let wire = WireRecord {
            entries: vec![
                request(1, Duration::ZERO, Some(asked)),
                request(2, waited, None),
            ],
            total: 2,
            one_call: true,
            ..WireRecord::default()
        };
        let (outcome, counters) = (Outcome::ok("ok"), Counters::default());
        missed("retry-after-date", overrides, &wire, &outcome, counters).len()
    };
    let within_2_s = Overrides {
        max_retry_after_seconds: Some(2),
        ..Overrides::default()
    };
    let in_full = |asked: RetryAfter, overrides: &_| missed(asked, asked.wait(), overrides);
    let (late, early) = (Duration::from_secs(60), Duration::from_secs(1));

    assert_eq!(in_full(date(2_945), &Overrides::default()), 0);
    assert_eq!(missed(date(2_945), late, &Overrides::default()), 0);
    assert_eq!(missed(date(2_945), early, &Overrides::default()), 1);
    // It fits after all.
    assert_eq!(in_full(date(2_999), &within_2_s), 0);
}

#[test]
fn a_second_silence_on_a_slow_machine_is_no_fault_of_the_client() {
    let counters = [
        ("client_retries_total", "reason", "read_timeout"),
        ("client_attempts_total", "result", "read_timeout"),
        ("client_attempts_total", "result", "200"),
    ];
    let counters = counters.map(|(name, label, value)| Counter {
        name: name.to_owned(),
        labels: [(label.to_owned(), value.to_owned())].into(),
        value: 2,
    });
    let wire = WireRecord {
        total: 2,
        ..WireRecord::default()
    };
    let outcome = Outcome::ok("ok").with("items", 3_u64);

    let missed = missed(
        "read-timeout",
        &Overrides::default(),
        &wire,
        &outcome,
        counters.into_iter().collect(),
    );

    assert_eq!(missed, []);
}
