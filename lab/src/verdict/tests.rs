use super::*;
use crate::{
    counters::Counter,
    policy::{Overrides, Policy},
    scenario,
    trace::{FieldValue, Span, SpanId, SpanName, TraceId},
};

fn found(expectation: Expectation, outcome: &Outcome, ledger: &LedgerSnapshot) -> Check {
    let evidence = Evidence {
        client: Client::Reliable,
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
    let mut ledger = LedgerSnapshot {
        total: 2,
        ..LedgerSnapshot::default()
    };
    let early = server::RouteTotals {
        early: 1,
        ..server::RouteTotals::default()
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
            Expectation::retried_after(FailureKind::ReadTimeout, "again"),
            "0 of 0 retries followed one",
        ),
        (
            Expectation::requests(1).unless(FailureKind::ReadTimeout, "or silence"),
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

/// What a run left behind that is as slow as the machine it was played on.
#[derive(Default)]
struct Slow {
    waits: Vec<Duration>,
    /// What the last response asked for, and how many requests came early.
    asked: Option<u64>,
    early: u64,
    seen: u64,
    facts: Vec<(&'static str, Fact)>,
    counters: Vec<(&'static str, &'static str, &'static str, u64)>,
}

impl Slow {
    fn judge(&self, expectation: Expectation) -> Check {
        self.judge_all(vec![expectation]).remove(0)
    }

    /// What of a scenario's own expectations did not hold under these settings.
    fn missed(&self, scenario: &str, overrides: &Overrides) -> Vec<Check> {
        let scenario = scenario::find(scenario).expect("a scenario of the catalogue");
        let policy = (scenario.policy)(Policy::DEFAULT).with(overrides);
        let mut checks = self.judge_all((scenario.expect)(&policy));
        checks.retain(|check| !check.held);
        checks
    }

    fn judge_all(&self, expectations: Vec<Expectation>) -> Vec<Check> {
        let wait = |length: &Duration| Span {
            id: SpanId::from_hex("0000000000000001").expect("an id"),
            parent: None,
            trace_id: TraceId::from_hex("00000000000000000000000000000001").expect("an id"),
            name: SpanName::Wait,
            start: Duration::ZERO,
            end: Some(*length),
            fields: [
                (field::WAIT_SOURCE, FieldValue::Str("retry_after".into())),
                (field::WAIT_SECONDS, FieldValue::F64(length.as_secs_f64())),
            ]
            .into_iter()
            .collect(),
        };
        let trace = Trace {
            id: TraceId::from_hex("00000000000000000000000000000001").expect("an id"),
            spans: self.waits.iter().map(wait).collect(),
            dropped_spans: 0,
            taken_at: Duration::ZERO,
        };
        let totals = server::RouteTotals {
            early: self.early,
            ..server::RouteTotals::default()
        };
        let entry = server::LedgerEntry {
            seq: 1,
            method: "GET",
            route: "/maintenance".to_owned(),
            status: Some(503),
            retry_after_seconds: self.asked,
            ..server::LedgerEntry::default()
        };
        let ledger = LedgerSnapshot {
            entries: vec![entry],
            total: self.seen,
            routes: [("/maintenance".to_owned(), totals)].into(),
            ..LedgerSnapshot::default()
        };
        let facts = self.facts.iter();
        let outcome = facts.fold(Outcome::ok("ok"), |outcome, (name, fact)| {
            outcome.with(name, fact.clone())
        });
        let counters = self
            .counters
            .iter()
            .map(|(name, label, value, by)| Counter {
                name: (*name).to_owned(),
                labels: [((*label).to_owned(), (*value).to_owned())].into(),
                value: *by,
            });
        let evidence = Evidence {
            client: Client::Reliable,
            outcome: &outcome,
            ledger: &ledger,
            counters: &counters.collect(),
            traces: &[trace],
        };
        judge(expectations, evidence)
    }
}

#[test]
fn what_a_slow_machine_makes_of_a_date_is_what_its_scenario_expects() {
    let read_late = |millis| Slow {
        waits: vec![Duration::from_millis(millis)],
        asked: Some(3),
        seen: 2,
        ..Slow::default()
    };
    let budget = |seconds| Overrides {
        max_retry_after: Some(Duration::from_secs(seconds)),
        ..Overrides::NONE
    };

    let default = read_late(1_945).missed("retry-after-date", &Overrides::NONE);
    let fits_after_all = read_late(1_999).missed("retry-after-date", &budget(2));
    let too_long = read_late(2_001).missed("retry-after-date", &budget(2));

    assert_eq!(default, []);
    assert_eq!(fits_after_all, []);
    assert_eq!(too_long.len(), 1, "{too_long:?}");
}

#[test]
fn a_date_is_kept_to_however_late_it_was_read() {
    let until = |millis: &[u64], early| {
        let waits = millis.iter().map(|millis| Duration::from_millis(*millis));
        let run = Slow {
            waits: waits.collect(),
            early,
            ..Slow::default()
        };
        let expected = Expectation::waited_until_date(Duration::from_secs(3));
        run.judge(expected).found
    };

    for millis in [0, 1, 1_945, 2_999, 3_000] {
        assert_eq!(until(&[millis], 0), None, "{millis}");
    }
    assert_eq!(until(&[3_001], 0).as_deref(), Some("it waited [3.001s]"));
    assert_eq!(until(&[1, 1], 0).as_deref(), Some("it waited [1ms, 1ms]"));
    let early = until(&[2_000], 1);
    assert_eq!(early.as_deref(), Some("it came before that date"));
}

#[test]
fn whether_a_date_fits_is_judged_by_what_was_asked_for() {
    let over: &[_] = &[("gave_up", "retry_after_over_budget".into())];
    let within = |facts: &[(&'static str, Fact)], asked, wait: Option<u64>| {
        let run = Slow {
            waits: wait.map(Duration::from_millis).into_iter().collect(),
            asked,
            facts: facts.to_vec(),
            ..Slow::default()
        };
        let expected = Expectation::within_budget(Duration::from_secs(2));
        run.judge(expected).found
    };

    assert_eq!(within(over, Some(3), None), None);
    assert_eq!(within(&[], Some(3), Some(1_999)), None);
    assert_eq!(within(&[], Some(2), Some(2_000)), None);
    for (facts, asked, wait, instead) in [
        (over, Some(2), None, "it stopped, and was asked to wait 2 s"),
        (over, None, None, "it stopped, and was asked to wait 0 s"),
        (&[], Some(3), Some(2_001), "it waited [2.001s]"),
    ] {
        assert_eq!(within(facts, asked, wait).as_deref(), Some(instead));
    }
}

#[test]
fn a_second_silence_on_a_slow_machine_is_no_fault_of_the_client() {
    let silence = FailureKind::ReadTimeout;
    let again = || Expectation::retried_after(silence, "again");
    let retries = |reason, by| ("client_retries_total", "reason", reason, by);
    let attempts = |result, by| ("client_attempts_total", "result", result, by);
    let [agree, _] = Expectation::of_every_run(1);

    let met = |silences, refusals| Slow {
        seen: 2,
        facts: vec![("items", 3_u64.into())],
        counters: vec![
            retries("read_timeout", silences),
            retries("connect", refusals),
            attempts("read_timeout", silences),
            attempts("connect", refusals),
            attempts("200", 2),
        ],
        ..Slow::default()
    };
    let (once, twice, otherwise) = (met(1, 0), met(2, 0), met(1, 1));
    let agreed = |run: &Slow| {
        let check = run.judge(agree.clone());
        (check.held, check.text)
    };

    assert_eq!(twice.missed("read-timeout", &Overrides::NONE), []);
    assert_eq!(once.judge(again()).found, None);
    assert_eq!(twice.judge(again()).found, None);
    assert_eq!(
        otherwise.judge(again()).found.as_deref(),
        Some("1 of 2 retries followed one")
    );
    let [one, two] = [1, 2].map(|unseen| (true, counts_agree(unseen)));
    assert_eq!((agreed(&once), agreed(&twice)), (one, two));
    assert!(!agreed(&otherwise).0);
}

#[test]
fn a_call_that_met_nothing_but_silence_is_told_as_one() {
    let silence = FailureKind::ReadTimeout;
    let read = || Expectation::requests(2).unless(silence, "nothing but silence");
    let run = |problem: &str| Slow {
        facts: vec![("problem", problem.into())],
        ..Slow::default()
    };

    let silent = run("read_timeout").judge(read());
    let refused = run("connect").judge(read());

    assert_eq!((silent.held, &*silent.text), (true, "nothing but silence"));
    assert_eq!(refused.found.as_deref(), Some("it saw 0"));
    assert_eq!(refused.text, "the service saw exactly 2 requests");
}

#[test]
fn what_holds_has_nothing_else_to_show() {
    let outcome = Outcome::ok("ok").with("items", 3_u64);

    let check = found(
        Expectation::fact("items", 3_u64, "three items"),
        &outcome,
        &LedgerSnapshot::default(),
    );

    assert_eq!((check.held, check.found), (true, None));
}
