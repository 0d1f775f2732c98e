//! What differs between the two clients, scenario by scenario.

use evidence::{Comparison, Ending, Fact, compare::Aspect};
use runner::{NAIVE, RELIABLE, scenario, scenario::CATALOGUE};

use crate::plays::Play;

fn compare(name: &str) -> Comparison {
    let [reliable, naive] = [RELIABLE, NAIVE].map(|client| Play::of(name, client));
    let next = reliable.scenario.next_comparison();
    Comparison::of(reliable.run.clone(), naive.run.clone(), next)
}

#[test]
fn every_comparison_can_be_read_and_the_reliable_client_passes_in_it() {
    for scenario in CATALOGUE {
        let comparison = compare(scenario.words.name);

        let options = render::Options::default();
        let text = render::comparison(&scenario.words, &comparison, &options);
        let ascii = render::Options {
            ascii: true,
            ..options
        };
        let ascii = render::comparison(&scenario.words, &comparison, &ascii);

        assert!(comparison.reliable.passed(), "{text}");
        assert!(ascii.is_ascii(), "{ascii}");
        for line in text.lines().chain(ascii.lines()) {
            assert!(
                line.chars().count() <= 80,
                "{}: {line}",
                scenario.words.name
            );
        }
        for difference in &comparison.differences {
            let words: Vec<_> = difference.text.split(' ').collect();
            let shown = text.split_whitespace().collect::<Vec<_>>();
            assert!(
                shown.windows(words.len()).any(|part| part == words),
                "{:?} is missing in\n{text}",
                difference.text
            );
        }
    }
}

/// What each scenario is to show: the reliable client's number, the naive one's.
#[test]
fn each_lesson_shows_as_a_difference() {
    use Aspect::*;
    let table = [
        ("flaky", WaitedMilliseconds, 128, 0),
        ("flaky-gives-up", Requests, 2, 3),
        ("retry-after-seconds", EarlyRequests, 0, 1),
        ("retry-after-date", EarlyRequests, 0, 1),
        ("retry-after-unusable", WaitedMilliseconds, 1111, 0),
        ("retry-later", EarlyRequests, 0, 9),
        ("bad-json", HopelessRetries, 0, 9),
        ("no-content", HopelessRetries, 0, 9),
        ("redirect", RedirectsFollowed, 0, 1),
        ("not-found", HopelessRetries, 0, 9),
        ("looping-items", PagesRead, 3, 50),
        ("endless-items", PagesRead, 5, 50),
        ("item-cap", PagesRead, 2, 50),
        ("resumed-crawl", RecordsDelivered, 4, 6),
        ("replay", JobsCreated, 1, 2),
        ("conflict", JobsCreated, 1, 2),
        ("post-without-permission", PostRequests, 1, 2),
        ("lost-response", JobsCreated, 1, 2),
        ("lost-response", IdempotencyKeys, 1, 2),
        ("connection-refused", UnseenAttempts, 3, 10),
        ("tls-refused", HopelessRetries, 0, 9),
        ("deadline", EarlyRequests, 0, 9),
        ("retry-budget", Requests, 7, 50),
        ("too-many-requests", RefusedRequests, 3, 80),
        ("too-many-requests", CallsSucceeded, 16, 8),
    ];

    for (name, aspect, reliable, naive) in table {
        let comparison = compare(name);

        let differences = &comparison.differences;
        let found = differences.iter().find(|found| found.aspect == aspect);
        let found = found.unwrap_or_else(|| panic!("{name}: {differences:#?}"));
        let numbers = [reliable, naive].map(|number: u64| Fact::from(number));
        assert_eq!(
            [&found.reliable, &found.naive],
            numbers.each_ref(),
            "{name}"
        );
    }
}

#[test]
fn what_the_reliable_client_refuses_is_taken_for_data() {
    for name in ["text-json", "bad-items", "bad-cursor", "oversized-body"] {
        let comparison = compare(name);

        let aspects = comparison.differences.iter().map(|found| found.aspect);
        assert!(
            aspects.eq([Aspect::UntrustedDataTaken, Aspect::Outcome]),
            "{name}: {:#?}",
            comparison.differences
        );
    }
}

#[test]
fn where_nothing_goes_wrong_the_two_come_to_the_same() {
    for name in ["items", "retry-after-past-date", "create-job"] {
        let comparison = compare(name);

        assert_eq!(comparison.differences, [], "{name}");
    }
}

#[test]
fn what_would_never_end_is_stopped_and_says_so() {
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
        let naive = compare(name).naive;

        assert_eq!(naive.outcome.ending, Ending::Stopped);
        assert_eq!(naive.outcome.text, text);
    }
}

/// The exit code hangs on the reliable client, so its user wants to know.
#[test]
fn says_what_was_found_where_the_reliable_client_fails() {
    let scenario = scenario::find("retry-later").expect("a scenario of the catalogue");
    let mut comparison = compare(scenario.words.name);
    comparison.reliable.verdict = comparison.naive.verdict.clone();

    let text = render::comparison(&scenario.words, &comparison, &render::Options::default());

    let words: Vec<_> = text.split_whitespace().collect();
    let line = "✗ wire every Retry-After in seconds was waited for in full — asked for 120 s, \
                came back after 0 ms (requests 2, 3, 4 and 6 more)";
    assert!(words.join(" ").contains(line), "{text}");
}

#[test]
fn a_comparison_tells_both_stories_on_one_axis() {
    let scenario = scenario::find("retry-after-seconds").expect("a scenario of the catalogue");
    let comparison = compare(scenario.words.name);

    let text = render::comparison(&scenario.words, &comparison, &render::Options::default());

    insta::assert_snapshot!(text, @r#"
    retry-after-seconds — the service asks for a wait of two seconds
    GET /busy · up to 3 attempts · backoff 200 ms–5 s, full jitter
    Retry-After up to 30 s
    seed 7 · virtual time: the waits are drawn, not waited for

    The reliable client
        0 ms  ▕█▏                                attempt 1   503 Service Unavailable
        0 ms   ─                                 └ service  503 · fault busy
        0 ms   ▕░░░░░░░░░░░░░░░░░░░░░░░░░░░░░▏   wait 2 s   Retry-After (status 503)
         2 s                                ▕█▏  attempt 2   200 OK
         2 s                                 ─   └ service  200

    The naive client, what people first write: up to 10 attempts, no waits
        0 ms  ▕█▏                                attempt 1   503 Service Unavailable
        0 ms   ─                                 └ service  503 · fault busy
        0 ms  ▕█▏                                attempt 2   200 OK
        0 ms   ─                                 └ service  200

    reliable  ok
    naive     ok

                                                 reliable     naive
    requests that the service saw                       2         2
    client_attempts_total, naive_attempts_total        +2        +2
    client_retries_total, naive_retries_total          +1        +1
    service_early_retries_total{route="/busy"}          0        +1
    service_faults_total{fault="busy"}                 +1        +1

    The naive client
    · sent 1 request rather than none before the service's Retry-After allowed it
    · waited 0 ms rather than 2 s before its retries

    ✓ the reliable client: 8 of 8 expectations held
    ✗ the naive client: 5 of 8 expectations held

    Why it matters  A Retry-After that the caller can bear replaces the backoff, and
                    it is waited for to the end: a request that comes early is what
                    the server asked not to get. The reliable client waited in full,
                    and the service's ledger shows that no request came early. The
                    naive client did not read the header: the service's ledger
                    counts every retry as early.
    Does not solve  Many clients that were all told two seconds and come back
                    together. Only the service can spread them.
    Try next        cargo run -p lab -- scenario retry-after-date --compare
    "#);
}
