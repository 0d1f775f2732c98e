//! The effects of the two clients beside each other, scenario by scenario.

use scenario::{
    Comparison, Ending, Fact, NAIVE, Naive, RELIABLE, Reliable, Story,
    catalogue::{self, CATALOGUE, Scenario},
    compare::{Aspect, Effect, Sample},
    sample,
};
use wire::WireRecord;

use crate::{pairwise_runs::PairwiseRun, settings};

/// A comparison whose rules are judged on the shown run only.
fn compare(name: &str) -> Comparison {
    let [reliable, naive] = [RELIABLE, NAIVE].map(|client| PairwiseRun::of(name, client));
    let next = reliable.scenario.next_comparison(NAIVE);
    let all = [reliable, naive].map(|tried| vec![tried.run.wire.clone()]);
    let told_apart = reliable.scenario.task.is_one_call();
    let sample = told_apart.then_some(Sample(all));
    let runs = [reliable.run.clone(), naive.run.clone()];
    Comparison::of(runs, sample.as_ref(), next)
}

/// A comparison as the lab makes it.
#[tokio::main(flavor = "current_thread")]
async fn compare_in_several_runs(name: &str) -> Comparison {
    let scenario = catalogue::find(name).expect("a scenario of the catalogue");
    let settings = settings(RELIABLE, scenario::Overrides::NONE);
    let sample = sample(scenario, &settings, [&Reliable, &Naive]).await;
    let runs = [RELIABLE, NAIVE].map(|client| PairwiseRun::of(name, client).run.clone());
    Comparison::of(
        runs,
        sample.expect("all").as_ref(),
        scenario.next_comparison(NAIVE),
    )
}

pub(crate) fn text_of(scenario: &Scenario, comparison: &Comparison) -> String {
    scenario::comparison(
        &scenario.words,
        comparison,
        None,
        &render::Options::default(),
    )
}

fn effect(comparison: &Comparison, aspect: Aspect) -> &Effect {
    let effects = &comparison.compared.effects;
    let found = effects.iter().find(|effect| effect.aspect == aspect);
    found.unwrap_or_else(|| panic!("{aspect:?} is missing in {effects:#?}"))
}

fn broken(comparison: &Comparison) -> [Vec<&str>; 2] {
    let sides = comparison.compared.sides.each_ref();
    sides.map(|side| side.broken.iter().map(|rule| rule.id).collect())
}

#[test]
fn every_comparison_can_be_read_and_judges_both_clients_by_the_rules_alone() {
    for scenario in CATALOGUE {
        let comparison = compare(scenario.words.name);

        let text = text_of(scenario, &comparison);
        let ascii = render::Options {
            ascii: true,
            ..render::Options::default()
        };
        let ascii = scenario::comparison(&scenario.words, &comparison, None, &ascii);
        let (words, metrics) = (&scenario.words, scenario::metrics());
        let page = Story::of_comparison(words, &comparison, &metrics, render::Options::LAB).page();

        for shown in [&text, &page] {
            assert!(!shown.contains("expectations held"), "{shown}");
            assert!(!shown.contains("the outcome has no"), "{shown}");
        }
        assert!(comparison.runs[0].passed(), "{text}");
        assert_eq!(broken(&comparison)[0], [""; 0], "{text}");
        assert!(ascii.is_ascii(), "{ascii}");
        for line in text.lines().chain(ascii.lines()) {
            assert!(
                line.chars().count() <= 80,
                "{}: {line}",
                scenario.words.name
            );
        }
        let shown: Vec<_> = text.split_whitespace().collect();
        for effect in &comparison.compared.effects {
            let values = effect.sides.iter().map(|side| &side.text);
            for words in values.chain([&effect.label]) {
                let words: Vec<_> = words.split(' ').collect();
                let is_shown = shown.windows(words.len()).any(|part| part == words);
                let with_findings = effect.aspect == Aspect::RulesBroken;
                assert!(is_shown || with_findings, "{words:?} is missing in\n{text}");
            }
        }
    }
}

/// The effect that each scenario must show: the reliable client's number, the naive
/// one's.
#[test]
fn each_lesson_shows_as_an_effect() {
    use scenario::compare::Aspect::*;
    let table = [
        ("flaky", Milliseconds, 128, 0),
        ("flaky-gives-up", Requests, 2, 3),
        ("retry-after-seconds", EarlyRequests, 0, 1),
        ("retry-after-date", EarlyRequests, 0, 1),
        ("retry-after-unusable", Milliseconds, 1111, 0),
        ("retry-later", EarlyRequests, 0, 9),
        ("bad-json", Requests, 1, 10),
        ("no-content", Requests, 1, 10),
        ("redirect", Requests, 1, 2),
        ("not-found", Requests, 1, 10),
        ("looping-items", RecordsDelivered, 4, 100),
        ("endless-items", Requests, 5, 50),
        ("item-cap", Requests, 2, 50),
        ("resumed-crawl", RecordsDelivered, 4, 6),
        ("replay", JobsCreated, 1, 2),
        ("conflict", JobsCreated, 1, 2),
        ("post-without-permission", Requests, 1, 2),
        ("lost-response", JobsCreated, 1, 2),
        ("connection-refused", UnseenAttempts, 3, 10),
        ("tls-refused", UnseenAttempts, 1, 10),
        ("deadline", EarlyRequests, 0, 9),
        ("retry-budget", Requests, 7, 50),
        ("too-many-requests", RefusedRequests, 3, 80),
        ("too-many-requests", CallsSucceeded, 16, 8),
    ];

    for (name, aspect, reliable, naive) in table {
        let comparison = compare(name);

        let found = effect(&comparison, aspect);
        let numbers = [reliable, naive].map(|number: u64| Fact::from(number));
        let values = found.sides.each_ref().map(|side| &side.value);
        assert_eq!(values, numbers.each_ref(), "{name}");
        assert!(found.differs, "{name}");
    }
}

#[test]
fn the_naive_client_accepts_data_that_the_reliable_client_refuses() {
    for name in ["text-json", "bad-items", "bad-cursor", "oversized-body"] {
        let comparison = compare(name);

        let used = effect(&comparison, Aspect::RefusedDataUsed);
        assert_eq!(
            used.sides.each_ref().map(|side| &*side.text),
            ["no", "yes"],
            "{name}"
        );
    }
}

#[test]
fn without_faults_both_clients_have_the_same_effects() {
    for name in ["items", "retry-after-past-date", "create-job"] {
        let comparison = compare(name);

        let compared = &comparison.compared;
        assert!(!compared.differ(), "{name}: {compared:#?}");
        let said: Vec<_> = compared
            .remarks
            .iter()
            .map(|remark| &*remark.text)
            .collect();
        assert_eq!(said, ["The two runs had the same effects."], "{name}");
    }
}

/// A single run of three requests cannot prove that a client retries at once; several
/// runs can.
#[test]
fn early_retries_break_a_rule_and_longer_waits_are_explained() {
    let comparison = &compare_in_several_runs("flaky");

    assert_eq!(broken(comparison), [vec![], vec!["backoff-waits"]]);
    assert!(!effect(comparison, Aspect::Requests).differs);
    assert!(!effect(comparison, Aspect::Outcome).differs);
    let remarks = &comparison.compared.remarks;
    let [remark] = remarks.as_slice() else {
        panic!("one remark: {remarks:?}");
    };
    assert!(
        remark
            .text
            .starts_with("The reliable client waited 128 ms longer.")
    );
    assert_eq!(remark.command, Some("storm"));
}

#[test]
fn cancelled_runs_are_not_judged() {
    let mut runs = [RELIABLE, NAIVE].map(|client| PairwiseRun::of("flaky", client).run.clone());
    runs[1].outcome = scenario::Outcome::cancelled(1);
    let whole = Sample(runs.each_ref().map(|run| vec![run.wire.clone()]));

    let comparison = Comparison::of(runs, Some(&whole), String::new());

    assert_eq!(comparison.compared.effects, []);
    assert_eq!(broken(&comparison), [[""; 0]; 2]);
}

#[test]
fn a_client_without_a_limit_of_pages_is_told_so_on_an_endless_listing() {
    for name in ["endless-items", "item-cap"] {
        let comparison = compare(name);

        assert_eq!(broken(&comparison), [vec![], vec!["page-limit"]], "{name}");
        let found = comparison.compared.sides[1].broken[0].found.as_deref();
        let words = "50 pages were read, until the lab stopped it";
        assert_eq!(found, Some(words), "{name}");
    }
}

/// If all calls are alike, a new one cannot be distinguished from a retry.
#[test]
fn without_a_sample_no_rule_is_judged() {
    let comparison = compare("too-many-requests");

    let effects = &comparison.compared.effects;
    assert!(
        effects
            .iter()
            .all(|effect| effect.aspect != Aspect::RulesBroken)
    );
    let empty = Sample([vec![WireRecord::default()], vec![WireRecord::default()]]);
    let judged = Comparison::of(comparison.runs, Some(&empty), String::new());
    assert_eq!(effect(&judged, Aspect::RulesBroken).sides[0].text, "none");
}

#[test]
fn an_endless_run_is_stopped_and_says_so() {
    for (name, text) in [
        (
            "read-timeout",
            "no response, and no timeout: the lab hung up after 8 s",
        ),
        (
            "endless-items",
            "no end: the lab stopped the crawl after 50 pages",
        ),
    ] {
        let [_, naive] = compare(name).runs;

        assert_eq!(naive.outcome.ending, Ending::Stopped);
        assert_eq!(naive.outcome.text, text);
    }
}

/// The reliable client decides the exit code, so its user needs the reason.
#[test]
fn a_failed_expectation_of_the_reliable_client_shows_the_finding() {
    let scenario = catalogue::find("retry-later").expect("a scenario of the catalogue");
    let mut comparison = compare(scenario.words.name);
    comparison.runs[0].verdict = comparison.runs[1].verdict.clone();

    let text = text_of(scenario, &comparison);

    let words: Vec<_> = text.split_whitespace().collect();
    let line = "✗ wire every Retry-After in seconds was waited for in full — asked for 120 s, \
                retried after 0 ms (requests 2, 3, 4 and 6 more)";
    assert!(words.join(" ").contains(line), "{text}");
}

#[test]
fn a_comparison_draws_both_runs_on_one_axis() {
    let scenario = catalogue::find("retry-after-seconds").expect("a scenario of the catalogue");
    let comparison = compare(scenario.words.name);

    let text = text_of(scenario, &comparison);

    insta::assert_snapshot!(text, @r#"
    retry-after-seconds — the service asks for a wait of two seconds
    GET /busy · up to 3 attempts · backoff 200 ms–5 s, full jitter
    Retry-After up to 30 s
    seed 7 · virtual time: waits are computed, not waited for

    The reliable client
        0 ms  ▕█▏                                attempt 1   503 Service Unavailable
        0 ms   ▕░░░░░░░░░░░░░░░░░░░░░░░░░░░░░▏   wait 2 s   Retry-After
         2 s                                ▕█▏  attempt 2   200 OK

    The naive client — a typical first client: up to 10 attempts, no waits
        0 ms  ▕█▏                                attempt 1   503 Service Unavailable
        0 ms  ▕█▏                                attempt 2   200 OK

                                   reliable        naive
    requests at the service               2            2
    early requests                        0            1  ≠
    time until the caller knew          2 s         0 ms  ≠
    result for the caller                ok           ok
    rules broken, in 1 run each  ≠
      reliable  none
      naive     retry-after-seconds (asked for 2 s, retried after 0 ms)

    The reliable client waited 2 s longer. For one caller, waiting only costs time.
    The benefit shows only when many clients share a service:
      cargo run -p lab -- storm

    Why it matters  A Retry-After that the caller can accept replaces the backoff.
                    Wait for it in full: the service asked for no request before
                    then. The reliable client waited in full, and the service's
                    record shows that no request came early. The naive client did
                    not read the header: the service's record counts every retry as
                    early.
    Does not solve  Many clients that all wait exactly two seconds come back
                    together. The service can send each a different wait, or each
                    client can add a random spread to its own.
    Try next        cargo run -p lab -- scenario retry-after-date --compare
    "#);
}
