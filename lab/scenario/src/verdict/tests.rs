use std::time::Duration;

use testkit::script::Script;
use wire::{RetryAfter, WireRecord};

use super::{expectation::READ_TIMEOUT, *};
use crate::{
    counters::{Counter, Counters},
    outcome::{Ending, Outcome},
};

fn found(expectation: Expectation, outcome: &Outcome, wire: &WireRecord) -> Check {
    found_with(expectation, outcome, wire, &Counters::default())
}

fn found_with(
    expectation: Expectation,
    outcome: &Outcome,
    wire: &WireRecord,
    counters: &Counters,
) -> Check {
    let evidence = Evidence {
        outcome,
        wire,
        counters,
        is_one_call: false,
    };
    let mut checks = judge(vec![expectation], evidence);
    checks.pop().expect("one expectation makes one check")
}

/// Each expectation meets evidence that contradicts it: one that cannot fail checks nothing.
#[test]
fn every_expectation_can_fail_and_says_what_was_found() {
    let outcome = Outcome::ok("ok").with("items", 2_u64);
    let wire = WireRecord {
        total: 2,
        ..WireRecord::default()
    };
    let ended = Expectation::ending(Ending::HttpError, "it fails");
    let status = Expectation::fact("status", 200_u64, "200");
    let asked = Expectation::waited_as_asked(&[Duration::from_secs(2)]);
    let date = Expectation::waited_until_date(Duration::from_secs(3));
    let again = Expectation::retried_after(READ_TIMEOUT, "again");
    let counted = Expectation::counter("client_retries_total", 1, "one retry");
    let [agree, ..] = Expectation::of_every_run(0);
    for (expectation, instead) in [
        (
            Expectation::fact("items", 3_u64, "three"),
            "2 were delivered",
        ),
        (Expectation::requests(1), "it saw 2"),
        (Expectation::created(1, "one job"), "it created 0"),
        (ended, "it ended with: ok"),
        (status, "the result has no status"),
        (asked, "it waited for no Retry-After"),
        (date, "it waited for no Retry-After"),
        (again, "there was no retry"),
        (counted, "client_retries_total rose by 0"),
        (agree, "the service saw 2, the client counted 0"),
    ] {
        let check = found(expectation, &outcome, &wire);

        assert!(!check.held, "{}", check.text);
        assert_eq!(check.found.as_deref(), Some(instead));
    }
}

/// Its logs and counters are not used.
#[test]
fn a_client_that_falsely_claims_to_have_waited_is_caught() {
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
        let [.., never_early] = Expectation::of_every_run(0);
        let asked = Expectation::waited_as_asked(&[Duration::from_secs(2)]);
        let evidence = Evidence {
            outcome: &Outcome::ok("ok, after a wait of 2 s"),
            wire,
            counters: &said.clone().into_iter().collect(),
            is_one_call: true,
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

    let asked = || Script::new().respond(0, 503).retry_after(2);
    let kept = judged(&asked().respond(2_000, 200).record());
    let broken = judged(&asked().respond(20, 200).record());

    assert_eq!(kept, []);
    let early = "asked for 2 s, retried after 20 ms".to_owned();
    let rule = "asked for 2 s, retried after 20 ms".to_owned();
    let count = "1 came too early".to_owned();
    let expected = [
        (None, early, vec![]),
        (None, count, vec![]),
        (Some("retry-after-seconds"), rule, vec![2]),
    ];
    assert_eq!(broken, expected);
}

/// One counter for each of these values of a label.
fn counters(name: &str, label: &str, values: &[(&str, u64)]) -> Counters {
    let counter = |(value, by): &(&str, u64)| Counter {
        name: name.to_owned(),
        labels: [(label.to_owned(), (*value).to_owned())].into(),
        value: *by,
    };
    values.iter().map(counter).collect()
}

/// Requests of one caller, each sent as soon as the last Retry-After allows.
fn waited(asked: &[RetryAfter]) -> WireRecord {
    let mut at = 0;
    let script = asked.iter().fold(Script::new(), |script, asked| {
        let script = script.respond(at, 503).retry_after_header(*asked);
        at += asked.wait().as_millis() as u64;
        script
    });
    script.respond(at, 503).record()
}

fn seconds(seconds: u64) -> RetryAfter {
    RetryAfter::seconds(Duration::from_secs(seconds))
}

#[test]
fn only_unseen_and_timed_out_requests_may_be_counted_by_the_client_alone() {
    let contradicted = |seen, counted| {
        Some(format!(
            "the service saw {seen}, the client counted {counted}"
        ))
    };
    let agree = |unseen, seen, answered, timed_out| {
        let [expectation, ..] = Expectation::of_every_run(unseen);
        let wire = WireRecord {
            total: seen,
            ..WireRecord::default()
        };
        let results = [("200", answered), (READ_TIMEOUT, timed_out)];
        let evidence = Evidence {
            outcome: &Outcome::ok("ok"),
            wire: &wire,
            counters: &counters("client_attempts_total", "result", &results),
            is_one_call: false,
        };
        judge(vec![expectation], evidence).pop()
    };
    for (unseen, seen, answered, timed_out, found) in [
        (0, 2, 2, 0, None),
        (0, 2, 3, 0, contradicted(2, 3)),
        (0, 3, 2, 0, contradicted(3, 2)),
        (0, 2, 1, 1, None),
        (0, 1, 2, 2, contradicted(1, 4)),
        (1, 2, 3, 0, None),
        (1, 2, 2, 0, contradicted(2, 2)),
        (1, 2, 4, 0, contradicted(2, 4)),
        (2, 1, 3, 0, None),
        (1, 2, 2, 1, None),
        (1, 2, 3, 1, contradicted(2, 4)),
    ] {
        let check = agree(unseen, seen, answered, timed_out).expect("it was exercised");

        let case = (unseen, seen, answered, timed_out);
        assert_eq!(check.found, found, "{case:?}");
        assert_eq!(check.source, Source::Client);
    }
    // Requests that timed out may or may not have reached the service.
    for (unseen, seen, answered, timed_out) in [(0, 2, 2, 1), (0, 1, 1, 2), (1, 2, 2, 2)] {
        assert_eq!(agree(unseen, seen, answered, timed_out), None);
    }
}

#[test]
fn waits_are_compared_with_the_requested_ones_in_order() {
    let of = |waits: &[u64]| {
        let waits: Vec<_> = waits.iter().copied().map(Duration::from_secs).collect();
        Expectation::waited_as_asked(&waits)
    };
    let wire = waited(&[seconds(2), RetryAfter::UNUSABLE, seconds(3)]);
    let check = |expectation| found(expectation, &Outcome::ok("ok"), &wire);

    let waited = Some("it waited 2 s, 3 s");
    let none = "the service did not set the length of any wait";
    for (waits, text, instead) in [
        (&[2, 3][..], "the client waited as asked: 2 s, 3 s", None),
        (&[3, 2], "the client waited as asked: 3 s, 2 s", waited),
        (&[], none, waited),
    ] {
        let check = check(of(waits));

        assert_eq!((&*check.text, check.found.as_deref()), (text, instead));
        assert_eq!(check.source, Source::Wire);
    }
}

#[test]
fn a_wait_until_a_date_is_a_single_wait_no_longer_than_the_time_left() {
    let date = |seconds| RetryAfter::date(Duration::from_secs(seconds));
    let longest = Expectation::waited_until_date(Duration::from_secs(3));
    for (asked, instead) in [
        (&[date(3)][..], None),
        (&[date(2)], None),
        (&[date(4)], Some("it waited 4 s")),
        (&[date(2), date(2)], Some("it waited 2 s, 2 s")),
    ] {
        let check = found(longest.clone(), &Outcome::ok("ok"), &waited(asked));

        assert_eq!(check.found.as_deref(), instead, "{asked:?}");
    }
}

#[test]
fn every_retry_must_follow_the_named_failure() {
    let expectation = Expectation::retried_after(READ_TIMEOUT, "again after a silence");
    let (timed_out, refused) = ((READ_TIMEOUT, 2), ("status", 1));
    for (reasons, instead) in [
        (&[timed_out][..], None),
        (&[timed_out, refused], Some("2 of 3 retries followed one")),
        (&[refused], Some("0 of 1 retries followed one")),
    ] {
        let counters = counters("client_retries_total", "reason", reasons);
        let (outcome, wire) = (Outcome::ok("ok"), WireRecord::default());

        let check = found_with(expectation.clone(), &outcome, &wire, &counters);

        assert_eq!(check.found.as_deref(), instead);
        assert_eq!(check.source, Source::Client);
    }
}

#[test]
fn a_counter_is_summed_over_its_labels() {
    let of = |by| Expectation::counter("client_retries_total", by, "retries");
    let counters = counters("client_retries_total", "reason", &[("a", 1), ("b", 2)]);
    let (outcome, wire) = (Outcome::ok("ok"), WireRecord::default());

    let risen = [3, 2].map(|by| found_with(of(by), &outcome, &wire, &counters).found);

    let instead = "client_retries_total rose by 3".to_owned();
    assert_eq!(risen, [None, Some(instead)]);
}

#[test]
fn the_number_of_requests_has_a_text() {
    let [none, one, two] = [0, 1, 2].map(|number| Expectation::requests(number).text);

    assert_eq!(none, "the service saw no request");
    assert_eq!(one, "the service saw exactly 1 request");
    assert_eq!(two, "the service saw exactly 2 requests");
}

#[test]
fn rules_about_limits_lengths_of_waits_and_foreign_apis_are_not_judged() {
    let judged: Vec<_> = judged_rules().map(|rule| rule.id).collect();

    let ids = RULES.iter().map(|rule| rule.id);
    let mut left_out: Vec<_> = ids.filter(|id| !judged.contains(id)).collect();
    left_out.sort_unstable();
    let expected = [
        "backoff-jitter",
        "backoff-waits",
        "finite-attempts",
        "once",
        "page-limit",
        "refused-once",
    ];
    assert_eq!(left_out, expected);
}
