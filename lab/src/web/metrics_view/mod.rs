//! The counters of this process over the last fifteen minutes, for the view *Metrics*.
//!
//! Once a second the text of `/metrics` is read, so the view shows what a scrape of that second
//! would show: the runs of the page and of `lab load`, and the requests of other clients. The
//! charts are drawn once for all pages that show them, and not at all without one. Nothing is
//! stored, and nothing else can be asked for: that is what Prometheus is for.

mod charts;
mod history;
mod page;

use std::sync::Arc;

use axum::{Router, extract::State, response::Response, routing::get};
use scenario::Exposition;
use serde_json::json;
use tokio::time::{Duration, Instant, MissedTickBehavior, interval};

use super::{
    feed::{Feed, respond_with},
    shared::Shared,
};
use crate::scenario::web::Runs;
use history::History;

/// The time between two samples.
const SECOND: Duration = Duration::from_secs(1);

/// The page, and the route that streams its charts.
pub(crate) fn routes() -> Router<Shared> {
    Router::new()
        .route("/metrics-view", get(page::page))
        .route("/api/metrics-view", get(charts))
}

async fn charts(State(shared): State<Shared>) -> Response {
    respond_with(&shared.charts)
}

/// Takes a sample each second, and draws the charts if a page shows them, until it is dropped.
///
/// To read the text folds observations into buckets, which a long-lived process must do every
/// few seconds: each observation takes memory until then.
pub(crate) async fn follow(
    exposition: Exposition,
    runs: Arc<Runs>,
    charts: Arc<Feed>,
    service: Arc<str>,
) {
    let start = Instant::now();
    let mut history = History::default();
    let mut seconds = interval(SECOND);
    seconds.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        seconds.tick().await;
        history.add(start.elapsed(), &exposition.text());
        charts.publish_to_readers(
            "charts",
            || json!({ "html": charts::charts(&history, &runs.marks(), &service).into_string() }),
        );
    }
}

#[cfg(test)]
mod tests;
