//! The text of a card on records made by hand.

use http::StatusCode;
use judge::KnownFailures;
use render::Options;

use super::{
    super::{card::Recording, *},
    *,
};

/// The card of a command: two healthy runs, a control of each length, and runs of one case.
fn card(injected: Injected, fault: ProxyFault, cases: Vec<ProxyRun>) -> ProxyCard {
    let held = [ProxyFault::HELD, ProxyFault::LONG_HELD];
    let controls = held.map(|held| run_for(Some(ProxyFault::Hold), held, vec![request(0, 1)], 0));
    let healthy = [(); 2].map(|()| run(None, vec![request(0, 1)], 0));
    let recording = Recording {
        command: vec!["smoke".to_owned()],
        injected,
        plan: vec![(ROUTE.to_owned(), fault)],
        runs: healthy.into_iter().chain(controls).chain(cases).collect(),
        ..Recording::default()
    };
    recording.card(&Declared::default())
}

/// Runs that asked for two waits, and that the client heeded.
fn heeded() -> Vec<ProxyRun> {
    let of_wait = |seconds: u64| {
        let requests = vec![request(0, 1), request(1_000 * seconds + 50, 1)];
        run_for(
            Some(ProxyFault::RetryAfter),
            ms(1_000 * seconds),
            requests,
            0,
        )
    };
    vec![of_wait(2), of_wait(7)]
}

fn text_of(card: &ProxyCard) -> String {
    text::card(card, &KnownFailures::default(), &Options::default())
}

#[test]
fn a_status_of_the_user_stands_in_every_form_of_the_card() {
    let injected = Injected {
        status: Some(StatusCode::TOO_MANY_REQUESTS),
        ..Injected::default()
    };

    let card = card(injected, ProxyFault::RetryAfter, heeded());

    let page = html_proxy(&card, &KnownFailures::default());
    for output in [text_of(&card), page, render::json(&card)] {
        assert!(output.contains("429 with Retry-After"), "{output}");
        assert!(!output.contains("503"), "{output}");
    }
}

#[test]
fn a_route_of_which_nothing_was_exercised_has_no_heading() {
    let is_titled = |requests: &[ProxyRequest]| {
        let lost = run(Some(ProxyFault::LostResponse), requests.to_vec(), 0);
        let card = card(Injected::default(), ProxyFault::LostResponse, vec![lost]);
        text_of(&card).lines().any(|line| line == ROUTE)
    };
    let with_a_precondition = ProxyRequest {
        has_precondition: true,
        ..request(0, 1)
    };

    assert!(!is_titled(&[with_a_precondition]));
    assert!(is_titled(&[request(0, 1)]));
}

#[test]
fn a_call_that_is_not_sent_again_names_the_responses_that_may_tell_more() {
    let skipped = || vec![run(Some(ProxyFault::RetryAfter), vec![request(0, 1)], 1)];
    let status = Some(StatusCode::TOO_MANY_REQUESTS);
    let body = Some(b"{}".to_vec());
    for (injected, runs, expected) in [
        (Injected::default(), skipped(), [true, true]),
        (Injected { status, body: None }, skipped(), [false, true]),
        (
            Injected {
                status: None,
                body: body.clone(),
            },
            skipped(),
            [true, false],
        ),
        (Injected { status, body }, skipped(), [false, false]),
        (Injected::default(), heeded(), [false, false]),
    ] {
        let warnings = card(injected, ProxyFault::RetryAfter, runs)
            .warnings
            .concat();

        let named = ["--fault-status 429", "--fault-body"].map(|name| warnings.contains(name));
        assert_eq!(named, expected, "{warnings}");
    }
}

#[test]
fn a_body_that_was_not_searched_is_named() {
    let card_of = |is_unsearched| {
        let target = ProxyRequest {
            is_unsearched,
            ..request(0, 1)
        };
        let refused = run(Some(ProxyFault::Refused), vec![target], 1);
        card(Injected::default(), ProxyFault::Refused, vec![refused])
    };

    assert_eq!(card_of(false).warnings, [""; 0]);
    assert!(card_of(true).warnings.concat().contains("Content-Encoding"));
}

#[test]
fn the_json_has_the_wait_and_the_pause_of_each_run() {
    let mut runs = heeded();
    runs.push(run(Some(ProxyFault::RetryAfter), vec![request(0, 1)], 1));

    let json = render::json(&card(Injected::default(), ProxyFault::RetryAfter, runs));

    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let runs = json["cases"][0]["runs"].as_array().expect("runs");
    let of_run = |run: &serde_json::Value| {
        let exit = &run["end"]["exit"];
        [&run["asked_ms"], &run["pause_ms"], exit].map(serde_json::Value::as_u64)
    };
    let runs: Vec<_> = runs.iter().map(of_run).collect();
    let expected = [
        [Some(2_000), Some(2_050), Some(0)],
        [Some(7_000), Some(7_050), Some(0)],
        [Some(2_000), None, Some(1)],
    ];
    assert_eq!(runs, expected);
}
