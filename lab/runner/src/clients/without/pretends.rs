//! A client that says that it waits, and does not: its spans, its counters and its
//! outcome are those of a good one, and only the wire tells.

use std::{
    future::{Future, ready},
    pin::Pin,
    sync::Arc,
    time::{Duration, SystemTime},
};

use client::Clock;
use evidence::{Run, trace::SpanName, verdict::Source};

use super::*;
use crate::{Settings, run, scenario};

/// The reference client with a clock on which every pause is over at once.
const PRETENDER: Without = Without {
    name: "pretender",
    defence: &Defence {
        id: "pause",
        instead: "It says that it waits.",
        file: "client/src/time.rs",
        breaks: &["retry-after-seconds"],
        shows_in: &["retry-after-seconds"],
    },
    allowed: |policy| policy,
    connect: |mut connection| {
        connection.clock = Arc::new(NoPause(Arc::clone(&connection.clock)));
        Reliable.connect(connection)
    },
};

struct NoPause(Arc<dyn Clock>);

impl Clock for NoPause {
    fn monotonic(&self) -> Duration {
        self.0.monotonic()
    }

    fn wall(&self) -> SystemTime {
        self.0.wall()
    }

    fn sleep(&self, _: Duration) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(ready(()))
    }
}

async fn run_scenario(client: &'static dyn ClientUnderTest) -> Run {
    let settings = Settings::in_virtual_time(client, 7);
    let scenario = scenario::find("retry-after-seconds").expect("known");
    run(scenario, &settings).await.expect("a run")
}

/// The failed checks, with the rule and the side of each.
fn broken(run: &Run) -> Vec<(Source, Option<&'static str>)> {
    let broken = run.verdict.iter().filter(|check| !check.held);
    broken.map(|check| (check.source, check.rule)).collect()
}

#[tokio::test]
async fn a_client_that_only_says_that_it_waits_is_caught_by_the_wire() {
    let honest = run_scenario(&Reliable).await;
    let pretended = run_scenario(&PRETENDER).await;

    let said = |run: &Run| {
        let spans = run.traces.iter().flat_map(|trace| &trace.spans);
        let waits = spans.filter(|span| span.name == SpanName::Wait);
        let waits =
            waits.filter_map(|span| span.fields.seconds("reliable_api_client.wait.seconds"));
        let counters = run
            .counters
            .iter()
            .filter(|it| it.name.starts_with("client_"));
        (
            run.outcome.clone(),
            counters.cloned().collect::<Vec<_>>(),
            waits.collect::<Vec<_>>(),
        )
    };
    assert_eq!(said(&pretended), said(&honest));
    assert_eq!(broken(&honest), []);
    let wire = Source::Wire;
    let caught = [
        (wire, None),
        (wire, None),
        (wire, Some("retry-after-seconds")),
    ];
    assert_eq!(broken(&pretended), caught);
}
