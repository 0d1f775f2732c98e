//! Storms in the web UI: the address of a page is the storm. Its storm is simulated once, on a
//! thread of its own, and kept by its plan.

mod door;
mod form;
mod page;
mod record;
mod routes;
#[cfg(test)]
mod tests;

use std::{
    collections::VecDeque,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex},
    thread,
};

use http::StatusCode;
use storm::{Plan, story};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use self::{
    form::StormForm,
    record::{Phase, Record},
};
use crate::web::{fields::Fields, live::Live, lock::lock, problem::Problem};

pub(crate) use door::{SmallStorm, door};
pub(crate) use form::address_of;
pub(crate) use routes::routes;

/// How many storms are simulated at once: each uses a whole core.
const TURNS: u32 = 2;

/// How many storms are kept, with those that go on.
const MAX_KEPT: usize = 20;

/// Simulates storms, and keeps them.
pub(crate) struct Storms {
    live: Arc<Live>,
    turns: Arc<Semaphore>,
    /// The oldest first.
    records: Mutex<VecDeque<Arc<Record>>>,
}

/// An open stream of the page of a storm. The storm goes on while there is one.
pub(crate) struct Stream(Arc<Record>);

impl Drop for Stream {
    fn drop(&mut self) {
        self.0.stream_closed();
    }
}

impl Storms {
    pub(crate) fn new(live: Arc<Live>) -> Arc<Self> {
        Arc::new(Self {
            live,
            turns: Arc::new(Semaphore::new(TURNS as usize)),
            records: Mutex::default(),
        })
    }

    /// The storm of this plan, if it is kept.
    fn kept(&self, plan: &Plan) -> Option<Arc<Record>> {
        let records = lock(&self.records);
        let known = records.iter().find(|record| record.plan == *plan);
        known.cloned()
    }

    /// The storm of this plan. One that is not kept is started.
    fn ask(self: &Arc<Self>, plan: Plan) -> Result<Arc<Record>, Problem> {
        self.ask_on(thread::Builder::new, plan)
    }

    /// The same, on a thread of this kind.
    fn ask_on(
        self: &Arc<Self>,
        thread: impl FnOnce() -> thread::Builder + Send + 'static,
        plan: Plan,
    ) -> Result<Arc<Record>, Problem> {
        let mut records = lock(&self.records);
        if let Some(known) = records.iter().find(|record| record.plan == plan) {
            known.asked();
            return Ok(Arc::clone(known));
        }
        if records.len() >= MAX_KEPT {
            let over = records.iter().position(|record| record.phase().is_over());
            let oldest = over.ok_or_else(|| {
                let detail = format!("{MAX_KEPT} storms go on already; cancel one, or wait");
                Problem::new(StatusCode::TOO_MANY_REQUESTS, "too_many_storms", detail)
            })?;
            records.remove(oldest);
        }
        let record = Arc::new(Record::new(plan));
        records.push_back(Arc::clone(&record));
        tokio::spawn(Arc::clone(self).follow(Arc::clone(&record), thread));
        Ok(record)
    }

    /// Simulates a storm to its end, or until nobody looks at it any more.
    async fn follow(
        self: Arc<Self>,
        record: Arc<Record>,
        thread: impl FnOnce() -> thread::Builder,
    ) {
        tokio::select! {
            phase = self.simulated(&record, thread) => record.end(phase),
            () = record.abandoned() => {
                // A page that asks for it from now on starts it anew.
                self.forget(&record);
                record.cancel();
                record.end(Phase::Cancelled);
            }
        }
        self.live.changed();
    }

    /// Waits for the turn of a storm, and simulates it.
    async fn simulated(
        &self,
        record: &Arc<Record>,
        thread: impl FnOnce() -> thread::Builder,
    ) -> Phase {
        let turn = tokio::select! {
            turn = Arc::clone(&self.turns).acquire_owned() => turn,
            () = record.ended() => return record.phase(),
        };
        let Ok(turn) = turn else {
            return Phase::Cancelled;
        };
        if !record.begin() {
            return record.phase();
        }
        match self.start(turn, record, thread()) {
            Ok(end) => {
                let end = end.await;
                end.unwrap_or_else(|_| Phase::Failed("the simulation panicked".to_owned()))
            }
            Err(error) => Phase::Failed(format!(
                "the system gives the lab no thread for it: {error}"
            )),
        }
    }

    /// Starts the simulation, which keeps the turn until its end.
    fn start(
        &self,
        turn: OwnedSemaphorePermit,
        record: &Arc<Record>,
        thread: thread::Builder,
    ) -> std::io::Result<oneshot::Receiver<Phase>> {
        let (end, ended) = oneshot::channel();
        let (record, live) = (Arc::clone(record), Arc::clone(&self.live));
        thread.spawn(move || {
            let simulate = AssertUnwindSafe(|| record.simulate(|| live.changed()));
            let phase = catch_unwind(simulate);
            drop(turn);
            if let Ok(phase) = phase {
                // Nobody waits for an abandoned storm.
                let _ = end.send(phase);
            }
        })?;
        Ok(ended)
    }

    /// Cancels the storm of this plan, if it goes on, and waits for its end.
    async fn cancel(&self, plan: &Plan) {
        if let Some(record) = self.kept(plan) {
            record.cancelled().await;
        }
    }

    fn forget(&self, record: &Arc<Record>) {
        lock(&self.records).retain(|known| !Arc::ptr_eq(known, record));
    }

    /// Drops the storm of this plan, if it was cancelled or could not be simulated, so that the
    /// next request for it starts it again.
    fn again(&self, plan: &Plan) {
        let known = self.kept(plan);
        let ended_early =
            |record: &Arc<Record>| matches!(record.phase(), Phase::Cancelled | Phase::Failed(_));
        if let Some(record) = known.filter(ended_early) {
            self.forget(&record);
        }
    }

    /// A stream of the page at this address: the storm of the page goes on while it is open.
    pub(crate) fn streamed(&self, page: &str) -> Option<Stream> {
        let (path, query) = page.split_once('?').unwrap_or((page, ""));
        let story = story(path.strip_prefix("/storm/")?).ok()?;
        let form = StormForm::of(&Fields::parse(query.as_bytes()));
        let record = self.kept(&form.read(story).ok()?.plan)?;
        record.stream_opened();
        Some(Stream(record))
    }

    /// Whether a storm is simulated.
    pub(crate) fn in_progress(&self) -> bool {
        let records = lock(&self.records);
        records
            .iter()
            .any(|record| record.phase() == Phase::Running)
    }

    /// Cancels all storms, and waits until they have ended. None begins after that.
    pub(crate) async fn stop(&self) {
        self.abort();
        // It fails only after another stop.
        let turns = self.turns.acquire_many(TURNS).await;
        self.turns.close();
        drop(turns);
    }

    /// Cancels all storms.
    pub(crate) fn abort(&self) {
        for record in lock(&self.records).iter() {
            record.cancel();
        }
    }
}
