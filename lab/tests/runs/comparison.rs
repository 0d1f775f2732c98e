//! The effects of the two clients beside each other, scenario by scenario.

use scenario::{
    Compared, Comparison, Ending, Fact, NAIVE, RELIABLE, Story,
    catalogue::{self, CATALOGUE, Scenario},
    compare::{Aspect, Effect},
};

use crate::runs::{lessons::flat, pairwise_runs::PairwiseRun};

fn compare(name: &str) -> Comparison {
    let [reliable, naive] = [RELIABLE, NAIVE].map(|client| PairwiseRun::of(name, client));
    let next = reliable.scenario.next_comparison(NAIVE);
    Comparison::of([reliable.run.clone(), naive.run.clone()], next)
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

/// A client is told the same by a comparison as by its run alone, and nothing is ticked that it
/// did not exercise.
#[test]
fn a_comparison_has_one_list_of_expectations_for_both_clients() {
    for scenario in CATALOGUE {
        let Comparison { runs, compared, .. } = compare(scenario.name());

        for (place, run) in runs.iter().enumerate() {
            let beside = compared.checks.iter().filter_map(|check| check.held[place]);
            let mut beside: Vec<_> = beside.collect();
            let mut alone: Vec<_> = run.verdict.iter().map(|check| check.held).collect();
            beside.sort_unstable();
            alone.sort_unstable();

            assert_eq!(beside, alone, "{}", scenario.name());
        }
        for check in &compared.checks {
            assert_ne!(check.held, [None, None], "{check:?}");
            for (held, found) in check.held.iter().zip(&check.found) {
                assert_eq!(*held == Some(false), found.is_some(), "{check:?}");
            }
        }
    }
}

/// It breaks an expectation of its own, or one that the reliable client met.
#[test]
fn the_naive_client_meets_every_expectation_only_where_nothing_goes_wrong() {
    let met = CATALOGUE.iter().filter(|scenario| {
        let Comparison { compared, .. } = compare(scenario.name());
        compared
            .checks
            .iter()
            .all(|check| check.held[1] != Some(false))
    });

    let met: Vec<_> = met.map(Scenario::name).collect();
    assert_eq!(met, ["items", "create-job"]);
}

/// A tick for a rule about waits, of a run without any, would say that the client keeps it.
#[test]
fn an_expectation_that_was_not_exercised_is_not_ticked() {
    let checks = |name, client| PairwiseRun::of(name, client).run.verdict.iter();
    let has = |name, client, text: &str| checks(name, client).any(|check| check.text == text);
    let (never_early, paused) = (
        "no request came earlier than allowed",
        "each retry came after a backoff or a Retry-After",
    );

    for client in [RELIABLE, NAIVE] {
        assert!(!has("retry-after-unusable", client, never_early));
        assert!(!has("items", client, never_early));
        assert!(!has("items", client, paused));
        assert!(has("retry-after-seconds", client, never_early));
        assert!(has("flaky", client, paused));
    }
}

#[test]
fn every_comparison_can_be_read() {
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
            for check in &comparison.compared.checks {
                let is_shown = flat(shown).contains(&flat(&check.text));
                assert!(is_shown, "{check:?} is missing in\n{shown}");
            }
        }
        assert!(comparison.runs[0].passed(), "{text}");
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
                assert!(is_shown, "{words:?} is missing in\n{text}");
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

        let ending = &comparison.compared.checks[0];
        assert_eq!(ending.held, [Some(true), Some(false)], "{name}");
        assert_eq!(ending.found[1].as_deref(), Some("it ended with: ok"));
    }
}

#[test]
fn without_faults_both_clients_have_the_same_effects() {
    for name in ["items", "retry-after-past-date", "create-job"] {
        let comparison = compare(name);

        let compared = &comparison.compared;
        assert!(!compared.differ(), "{name}: {compared:#?}");
    }
}

#[test]
fn cancelled_runs_are_not_judged() {
    let mut runs = [RELIABLE, NAIVE].map(|client| PairwiseRun::of("flaky", client).run.clone());
    runs[1].outcome = scenario::Outcome::cancelled(1);

    let comparison = Comparison::of(runs, String::new());

    assert_eq!(comparison.compared, Compared::default());
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

#[test]
fn a_failed_expectation_shows_the_finding_of_its_client() {
    let scenario = catalogue::find("retry-later").expect("a scenario of the catalogue");

    let text = text_of(scenario, &compare(scenario.words.name));

    let words: Vec<_> = text.split_whitespace().collect();
    let line = "· ✗ wire no request came earlier than allowed — naive: 9 came too early";
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

    expected of reliable and naive (· not exercised)
    ✓ ✓  client  the second attempt succeeded
    ✓ ✗  wire    the client waited as asked: 2 s — naive: asked for 2 s, retried
                 after 0 ms
    ✓ ✓  wire    the service saw exactly 2 requests
    ✓ ✓  client  the wire and the client agree on the number of requests
    ✓ ✗  client  each retry came after a backoff or a Retry-After — naive: 1 of 1
                 came at once
    ✓ ✗  wire    no request came earlier than allowed — naive: 1 came too early
    ✓ ✗  wire    every Retry-After in seconds was waited for in full — naive: asked
                 for 2 s, retried after 0 ms (request 2)
    ✓ ✓  wire    Content-Type and Accept named JSON

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
