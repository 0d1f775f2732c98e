//! The effects of the two clients beside each other, scenario by scenario.

use scenario::{
    Compared, Comparison, NAIVE, RELIABLE, Story,
    catalogue::{self, CATALOGUE, Scenario},
};

use crate::runs::{lessons::flat, pairwise_runs::PairwiseRun};

pub(crate) fn compare(name: &str) -> Comparison {
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
        let words = &scenario.words;
        let page = Story::of_comparison(words, &comparison, render::Options::LAB).page();

        for shown in [&text, &page] {
            for check in &comparison.compared.checks {
                let is_shown = flat(shown).contains(&flat(&check.text));
                assert!(is_shown, "{check:?} is missing in\n{shown}");
            }
        }
        assert!(comparison.runs[0].passed(), "{text}");
        assert!(ascii.is_ascii(), "{ascii}");
        let shown: Vec<_> = text.split_whitespace().collect();
        for effect in &comparison.compared.effects {
            let values = effect.sides.iter().map(String::as_str);
            for words in values.chain([effect.label]) {
                let words: Vec<_> = words.split(' ').collect();
                let is_shown = shown.windows(words.len()).any(|part| part == words);
                assert!(is_shown, "{words:?} is missing in\n{text}");
            }
        }
    }
}

/// The numbers of each scenario: those of the reliable client, then those of the naive one.
#[test]
fn each_lesson_shows_as_an_effect() {
    let rows = CATALOGUE.iter().map(|scenario| {
        let Comparison { compared, .. } = compare(scenario.name());
        let differ = compared.effects.iter().filter(|effect| effect.differs);
        let differ: Vec<_> = differ
            .map(|effect| format!("{}: {}", effect.label, effect.sides.join(" | ")))
            .collect();
        let row = format!("{}: {}", scenario.name(), differ.join("; "));
        row.trim_end().to_owned()
    });

    let rows: Vec<_> = rows.collect();

    insta::assert_snapshot!(rows.join("\n"), @"
    flaky: time until the caller knew: 128 ms | 0 ms
    flaky-gives-up: requests at the service: 2 | 3; time until the caller knew: 6 ms | 0 ms; result for the caller: HTTP error 503 | ok on attempt 3
    retry-after-seconds: early requests: 0 | 1; time until the caller knew: 2 s | 0 ms
    retry-after-date: early requests: 0 | 1; time until the caller knew: 3 s | 0 ms
    retry-after-past-date:
    retry-after-unusable: time until the caller knew: 1.1 s | 0 ms
    retry-later: requests at the service: 1 | 10; early requests: 0 | 9
    bad-json: requests at the service: 1 | 10
    text-json: requests at the service: 1 | 2; records, including duplicates: 0 | 2; result for the caller: representation error: not json | ok, 2 items
    no-content: requests at the service: 1 | 10; result for the caller: ok, nothing to read | representation error: invalid json
    redirect: requests at the service: 1 | 2; result for the caller: ok, 302 Found, with a location, not followed | ok
    not-found: requests at the service: 1 | 10
    items:
    bad-items: records, including duplicates: 0 | 2; result for the caller: representation error: item not an object | ok, 2 items
    bad-cursor: records, including duplicates: 0 | 1; result for the caller: representation error: wrong type | ok, 1 item
    looping-items: requests at the service: 3 | 50; records, including duplicates: 4 | 100; result for the caller: contract error: cursor repeated | no end: the lab stopped the crawl after 50 pages
    endless-items: requests at the service: 5 | 50; records, including duplicates: 10 | 100; result for the caller: contract error: page limit | no end: the lab stopped the crawl after 50 pages
    item-cap: requests at the service: 2 | 50; records, including duplicates: 3 | 100; result for the caller: contract error: item limit | no end: the lab stopped the crawl after 50 pages
    resumed-crawl: requests at the service: 3 | 4; records, including duplicates: 4 | 6; result for the caller: ok, 3 records in 4 deliveries | ok, 3 records in 6 deliveries
    create-job:
    replay: jobs created: 1 | 2; result for the caller: ok, every request returned the same job | ok, but the jobs differ
    conflict: jobs created: 1 | 2; result for the caller: HTTP error 409 | ok, but the jobs differ
    post-without-permission: requests at the service: 1 | 2; result for the caller: HTTP error 503 | ok
    lost-response: jobs created: 1 | 2; time until the caller knew: 54 ms | 0 ms
    read-timeout: requests at the service: 3 | 1; records, including duplicates: 3 | 0; time until the caller knew: 406 ms | 8 s; result for the caller: ok, 3 items | no response, and no timeout: the lab hung up after 8 s
    reset: time until the caller knew: 6 ms | 0 ms
    oversized-body: result for the caller: transport error: body too large | ok
    connection-refused: attempts that never arrived: 3 | 10; time until the caller knew: 128 ms | 0 ms
    tls-refused: attempts that never arrived: 1 | 10
    deadline: requests at the service: 1 | 10; early requests: 0 | 9
    retry-budget: requests at the service: 7 | 50; time until the caller knew: 128 ms | 0 ms
    too-many-requests: requests at the service: 19 | 88; requests refused with 429: 3 | 80; successful calls: 16 | 8; time until the caller knew: 200 ms | 100 ms; result for the caller: ok, all 16 calls succeeded | HTTP error 429
    ");
}

#[test]
fn cancelled_runs_are_not_judged() {
    let mut runs = [RELIABLE, NAIVE].map(|client| PairwiseRun::of("flaky", client).run.clone());
    runs[1].outcome = scenario::Outcome::cancelled(1);

    let comparison = Comparison::of(runs, String::new());

    assert_eq!(comparison.compared, Compared::default());
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
    retry-after-seconds — a 503 with a Retry-After of 2
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
                    early. `lab storm` shows what many such clients do.
    Does not solve  Many clients that all wait exactly two seconds come back
                    together. The service can send each a different wait, or each
                    client can add a random spread to its own.
    Try next        cargo run -p lab -- scenario retry-after-date --compare
    "#);
}
