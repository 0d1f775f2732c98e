//! Properties of every run, for any scenario and client.

use std::collections::HashSet;

use render::timeline::Kind;
use scenario::{
    ClientUnderTest, Ending, NAIVE, Naive, Overrides, Pace, RELIABLE, Reliable, Settings,
    catalogue::{self, CATALOGUE},
    run,
    trace::SpanName,
};

use crate::runs::{
    pairwise_runs::{PAIRWISE_RUNS, PairwiseRun},
    settings,
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
fn a_run_closes_every_span() {
    for tried in PAIRWISE_RUNS.iter() {
        let mut spans = tried.run.trace.spans.iter();

        assert!(
            spans.all(|span| span.end.is_some()),
            "{:?}",
            tried.run.trace
        );
    }
}

#[tokio::test]
async fn another_seed_gives_another_text() {
    let one = &PairwiseRun::of("flaky", RELIABLE).run;
    let mut settings = settings(RELIABLE, Overrides::default());
    settings.seed += 1;

    let other = run(catalogue::find("flaky").expect("known"), &settings).await;

    let other = other.expect("a run");
    assert_ne!(one.trace, other.trace);
    assert_ne!(one.wire, other.wire);
}

#[test]
fn runs_with_one_seed_have_different_trace_ids() {
    let ids = CATALOGUE.iter().flat_map(|scenario| {
        let all = [RELIABLE, NAIVE].map(|client| PairwiseRun::of(scenario.name(), client));
        all.map(|tried| tried.run.trace.id)
    });
    let ids: Vec<_> = ids.collect();

    let different: HashSet<_> = ids.iter().collect();

    assert_eq!(different.len(), ids.len());
}

/// A tick says that the client did something: in a run without a retry it waited for nothing.
#[test]
fn a_run_without_a_retry_ticks_nothing_about_retries_and_waits() {
    for tried in PAIRWISE_RUNS.iter() {
        if tried.run.counters.total("client_retries_total") > 0 {
            continue;
        }
        for check in &tried.run.verdict {
            let words = [
                "each retry",
                "retried no more",
                "waited",
                "any wait",
                "came earlier",
            ];
            let is_about = words.iter().any(|words| check.text.contains(words))
                && !check.text.ends_with(", or gave up");
            assert!(
                !(check.held && is_about),
                "{}: {:?} {:?}",
                check.text,
                tried.scenario,
                tried.overrides
            );
        }
    }
}

/// What was cut off would be the reason of a decision.
#[test]
fn no_row_of_a_picture_is_cut_in_80_columns() {
    for tried in PAIRWISE_RUNS.iter() {
        let picture = scenario::waterfall(&tried.run.trace, &render::Options::default());

        assert!(!picture.contains('…'), "{:?}\n{picture}", tried.overrides);
    }
}

/// The response has its status, but a client that sends the request again, or fails, did not
/// use it.
#[test]
fn an_attempt_is_marked_as_a_success_only_if_its_client_used_the_response() {
    for tried in PAIRWISE_RUNS.iter() {
        let task = tried.scenario.task;
        if !task.settings_of_listings().is_empty() || !task.is_one_call() {
            continue;
        }
        let rows = tried.run.timeline().rows.into_iter();
        let attempts = rows.filter(|row| row.kind == Kind::Good && !row.is_call);
        let successes = attempts.count();

        let name = tried.scenario.name();
        if tried.run.outcome.ending == Ending::Ok {
            assert!(successes > 0, "{name} {:?}", tried.run.client);
        } else {
            let calls = tried.run.trace.spans.iter();
            let used = calls.filter(|span| span.name == SpanName::Operation && !span.failed());
            assert_eq!(successes, used.count(), "{name} {:?}", tried.run.client);
        }
    }
}

/// In real time a service without sockets would be no service: its requests would name a port
/// that nothing listens on.
#[tokio::test]
async fn in_real_time_every_request_arrives_on_a_connection_of_its_own_service() {
    let scenario = catalogue::find("too-many-requests").expect("known");
    for client in [&Reliable as &'static dyn ClientUnderTest, &Naive] {
        let settings = Settings {
            client,
            pace: Pace::Real,
            ..settings(RELIABLE, Overrides::default())
        };

        let run = run(scenario, &settings).await.expect("a run");

        assert!(!run.wire.entries.is_empty());
        for request in &run.wire.entries {
            assert!(request.connection.is_some(), "{request:?}");
        }
        let spans = run.trace.spans.iter();
        let ports: HashSet<_> = spans
            .filter_map(|span| span.fields.number("server.port"))
            .collect();
        assert_eq!(ports.len(), 1);
        assert!(!ports.contains(&server::DEFAULT_PORT.into()));
        assert_eq!(run.counted(), run.wire.total);
    }
}
