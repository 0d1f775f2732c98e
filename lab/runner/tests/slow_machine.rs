//! A machine may be as slow as it likes: what that makes of a run is no fault of the
//! client, and what its scenario expects.

use std::time::Duration;

use evidence::{
    Check, Counter, Evidence, Expectation, Fact, Outcome, Overrides, WireRecord, WireRequest,
    judge, wire::RetryAfter,
};
use runner::{DEFAULT_POLICY, RELIABLE, scenario};

/// The evidence of a run on a slow machine.
#[derive(Default)]
struct Slow {
    /// The Retry-After, and the time until the next request.
    waits: Vec<(RetryAfter, Duration)>,
    /// The Retry-After of the last response.
    asked: Option<RetryAfter>,
    seen: u64,
    facts: Vec<(&'static str, Fact)>,
    counters: Vec<(&'static str, &'static str, &'static str, u64)>,
}

impl Slow {
    fn judge(&self, expectation: Expectation) -> Check {
        self.judge_all(vec![expectation]).remove(0)
    }

    /// The scenario's expectations that failed under these settings.
    fn missed(&self, scenario: &str, overrides: &Overrides) -> Vec<Check> {
        let scenario = scenario::find(scenario).expect("a scenario of the catalogue");
        let policy = (scenario.policy)(DEFAULT_POLICY).with(overrides);
        let mut checks = self.judge_all((scenario.expect)(&policy));
        checks.retain(|check| !check.held);
        checks
    }

    fn judge_all(&self, expectations: Vec<Expectation>) -> Vec<Check> {
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
                retry_after: wait.map(|(asked, _)| *asked).or(self.asked),
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
            wire: &wire,
            counters: &counters.collect(),
            rules_apply: false,
        };
        judge(expectations, evidence)
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
    let waited = |asked: RetryAfter| Slow {
        waits: vec![(asked, asked.wait())],
        seen: 2,
        ..Slow::default()
    };
    let budget = |seconds| Overrides {
        max_retry_after: Some(Duration::from_secs(seconds)),
        ..Overrides::NONE
    };

    let default = waited(date(2_945)).missed("retry-after-date", &Overrides::NONE);
    let fits_after_all = waited(date(2_999)).missed("retry-after-date", &budget(2));
    let too_long = waited(seconds(3)).missed("retry-after-date", &budget(2));

    assert_eq!(default, []);
    assert_eq!(fits_after_all, []);
    assert_eq!(too_long.len(), 1, "{too_long:?}");
}

#[test]
fn a_date_is_kept_to_however_late_it_was_read() {
    let until = |waits: &[(u64, u64)]| {
        let waits = waits
            .iter()
            .map(|(asked, waited)| (date(*asked), Duration::from_millis(*waited)));
        let run = Slow {
            waits: waits.collect(),
            ..Slow::default()
        };
        let expected = Expectation::waited_until_date(Duration::from_secs(3));
        run.judge(expected).found
    };

    for asked in [0, 1, 1_945, 2_999, 3_000] {
        assert_eq!(until(&[(asked, asked)]), None, "{asked}");
        assert_eq!(until(&[(asked, 60_000)]), None, "{asked}");
    }
    let longer = until(&[(4_000, 4_000)]);
    assert_eq!(longer.as_deref(), Some("it waited 4 s"));
    let twice = until(&[(1, 1), (1, 1)]);
    assert_eq!(twice.as_deref(), Some("it waited 1 ms, 1 ms"));
    let early = until(&[(3_000, 1_000)]);
    assert_eq!(early.as_deref(), Some("asked for 3 s, retried after 1 s"));
}

#[test]
fn whether_a_wait_fits_is_judged_by_what_was_asked_for() {
    let over: &[_] = &[("gave_up", evidence::StopReason::RetryAfterOverBudget.into())];
    let within = |facts: &[(&'static str, Fact)], waited: Option<RetryAfter>, asked| {
        let run = Slow {
            waits: waited.map(|it| (it, it.wait())).into_iter().collect(),
            asked,
            facts: facts.to_vec(),
            ..Slow::default()
        };
        let expected = Expectation::within_budget(Duration::from_secs(2));
        run.judge(expected).found
    };

    assert_eq!(within(over, None, Some(seconds(3))), None);
    assert_eq!(within(&[], Some(date(2_999)), None), None);
    assert_eq!(within(&[], Some(seconds(2)), None), None);
    for (facts, waited, asked, instead) in [
        (
            over,
            None,
            Some(seconds(2)),
            "it gave up, although asked to wait only 2 s",
        ),
        (
            over,
            None,
            None,
            "it gave up, although asked to wait only 0 ms",
        ),
        (&[], Some(seconds(3)), None, "it waited 3 s"),
    ] {
        assert_eq!(within(facts, waited, asked).as_deref(), Some(instead));
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
    let one = "the client counted 1 attempt more than the service saw";
    let two = "the client counted 2 attempts more than the service saw";
    let [one, two] = [one, two].map(|text| (true, text.to_owned()));
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
