//! Every scenario of the catalogue, played for real in virtual time.

use runner::RELIABLE;
use std::time::Duration;

use evidence::{Ending, Overrides, Pace, Run};
use runner::{Settings, run, scenario, scenario::CATALOGUE};

async fn play(name: &str, overrides: Overrides) -> Run {
    let settings = Settings {
        seed: 7,
        client: RELIABLE,
        pace: Pace::Virtual,
        overrides,
    };
    let scenario = scenario::find(name).expect("a scenario of the catalogue");
    run(scenario, &settings).await.expect("a run")
}

fn assert_passed(run: &Run) {
    let story = render::json(run);
    assert!(run.passed(), "{story}");
}

#[tokio::test]
async fn every_scenario_holds_what_it_promises() {
    for scenario in CATALOGUE {
        assert_passed(&play(scenario.words.name, Overrides::default()).await);
    }
}

#[tokio::test]
async fn a_retry_after_within_the_budget_is_drawn_in_full() {
    let patient = Overrides {
        max_retry_after: Some(Duration::from_secs(120)),
        ..Overrides::default()
    };

    let run = play("retry-later", patient).await;

    assert_eq!(run.outcome.ending, Ending::HttpError);
    let arrivals: Vec<_> = run
        .ledger
        .entries
        .iter()
        .map(|entry| entry.arrived)
        .collect();
    assert_eq!(arrivals, [0, 120, 240].map(Duration::from_secs));
}

#[tokio::test]
async fn the_trace_joins_both_sides_of_the_wire() {
    let run = play("flaky", Overrides::default()).await;

    let [trace] = run.traces.as_slice() else {
        panic!("one run is one trace: {:?}", run.traces);
    };
    let of = |name: &str| {
        let named = trace.spans.iter().filter(|span| span.name.as_str() == name);
        named.collect::<Vec<_>>()
    };
    assert_eq!(of("operation").len(), 1);
    assert_eq!(of("wait").len(), 2);
    let attempts: Vec<_> = of("attempt").iter().map(|span| Some(span.id)).collect();
    let parents: Vec<_> = of("request").iter().map(|span| span.parent).collect();
    assert_eq!(parents, attempts);
    let known = run
        .ledger
        .entries
        .iter()
        .all(|entry| entry.trace_id.as_deref() == Some(&*trace.id.to_string()));
    assert!(known, "{:?}", run.ledger);
}

#[tokio::test]
async fn a_run_leaves_no_span_open() {
    for scenario in CATALOGUE {
        let run = play(scenario.words.name, Overrides::default()).await;

        let mut spans = run.traces.iter().flat_map(|trace| &trace.spans);
        assert!(spans.all(|span| span.end.is_some()), "{:?}", run.traces);
    }
}

#[tokio::test]
async fn one_seed_tells_one_story_byte_for_byte() {
    for scenario in CATALOGUE {
        let first = play(scenario.words.name, Overrides::default()).await;

        let second = play(scenario.words.name, Overrides::default()).await;

        let text =
            |run: &Run| render::text(&scenario.words, run, None, &render::Options::default());
        assert_eq!(render::json(&first), render::json(&second));
        assert_eq!(text(&first), text(&second));
    }
}

#[tokio::test]
async fn another_seed_tells_another_story() {
    let mut settings = Settings {
        seed: 1,
        client: RELIABLE,
        pace: Pace::Virtual,
        overrides: Overrides::default(),
    };
    let flaky = scenario::find("flaky").expect("a scenario of the catalogue");
    let one = run(flaky, &settings).await.expect("a run");
    settings.seed = 2;

    let other = run(flaky, &settings).await.expect("a run");

    assert_ne!(one.traces, other.traces);
    assert_ne!(one.ledger, other.ledger);
}

#[tokio::test]
async fn no_two_scenarios_of_one_seed_are_one_trace() {
    let mut ids = Vec::new();
    for scenario in CATALOGUE {
        let run = play(scenario.words.name, Overrides::default()).await;
        ids.extend(run.traces.iter().map(|trace| trace.id.to_string()));
    }

    let all = ids.len();
    ids.sort_unstable();
    ids.dedup();

    assert_eq!((all, ids.len()), (CATALOGUE.len(), CATALOGUE.len()));
}
