//! Storms in the web UI: each is simulated on a thread of its own while its pictures are sent,
//! and ends as soon as nobody reads them.

mod catalogue;
mod door;
mod live;
mod page;
mod request;
mod routes;

use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use axum::body::Bytes;
use http::StatusCode;
use storm::Plan;
use tokio::sync::{Semaphore, mpsc};

use crate::web::{lock::lock, problem::Problem, token::token};
use live::LiveStorm;

pub(crate) use door::{SmallStorm, door};
pub(crate) use routes::routes;

/// How many storms may be simulated at once: each uses a whole core.
const SLOTS: u32 = 2;

/// How many reports are kept.
const MAX_KEPT: usize = 20;

/// Simulates storms, and keeps their reports.
pub(crate) struct Storms {
    slots: Arc<Semaphore>,
    /// The oldest first.
    records: Mutex<VecDeque<Record>>,
}

/// A requested storm.
struct Record {
    id: String,
    story: &'static str,
    is_cancelled: Arc<AtomicBool>,
    /// None while it is running.
    report: Option<Arc<str>>,
}

impl Default for Storms {
    fn default() -> Self {
        Self {
            slots: Arc::new(Semaphore::new(SLOTS as usize)),
            records: Mutex::default(),
        }
    }
}

impl Storms {
    /// Starts a storm, which runs while its frames are received, or until it is
    /// cancelled.
    fn start(
        self: &Arc<Self>,
        plan: Plan,
        guess: Vec<String>,
    ) -> Result<mpsc::UnboundedReceiver<Bytes>, Problem> {
        self.start_on(thread::Builder::new(), plan, guess)
    }

    /// Starts a storm on a thread of this kind.
    fn start_on(
        self: &Arc<Self>,
        thread: thread::Builder,
        plan: Plan,
        guess: Vec<String>,
    ) -> Result<mpsc::UnboundedReceiver<Bytes>, Problem> {
        let slot = Arc::clone(&self.slots).try_acquire_owned();
        let slot = slot.map_err(|_| {
            let detail = format!("{SLOTS} storms are simulated already; cancel one, or wait");
            let status = StatusCode::TOO_MANY_REQUESTS;
            Problem::new(status, "too_many_storms", detail)
        })?;
        let (id, is_cancelled) = (token(), Arc::<AtomicBool>::default());
        self.keep(&id, plan.story.name, &is_cancelled);
        // The channel is unbounded because the columns of the pictures limit the frames,
        // and a reader that stalls must not keep a slot forever.
        let (frames, receiver) = mpsc::unbounded_channel();
        let storms = Arc::clone(self);
        let live = LiveStorm {
            id: id.clone(),
            plan,
            guess,
            frames,
            is_cancelled,
        };
        let started = thread.spawn(move || {
            live.simulate(|report| storms.reported(&live.id, report));
            // The slot is free by the time a reader reaches the end of the frames.
            drop(slot);
            drop(live);
        });
        match started {
            Ok(_) => Ok(receiver),
            Err(error) => {
                self.reported(&id, None);
                let detail = format!("the system gives the lab no thread for a storm: {error}");
                let status = StatusCode::SERVICE_UNAVAILABLE;
                Err(Problem::new(status, "not_run", detail))
            }
        }
    }

    /// Cancels a storm, and returns whether it was still running; none if it does not
    /// exist.
    fn cancel(&self, id: &str) -> Option<bool> {
        let records = lock(&self.records);
        let record = records.iter().find(|record| record.id == id)?;
        record.is_cancelled.store(true, Ordering::Relaxed);
        Some(record.report.is_none())
    }

    /// The report of a storm with its file name: none if the storm does not exist, and no
    /// report while it is running.
    fn report(&self, id: &str) -> Option<(String, Option<Arc<str>>)> {
        let records = lock(&self.records);
        let record = records.iter().find(|record| record.id == id)?;
        let name = format!("storm-{}-{id}.html", record.story);
        Some((name, record.report.clone()))
    }

    /// Cancels all storms, and waits until they have ended.
    pub(crate) async fn stop(&self) {
        self.abort();
        // It fails only if the semaphore is closed, which never happens.
        let _ = self.slots.acquire_many(SLOTS).await;
    }

    /// Cancels all storms.
    pub(crate) fn abort(&self) {
        for record in lock(&self.records).iter() {
            record.is_cancelled.store(true, Ordering::Relaxed);
        }
    }

    /// Keeps a new storm, and drops the oldest that is over.
    fn keep(&self, id: &str, story: &'static str, is_cancelled: &Arc<AtomicBool>) {
        let mut records = lock(&self.records);
        records.push_back(Record {
            id: id.to_owned(),
            story,
            is_cancelled: Arc::clone(is_cancelled),
            report: None,
        });
        let is_over = |record: &Record| record.report.is_some();
        if records.len() > MAX_KEPT
            && let Some(oldest) = records.iter().position(is_over)
        {
            records.remove(oldest);
        }
    }

    /// Keeps the report of a storm. A storm without a report is dropped.
    fn reported(&self, id: &str, report: Option<String>) {
        let mut records = lock(&self.records);
        match report {
            None => records.retain(|record| record.id != id),
            Some(report) => {
                if let Some(record) = records.iter_mut().find(|record| record.id == id) {
                    record.report = Some(report.into());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use storm::STORIES;

    use super::*;

    /// A storm that runs too long to wait for.
    fn endless() -> Plan {
        let mut plan = Plan::of(&STORIES[0]);
        plan.settings.calls_per_second = 1_000.0;
        plan.settings.length = Duration::from_secs(600);
        plan
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn a_storm_that_gets_no_thread_leaves_no_record_and_frees_its_slot() {
        let storms = Arc::<Storms>::default();
        // No system has so much memory for the stack of a thread.
        let no_thread = || thread::Builder::new().stack_size(1 << 50);

        for _ in 0..=SLOTS {
            let started = storms.start_on(no_thread(), endless(), Vec::new());

            let problem = started.map(|_| ()).expect_err("there is no thread");
            assert_eq!(problem.status, StatusCode::SERVICE_UNAVAILABLE);
        }
        assert!(lock(&storms.records).is_empty());
    }

    #[tokio::test]
    async fn closing_the_connection_ends_the_storm_and_frees_its_slot() {
        let storms = Arc::<Storms>::default();
        let start = || storms.start(endless(), Vec::new()).map(routes::stream);
        let (one, other) = (start().expect("a slot"), start().expect("a slot"));
        let refused = start().map(|_| ());

        drop(one);
        // The other storm keeps its slot while it is read.
        let free = storms.slots.acquire().await.expect("it is never closed");
        drop(free);
        let again = start().map(|_| ());

        assert!(refused.is_err(), "there were two");
        assert!(again.is_ok(), "there is one");
        drop(other);
        storms.stop().await;
    }
}
