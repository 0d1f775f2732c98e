use std::time::Duration;

use super::{claim::READ_TIMEOUT, *};
use crate::{
    client::Client,
    counters::{Counter, Counters},
    outcome::{Ending, Outcome},
    wire::{RetryAfter, WireRequest},
};

const TESTED: Client = Client {
    name: "tested",
    prefix: Client::REFERENCE_PREFIX,
    headlines: &[],
    without: None,
};

fn found(expectation: Expectation, outcome: &Outcome, wire: &WireRecord) -> Check {
    let evidence = Evidence {
        client: TESTED,
        outcome,
        wire,
        counters: &Counters::default(),
        rules_apply: false,
    };
    let mut checks = judge(vec![expectation], evidence);
    checks.pop().expect("one expectation makes one check")
}

/// Every rule is held against evidence that contradicts it: a verdict that
/// cannot be negative is none.
#[test]
fn every_rule_can_fail_and_says_what_was_found() {
    let outcome = Outcome::ok("ok").with("items", 2_u64);
    let wire = WireRecord {
        total: 2,
        ..WireRecord::default()
    };
    let [agree, _] = Expectation::of_every_run(0);
    for (expectation, instead) in [
        (
            Expectation::ending(Ending::HttpError, "it fails"),
            "it ended with: ok",
        ),
        (Expectation::fact("items", 3_u64, "three"), "items is 2"),
        (
            Expectation::fact("status", 200_u64, "200"),
            "the outcome has no status",
        ),
        (Expectation::requests(1), "it saw 2"),
        (Expectation::created(1, "one job"), "it created 0"),
        (
            Expectation::waited_as_asked(&[Duration::from_secs(2)]),
            "it waited for nothing that the service named",
        ),
        (
            Expectation::waited_until_date(Duration::from_secs(3)),
            "it waited for nothing that the service named",
        ),
        (
            Expectation::retried_after(READ_TIMEOUT, "again"),
            "0 of 0 retries followed one",
        ),
        (
            Expectation::requests(1).unless(READ_TIMEOUT, "or silence"),
            "it saw 2",
        ),
        (
            Expectation::counter("client_retries_total", 1, "one retry"),
            "client_retries_total rose by 0",
        ),
        (agree, "the service saw 2, the client counted 0"),
    ] {
        let check = found(expectation, &outcome, &wire);

        assert!(!check.held, "{}", check.text);
        assert_eq!(check.found.as_deref(), Some(instead));
    }
}

#[test]
fn what_holds_has_nothing_else_to_show() {
    let outcome = Outcome::ok("ok").with("items", 3_u64);

    let check = found(
        Expectation::fact("items", 3_u64, "three items"),
        &outcome,
        &WireRecord::default(),
    );

    assert_eq!((check.held, check.found), (true, None));
}

/// Two requests of one caller: the first is asked to wait for two seconds, the second
/// arrives after so long.
fn came_back_after(waited: Duration) -> WireRecord {
    let request = |seq, arrived, status| WireRequest {
        seq,
        arrived,
        method: "GET",
        route: "/busy".to_owned(),
        status: Some(status),
        head: Some(arrived),
        ended: Some(arrived),
        ..WireRequest::default()
    };
    let mut first = request(1, Duration::ZERO, 503);
    first.retry_after = Some(RetryAfter::seconds(Duration::from_secs(2)));
    WireRecord {
        entries: vec![first, request(2, waited, 200)],
        total: 2,
        one_caller: true,
        ..WireRecord::default()
    }
}

/// It may log and count what it likes: nothing of that is asked.
#[test]
fn a_client_that_says_that_it_waited_and_did_not_is_caught() {
    let said = [
        ("client_attempts_total", "result", "200", 2),
        ("client_retries_total", "wait_source", "retry_after", 1),
    ];
    let said = said.map(|(name, label, value, by)| Counter {
        name: name.to_owned(),
        labels: [(label.to_owned(), value.to_owned())].into(),
        value: by,
    });
    let judged = |wire: &WireRecord| {
        let [_, never_early] = Expectation::of_every_run(0);
        let asked = Expectation::waited_as_asked(&[Duration::from_secs(2)]);
        let evidence = Evidence {
            client: TESTED,
            outcome: &Outcome::ok("ok, after a wait of 2 s"),
            wire,
            counters: &said.clone().into_iter().collect(),
            rules_apply: true,
        };
        let checks = judge(vec![asked, never_early], evidence);
        assert!(checks.iter().all(|check| check.source == Source::Wire));
        let broken = checks.into_iter().filter(|check| !check.held);
        broken
            .map(|check| {
                let found = check.found.unwrap_or_default();
                (check.rule, found, check.requests)
            })
            .collect::<Vec<_>>()
    };

    let kept = judged(&came_back_after(Duration::from_secs(2)));
    let broken = judged(&came_back_after(Duration::from_millis(20)));

    assert_eq!(kept, []);
    let early = "asked for 2 s, it came back after 20 ms".to_owned();
    let rule = "asked for 2 s, came back after 20 ms".to_owned();
    let count = "1 came too early".to_owned();
    let expected = [
        (None, early, vec![]),
        (None, count, vec![]),
        (Some("retry-after-seconds"), rule, vec![2]),
    ];
    assert_eq!(broken, expected);
}
