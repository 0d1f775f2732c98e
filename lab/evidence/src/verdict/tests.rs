use super::*;
use crate::wire::RouteTotals;

const TESTED: Client = Client {
    name: "tested",
    prefix: Client::REFERENCE_PREFIX,
    headlines: &[],
};

fn found(expectation: Expectation, outcome: &Outcome, ledger: &WireRecord) -> Check {
    let evidence = Evidence {
        client: TESTED,
        outcome,
        ledger,
        counters: &Counters::default(),
        traces: &[],
    };
    let mut checks = judge(vec![expectation], evidence);
    checks.pop().expect("one expectation makes one check")
}

/// Every rule is held against evidence that contradicts it: a verdict that
/// cannot be negative is none.
#[test]
fn every_rule_can_fail_and_says_what_was_found() {
    let outcome = Outcome::ok("ok").with("items", 2_u64);
    let mut ledger = WireRecord {
        total: 2,
        ..WireRecord::default()
    };
    let early = RouteTotals {
        early: 1,
        ..RouteTotals::default()
    };
    ledger.routes.insert("/flaky".to_owned(), early);
    let [agree, never_early] = Expectation::of_every_run(0);
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
            "it waited []",
        ),
        (
            Expectation::waited_until_date(Duration::from_secs(3)),
            "it waited []",
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
        (never_early, "1 came too early"),
    ] {
        let check = found(expectation, &outcome, &ledger);

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
