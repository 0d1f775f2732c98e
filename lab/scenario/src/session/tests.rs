use super::*;
use crate::{CLIENTS, Reliable, catalogue, trace::Span};

/// A session with an endless listing and a client that would read it for hours.
fn endless(client: &'static dyn ClientUnderTest, bounds: Bounds) -> Session<'static> {
    let settings = Settings {
        seed: 7,
        client,
        pace: Pace::Virtual,
        overrides: Overrides {
            max_pages: Some(u32::MAX),
            max_items: Some(u32::MAX),
            ..Overrides::default()
        },
    };
    let scenario = catalogue::find("endless-items").expect("known");
    let session = Session::new(scenario, &settings, &Exposition::new());
    Session { bounds, ..session }
}

async fn finished(session: Session<'_>) -> ScenarioRun {
    let run = session.run_until(pending(), Identity::new());
    run.await.expect("a run")
}

#[tokio::test]
async fn the_lab_stops_a_run_at_its_limit_of_requests() {
    for client in CLIENTS {
        let bounds = Bounds {
            requests: 12,
            ..Bounds::DEFAULT
        };

        let run = finished(endless(*client, bounds)).await;

        assert_eq!(run.outcome.ending, Ending::Stopped, "{client:?}");
        assert_eq!(
            run.outcome.text,
            "stopped by the lab after 12 requests, the most that a run may send"
        );
        assert_eq!(run.wire.total, 12);
        assert!(!run.passed(), "the expectations apply");
    }
}

#[tokio::test]
async fn a_run_may_use_its_whole_limit_of_requests() {
    let mut session = endless(
        &Reliable,
        Bounds {
            requests: 3,
            ..Bounds::DEFAULT
        },
    );
    session.policy.max_pages = 3;

    let run = finished(session).await;

    assert_eq!(run.outcome.ending, Ending::ContractError);
    assert_eq!(run.wire.total, 3);
    assert!(run.passed(), "{:?}", run.verdict);
}

#[tokio::test]
async fn the_lab_stops_a_run_at_its_limit_of_time() {
    let bounds = Bounds {
        time: Duration::ZERO,
        ..Bounds::DEFAULT
    };

    let run = finished(endless(&Reliable, bounds)).await;

    assert_eq!(run.outcome.ending, Ending::Stopped);
    assert_eq!(
        run.outcome.text,
        "stopped by the lab after 0 ms, the longest that a run may take"
    );
}

/// Each request arrives during its attempt, so the wire and the waterfall can share one
/// axis.
#[tokio::test]
async fn the_spans_and_the_ledger_share_one_origin_of_time() {
    for (name, pace) in [
        ("flaky", Pace::Real),
        ("items", Pace::Real),
        ("flaky", Pace::Virtual),
    ] {
        let settings = Settings {
            seed: 7,
            client: &Reliable,
            pace,
            overrides: Overrides::default(),
        };
        let scenario = catalogue::find(name).expect("known");

        let run = run(scenario, &settings).await.expect("a run");

        let spans = &run.trace.spans;
        for entry in &run.wire.entries {
            let is_of =
                |span: &&Span| span.fields.text(field::REQUEST_ID) == Some(&entry.request_id);
            let request = spans.iter().find(is_of).expect("the span of the request");
            let attempt = spans.iter().find(|span| Some(span.id) == request.parent);
            let attempt = attempt.expect("the attempt that sent it");
            let during = attempt.start..=attempt.end.expect("closed");
            assert!(during.contains(&entry.arrived), "{entry:?} in {attempt:?}");
        }
        assert!(!run.wire.entries.is_empty());
    }
}
