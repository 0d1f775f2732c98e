//! Cancelled runs: their events are kept, and no task continues.

use std::sync::Arc;

use scenario::{
    Client, Ending, NAIVE, Overrides, Pace, RELIABLE, ScenarioRun, Settings, catalogue, run_until,
    trace::SpanName,
};
use testkit::PATIENCE;
use tokio::{runtime::Handle, sync::Notify, task::yield_now, time::timeout};
use tracing::{Subscriber, span};
use tracing_subscriber::{Layer, layer::Context};

use crate::runs::{report, settings, text};

/// Reports when a span of this name opens.
struct Opens(&'static str, Arc<Notify>);

impl<S: Subscriber> Layer<S> for Opens {
    fn on_new_span(&self, span: &span::Attributes<'_>, _: &span::Id, _: Context<'_, S>) {
        if span.metadata().name() == self.0 {
            self.1.notify_one();
        }
    }
}

/// Runs a scenario in real time, with long limits, and cancels it once a span of this
/// name has opened.
async fn cancelled_in(name: &str, client: Client, span: &'static str) -> ScenarioRun {
    let patient = Overrides {
        max_retry_after_seconds: Some(120),
        ..Overrides::default()
    };
    let settings = Settings {
        pace: Pace::Real,
        ..settings(client, patient)
    };
    let scenario = catalogue::find(name).expect("known");
    let opened = Arc::new(Notify::new());
    let layer = Opens(span, Arc::clone(&opened));
    let run = run_until(opened.notified(), layer, scenario, &settings);
    run.await.expect("a run")
}

/// Waits until only the tasks from before are left.
async fn settle(before: usize) {
    let alive = || Handle::current().metrics().num_alive_tasks();
    let settled = timeout(PATIENCE, async {
        while alive() > before {
            yield_now().await;
        }
    });
    let settled = settled.await;
    assert!(settled.is_ok(), "{} tasks are left", alive() - before);
}

#[tokio::test]
async fn cancelling_ends_a_long_wait_at_once_and_leaves_no_task() {
    let before = Handle::current().metrics().num_alive_tasks();

    let run = cancelled_in("retry-later", RELIABLE, "wait").await;

    assert_eq!(run.outcome.ending, Ending::Cancelled);
    assert_eq!(run.outcome.text, "cancelled after 1 request");
    assert_eq!((run.wire.total, run.verdict.len()), (1, 0));
    let waits = run.trace.spans.iter();
    let waits = waits.filter(|span| span.name == SpanName::Wait);
    let waits: Vec<_> = waits.map(|span| span.end).collect();
    assert!(matches!(waits[..], [Some(_)]), "{waits:?}");
    let words = &catalogue::find("retry-later").expect("known").words;
    let text = text(words, &run);
    for shown in [
        text.clone(),
        report(words, &run),
        scenario::table(std::slice::from_ref(&run), &render::Options::default()),
    ] {
        assert!(shown.contains("cancelled"), "{shown}");
        assert!(!shown.contains("expectations"), "{shown}");
        assert!(!shown.contains('✓'), "{shown}");
    }
    assert!(text.contains("wait 120 s, cut off after "), "{text}");
    settle(before).await;
}

/// With any transport, and at any stage of the run.
#[tokio::test]
async fn every_kind_of_run_can_be_cancelled() {
    let before = Handle::current().metrics().num_alive_tasks();

    for (name, client) in [
        ("read-timeout", RELIABLE),
        ("read-timeout", NAIVE),
        ("lost-response", RELIABLE),
        ("connection-refused", RELIABLE),
        ("tls-refused", RELIABLE),
        ("too-many-requests", RELIABLE),
        ("too-many-requests", NAIVE),
        ("resumed-crawl", RELIABLE),
        ("oversized-body", RELIABLE),
    ] {
        let run = cancelled_in(name, client, "attempt").await;

        let words = &catalogue::find(name).expect("known").words;
        assert_eq!(run.outcome.ending, Ending::Cancelled, "{name}");
        assert_eq!((&run.verdict[..], &run.answer), (&[][..], &None), "{name}");
        assert_eq!(run.lesson.why, [words.why], "{name}");
        assert!(!run.passed(), "{name}");
    }
    settle(before).await;
}
