//! Properties of every run, for any scenario and client.

use std::collections::HashSet;

use scenario::{
    Compared, NAIVE, Overrides, RELIABLE,
    catalogue::{self, CATALOGUE},
    run,
};

use crate::{
    pairwise_runs::{PAIRWISE_RUNS, PairwiseRun},
    report, settings, text,
};

#[test]
fn every_scenario_meets_its_expectations_under_any_limits() {
    for tried in PAIRWISE_RUNS
        .iter()
        .filter(|pairwise_run| pairwise_run.run.client == RELIABLE)
    {
        let story = render::json(&tried.run);
        assert!(tried.run.passed(), "{:?}: {story}", tried.overrides);
    }
}

#[test]
fn a_run_closes_every_span_and_is_reproducible() {
    for tried in PAIRWISE_RUNS.iter() {
        let run = &tried.run;

        let mut spans = run.traces.iter().flat_map(|trace| &trace.spans);
        assert!(spans.all(|span| span.end.is_some()), "{:?}", run.traces);
        assert!(
            !Compared::of([run, run], None).differ(),
            "{}",
            tried.scenario.name()
        );
    }
}

#[tokio::test]
async fn one_seed_gives_identical_text_within_80_columns() {
    for scenario in CATALOGUE {
        for client in [RELIABLE, NAIVE] {
            let first = &PairwiseRun::of(scenario.name(), client).run;

            let second = run(scenario, &settings(client, Overrides::NONE)).await;

            let second = second.expect("a run");
            let story = text(&scenario.words, first);
            assert_eq!(render::json(first), render::json(&second));
            assert_eq!(story, text(&scenario.words, &second));
            let [page, again] = [first, &second].map(|run| report(&scenario.words, run));
            assert_eq!(page, again);
            for line in story.lines() {
                assert!(line.chars().count() <= 80, "{line}");
            }
        }
    }
}

#[tokio::test]
async fn another_seed_gives_another_text() {
    let one = &PairwiseRun::of("flaky", RELIABLE).run;
    let mut settings = settings(RELIABLE, Overrides::NONE);
    settings.seed += 1;

    let other = run(catalogue::find("flaky").expect("known"), &settings).await;

    let other = other.expect("a run");
    assert_ne!(one.traces, other.traces);
    assert_ne!(one.wire, other.wire);
}

#[test]
fn runs_with_one_seed_have_different_trace_ids() {
    let ids = CATALOGUE.iter().flat_map(|scenario| {
        let all = [RELIABLE, NAIVE].map(|client| PairwiseRun::of(scenario.name(), client));
        all.into_iter().flat_map(|tried| &tried.run.traces)
    });
    let ids: Vec<_> = ids.map(|trace| trace.id).collect();

    let different: HashSet<_> = ids.iter().collect();

    assert_eq!(ids.len(), 2 * CATALOGUE.len());
    assert_eq!(different.len(), ids.len());
}
