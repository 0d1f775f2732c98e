//! The counters of this process over the last fifteen minutes: the page *Metrics*, and the tiles of
//! the overview.
//!
//! Once a second the text of `/metrics` is read, so they show what a scrape of that second would
//! show: the runs of the page and of `lab load`, and the requests of other clients. A page is drawn
//! once for all that show it. Nothing is stored, and nothing else can be asked for: that is what
//! Prometheus is for.

mod counts;
mod history;
mod lanes;
mod marks;
mod page;
#[cfg(test)]
mod tests;
mod tiles;

use std::{
    sync::{Arc, Mutex},
    time::SystemTime,
};

use axum::{Router, body::Bytes, routing::get};
use scenario::Exposition;
use tokio::time::{Duration, Instant, MissedTickBehavior, interval};

use super::{live::Live, lock::lock, shared::Shared};
use crate::scenario::web::Runs;
use counts::Counts;
use history::History;
use marks::TimedRun;
use page::Shown;

pub(super) use tiles::tiles;

/// The time between two samples. To read the text folds observations into buckets, which a
/// long-lived process must do every few seconds: each observation takes memory until then.
const SECOND: Duration = Duration::from_secs(1);

/// A page shows numbers that are at most this old.
const FRESH: Duration = Duration::from_millis(250);

/// The page.
pub(crate) fn routes() -> Router<Shared> {
    Router::new().route("/metrics-view", get(page::page))
}

/// The counters over time.
pub(crate) struct MetricsView {
    exposition: Exposition,
    runs: Arc<Runs>,
    live: Arc<Live>,
    start: Instant,
    /// The same by the clock of the runs.
    started: SystemTime,
    sampled: Mutex<Sampled>,
}

/// The newest sample, and what was drawn of it.
#[derive(Default)]
struct Sampled {
    at: Option<Instant>,
    history: History,
    runs: Vec<TimedRun>,
    /// The pages that were asked for since, each for all that ask for it.
    pages: Vec<(Shown, Bytes)>,
}

impl MetricsView {
    pub(crate) fn new(exposition: Exposition, runs: Arc<Runs>, live: Arc<Live>) -> Arc<Self> {
        Arc::new(Self {
            exposition,
            runs,
            live,
            start: Instant::now(),
            started: SystemTime::now(),
            sampled: Mutex::default(),
        })
    }

    /// Takes a sample each second, until it is dropped.
    pub(crate) async fn follow(self: Arc<Self>) {
        let mut seconds = interval(SECOND);
        seconds.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            seconds.tick().await;
            self.with_sample(|_| {});
        }
    }

    fn timed_runs(&self) -> Vec<TimedRun> {
        let marks = self.runs.marks().into_iter();
        let timed = marks.filter_map(|run| {
            let at = run.started.duration_since(self.started).ok()?;
            Some((at, run))
        });
        timed.collect()
    }

    /// Uses a sample that is not old, and tells the pages if it differs from the one before it.
    fn with_sample<T>(&self, uses: impl FnOnce(&mut Sampled) -> T) -> T {
        let mut sampled = lock(&self.sampled);
        let is_fresh = sampled.at.is_some_and(|at| at.elapsed() < FRESH);
        if !is_fresh {
            let has_changed = sampled.add(
                self.start.elapsed(),
                Counts::read(&self.exposition.text()),
                self.timed_runs(),
            );
            sampled.at = Some(Instant::now());
            if has_changed {
                self.live.changed();
            }
        }
        uses(&mut sampled)
    }
}

impl Sampled {
    /// Adds a sample, and returns whether a page has changed with it.
    fn add(&mut self, at: Duration, counts: Counts, runs: Vec<TimedRun>) -> bool {
        let has_counted = self.history.add(at, counts);
        let has_run = runs != self.runs;
        self.runs = runs;
        let has_changed = has_counted || has_run;
        if has_changed {
            self.pages.clear();
        }
        has_changed
    }
}
