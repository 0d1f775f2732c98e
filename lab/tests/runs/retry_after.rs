//! The requested wait: all parts of a run show the same number, rounded up, so that a
//! client which waits that long never comes early.

use std::{cell::Cell, sync::Arc, time::Duration};

use axum::{
    Json, Router,
    response::{IntoResponse, Response},
    routing,
};
use client::{Clock, Endpoint};
use evidence::{Overrides, Run};
use http::{StatusCode, header::RETRY_AFTER};
use proptest::prelude::*;
use runner::{RELIABLE, Task, run, scenario, scenario::Network, scenario::Scenario};
use serde_json::{Value, json};

use crate::{report, settings, text};

const DOWN: Endpoint = Endpoint::new("down", "/down");

thread_local! {
    /// How far into a second the next run's response is sent, and how far ahead of it the
    /// date is.
    static DATE: Cell<(Duration, Duration)> = const { Cell::new((Duration::ZERO, Duration::ZERO)) };
}

/// A route that requests a wait until a date.
fn until_a_date(clock: Arc<dyn Clock>) -> Router {
    let (into, ahead) = DATE.get();
    let response = async move || -> Response {
        clock.sleep(into).await;
        let date = httpdate::fmt_http_date(clock.wall() + ahead);
        let asks = [(RETRY_AFTER, date)];
        (StatusCode::SERVICE_UNAVAILABLE, asks, Json(json!({}))).into_response()
    };
    Router::new().route(DOWN.template(), routing::get(response))
}

async fn stopped_at(into: Duration, ahead: Duration) -> (Scenario, Run) {
    let plain = scenario::find("items").expect("a scenario of the catalogue");
    let scenario = Scenario {
        network: Network::Function,
        routes: |clock| until_a_date(clock).into(),
        task: Task::Get(DOWN),
        ..*plain
    };
    let settings = settings(
        RELIABLE,
        Overrides {
            max_retry_after: Some(Duration::ZERO),
            ..Overrides::NONE
        },
    );
    DATE.set((into, ahead));
    let run = run(&scenario, &settings).await.expect("a run");
    (scenario, run)
}

/// The first whole number after `before`.
fn number_after(text: &str, before: &str) -> Option<u64> {
    let (_, rest) = text.split_once(before)?;
    let end = rest.find(|sign: char| !sign.is_ascii_digit())?;
    rest[..end].parse().ok()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn text_fact_ledger_json_and_report_of_a_run_agree(
        into_ns in 0..1_000_000_000_u64, ahead_ms in 1_000..5_000_u64,
    ) {
        let (into, ahead) = (Duration::from_nanos(into_ns), Duration::from_millis(ahead_ms));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();

        let (scenario, run) = runtime.expect("a runtime").block_on(stopped_at(into, ahead));

        // A date has whole seconds only, and counts from the response.
        let left = Duration::from_secs((into + ahead).as_secs()).saturating_sub(into);
        let whole = left.as_nanos().div_ceil(1_000_000_000);
        let whole = u64::try_from(whole).expect("a few seconds");
        let json: Value = serde_json::from_str(&render::json(&run)).expect("JSON");
        let text = text(&scenario.words, &run);
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let report = report(&scenario.words, &run);
        let shown = [
            number_after(&run.outcome.text, "a wait of "),
            number_after(&text, "a wait of "),
            run.wire.entries[0].retry_after.map(|it| it.wait().as_nanos().div_ceil(1_000_000_000) as u64),
            json["outcome"]["facts"]["retry_after_seconds"].as_u64(),
            json["wire"]["entries"][0]["retry_after"]["wait_ns"].as_u64().map(|ns| ns.div_ceil(1_000_000_000)),
            number_after(&report, "<dt>retry after seconds</dt><dd>"),
        ];
        prop_assert_eq!(shown, [Some(whole); 6], "{}", render::json(&run));
    }
}
