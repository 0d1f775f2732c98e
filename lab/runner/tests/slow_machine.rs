//! A machine may be as slow as it likes: what that makes of a run is no fault of the
//! client, and what its scenario expects.

use std::time::Duration;

use evidence::{
    Check, Counter, Evidence, Expectation, Fact, Outcome, Overrides, RouteTotals, WireRecord,
    WireRequest, judge,
    trace::{FieldValue, Span, SpanId, SpanName, Trace, TraceId, field},
};
use runner::{DEFAULT_POLICY, RELIABLE, scenario};

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
        let policy = (scenario.policy)(DEFAULT_POLICY).with(overrides);
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
        let totals = RouteTotals {
            early: self.early,
            ..RouteTotals::default()
        };
        let entry = WireRequest {
            seq: 1,
            method: "GET",
            route: "/maintenance".to_owned(),
            status: Some(503),
            retry_after_seconds: self.asked,
            ..WireRequest::default()
        };
        let ledger = WireRecord {
            entries: vec![entry],
            total: self.seen,
            routes: [("/maintenance".to_owned(), totals)].into(),
            ..WireRecord::default()
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
            client: RELIABLE,
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
    let silence = "read_timeout";
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
    let agree = "the wire and the client agree";
    let one = (
        true,
        format!("{agree}: 1 attempt never reached the service"),
    );
    let two = (
        true,
        format!("{agree}: 2 attempts never reached the service"),
    );
    assert_eq!((agreed(&once), agreed(&twice)), (one, two));
    assert!(!agreed(&otherwise).0);
}

#[test]
fn a_call_that_met_nothing_but_silence_is_told_as_one() {
    let silence = "read_timeout";
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
