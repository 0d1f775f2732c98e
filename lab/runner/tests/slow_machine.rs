//! A machine may be as slow as it likes: what that makes of a run is no fault of the
//! client, and what its scenario expects.

use std::time::Duration;

use evidence::{
    Check, Counter, Evidence, Outcome, Overrides, WireRecord, WireRequest, judge, wire::RetryAfter,
};
use runner::{DEFAULT_POLICY, RELIABLE, scenario};

/// The evidence of a run on a slow machine.
#[derive(Default)]
struct Slow {
    /// The Retry-After, and the time until the next request.
    waits: Vec<(RetryAfter, Duration)>,
    seen: u64,
    items: u64,
    counters: Vec<(&'static str, &'static str, &'static str, u64)>,
}

impl Slow {
    /// The scenario's expectations that failed under these settings.
    fn missed(&self, scenario: &str, overrides: &Overrides) -> Vec<Check> {
        let scenario = scenario::find(scenario).expect("a scenario of the catalogue");
        let policy = (scenario.policy)(DEFAULT_POLICY).with(overrides);
        let mut entries: Vec<WireRequest> = Vec::new();
        let mut arrived = Duration::ZERO;
        let mut waits = self.waits.iter();
        loop {
            let wait = waits.next();
            entries.push(WireRequest {
                seq: entries.len() as u64 + 1,
                arrived,
                method: "GET",
                route: "/maintenance".into(),
                status: Some(503),
                head: Some(arrived),
                ended: Some(arrived),
                retry_after: wait.map(|(asked, _)| *asked),
                ..WireRequest::default()
            });
            match wait {
                Some((_, waited)) => arrived += *waited,
                None => break,
            }
        }
        let wire = WireRecord {
            entries,
            total: self.seen,
            one_caller: true,
            ..WireRecord::default()
        };
        let outcome = Outcome::ok("ok").with("items", self.items);
        let counters = self
            .counters
            .iter()
            .map(|(name, label, value, by)| Counter {
                name: (*name).to_owned(),
                labels: [((*label).to_owned(), (*value).to_owned())].into(),
                value: *by,
            });
        let evidence = Evidence {
            client: RELIABLE,
            outcome: &outcome,
            wire: &wire,
            counters: &counters.collect(),
            rules_apply: false,
        };
        let mut checks = judge((scenario.expect)(&policy), evidence);
        checks.retain(|check| !check.held);
        checks
    }
}

const fn date(millis: u64) -> RetryAfter {
    RetryAfter::date(Duration::from_millis(millis))
}

const fn seconds(seconds: u64) -> RetryAfter {
    RetryAfter::seconds(Duration::from_secs(seconds))
}

#[test]
fn the_scenario_with_a_date_passes_on_a_slow_machine() {
    let missed = |asked: RetryAfter, waited, overrides: &Overrides| {
        let run = Slow {
            waits: vec![(asked, waited)],
            seen: 2,
            ..Slow::default()
        };
        run.missed("retry-after-date", overrides).len()
    };
    let within_2_s = Overrides {
        max_retry_after: Some(Duration::from_secs(2)),
        ..Overrides::NONE
    };
    let in_full = |asked: RetryAfter, overrides| missed(asked, asked.wait(), overrides);
    let (late, early) = (Duration::from_secs(60), Duration::from_secs(1));

    assert_eq!(in_full(date(2_945), &Overrides::NONE), 0);
    assert_eq!(missed(date(2_945), late, &Overrides::NONE), 0);
    assert_eq!(missed(date(2_945), early, &Overrides::NONE), 1);
    // It fits after all.
    assert_eq!(in_full(date(2_999), &within_2_s), 0);
    assert_eq!(in_full(seconds(3), &within_2_s), 1);
}

#[test]
fn a_second_silence_on_a_slow_machine_is_no_fault_of_the_client() {
    let run = Slow {
        seen: 2,
        items: 3,
        counters: vec![
            ("client_retries_total", "reason", "read_timeout", 2),
            ("client_attempts_total", "result", "read_timeout", 2),
            ("client_attempts_total", "result", "200", 2),
        ],
        ..Slow::default()
    };

    assert_eq!(run.missed("read-timeout", &Overrides::NONE), []);
}
