//! The runs of the web UI: each has its own service, many go on at once, and the newest
//! are kept.

mod pages;
mod record;
mod request;
mod routes;
mod ticks;
mod unkept;

use std::{
    collections::VecDeque,
    convert::Infallible,
    panic::AssertUnwindSafe,
    sync::{Arc, Mutex},
    time::{Duration, SystemTime},
};

use futures_util::{FutureExt, future::join_all};
use http::StatusCode;
use scenario::{
    Compared, Exposition, Pace, Recorder, Reliable, RunError, ScenarioRun, Session, Settings,
    catalogue::{self, Scenario},
};
use tokio::{
    sync::{Notify, OnceCell, Semaphore, watch},
    task::JoinSet,
    time::timeout,
};

use crate::{
    causes::causes,
    web::{
        Exporters,
        live::{INTERVAL, Live as LivePages},
        lock::lock,
        problem::Problem,
        token::token,
    },
};
use record::{Live, Record, Side, Summary};
use request::RunRequest;
use ticks::Ticks;

pub(crate) use pages::{chapters, example, newest_runs, routes as pages};
pub(crate) use record::State;
pub(crate) use request::COMPARE;
pub(crate) use routes::routes;
pub(crate) use unkept::UnkeptRun;

/// How many clients may run at once, of which a comparison has two. Each takes about ten
/// descriptors with its service, and a process often has 1 024.
const MAX_PLAYING: usize = 64;

/// How many runs are kept.
const MAX_KEPT: usize = 100;

/// How long a page waits for the end of a run in virtual time, which takes a few milliseconds:
/// its first response is complete.
const PATIENCE: Duration = Duration::from_secs(5);

/// The scenario of the example, and its seed.
const EXAMPLE: &str = "flaky";
const EXAMPLE_SEED: u64 = 1;

/// A kept run, as a mark on an axis of time.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RunMark {
    pub(crate) id: String,
    pub(crate) scenario: &'static str,
    pub(crate) started: SystemTime,
    /// Whether it ended as expected, in a comparison for the reliable client; none while it goes
    /// on, or if it was cancelled.
    pub(crate) is_good: Option<bool>,
}

/// Runs scenarios and keeps the results.
pub(crate) struct Runs {
    live: Arc<LivePages>,
    exposition: Exposition,
    exporters: Exporters,
    /// The oldest first.
    records: Mutex<VecDeque<Record>>,
    ticks: Mutex<Ticks>,
    /// Notified at the end of each run.
    ends: Notify,
    example: OnceCell<ScenarioRun>,
    tasks: Mutex<JoinSet<()>>,
    /// The turns of runs that are not kept.
    unkept: Semaphore,
    /// Set when they have to end.
    stopping: watch::Sender<bool>,
}

impl Runs {
    pub(crate) fn new(
        live: Arc<LivePages>,
        exposition: Exposition,
        exporters: Exporters,
    ) -> Arc<Self> {
        Arc::new(Self {
            live,
            exposition,
            exporters,
            records: Mutex::default(),
            ticks: Mutex::default(),
            ends: Notify::new(),
            example: OnceCell::new(),
            tasks: Mutex::default(),
            unkept: Semaphore::new(unkept::MAX_UNKEPT),
            stopping: watch::Sender::new(false),
        })
    }

    /// Starts a run on the runtime of the caller, and returns its id.
    fn start(self: &Arc<Self>, request: RunRequest) -> Result<String, Problem> {
        let clients = request.clients().into_iter();
        let sessions: Vec<_> = clients
            .map(|client| {
                let settings = request.settings(client);
                Session::new(request.scenario, &settings, &self.exposition)
            })
            .collect();
        let live = |session: &Session<'_>| {
            Side::Live(Arc::new(Live {
                client: session.client(),
                terms: session.terms(),
                recorder: session.recorder().clone(),
            }))
        };
        let sides = sessions.iter().map(live).collect();
        let cancelled = Arc::new(watch::Sender::new(false));
        let reader = cancelled.subscribe();
        let id = self.admit(request, sides, cancelled)?;
        self.live.changed();

        let mut tasks = lock(&self.tasks);
        while tasks.try_join_next().is_some() {}
        tasks.spawn(Arc::clone(self).run_scenario(id.clone(), sessions, reader));
        Ok(id)
    }

    /// Keeps a new run unless too many go on, and drops an old one that is over.
    fn admit(
        &self,
        request: RunRequest,
        sides: Vec<Side>,
        cancelled: Arc<watch::Sender<bool>>,
    ) -> Result<String, Problem> {
        let mut records = lock(&self.records);
        let goes_on = |record: &Record| record.state == State::Running;
        let going_on = records.iter().filter(|record| goes_on(record));
        let running: usize = going_on.map(|record| record.sides.len()).sum();
        if running + sides.len() > MAX_PLAYING {
            let detail = format!(
                "{running} clients are running, of at most {MAX_PLAYING}; cancel a run, or wait \
                 for its end"
            );
            let status = StatusCode::TOO_MANY_REQUESTS;
            return Err(Problem::new(status, "too_many_runs", detail));
        }
        let id = loop {
            let id = token();
            if records.iter().all(|record| record.id != id) {
                break id;
            }
        };
        records.push_back(Record {
            id: id.clone(),
            request,
            started: SystemTime::now(),
            state: State::Running,
            error: None,
            cancelled,
            sides,
            compared: None,
        });
        if records.len() > MAX_KEPT {
            let ended = records.iter().position(|record| !goes_on(record));
            ended.and_then(|oldest| records.remove(oldest));
        }
        Ok(id)
    }

    /// All runs, the newest first.
    fn summaries(&self) -> Vec<Summary> {
        lock(&self.records)
            .iter()
            .rev()
            .map(Record::summary)
            .collect()
    }

    /// All runs as marks. The oldest is first.
    pub(crate) fn marks(&self) -> Vec<RunMark> {
        lock(&self.records).iter().map(Record::mark).collect()
    }

    /// The current state of one run.
    fn find(&self, id: &str) -> Option<Record> {
        lock(&self.records)
            .iter()
            .find(|record| record.id == id)
            .cloned()
    }

    /// The current state of one run; in virtual time that of its end.
    async fn settled(&self, id: &str) -> Option<Record> {
        let record = self.find(id)?;
        if record.request.pace == Pace::Real {
            return Some(record);
        }
        self.ended(id).await
    }

    /// The state of one run at its end, or the current one if that takes too long.
    async fn ended(&self, id: &str) -> Option<Record> {
        let end = async {
            loop {
                let end = self.ends.notified();
                let record = self.find(id)?;
                if record.is_over() {
                    return Some(record);
                }
                end.await;
            }
        };
        let waited = timeout(PATIENCE, end).await;
        waited.unwrap_or_else(|_| self.find(id))
    }

    /// Marks a scenario as guessed rightly.
    fn guessed(&self, scenario: &'static Scenario) {
        lock(&self.ticks).guessed(scenario);
    }

    /// The newest run of a scenario, in virtual time at its end.
    async fn newest(&self, scenario: &Scenario) -> Option<Record> {
        let is_of_it = |record: &&Record| record.request.scenario.name() == scenario.name();
        let id = {
            let records = lock(&self.records);
            records.iter().rev().find(is_of_it)?.id.clone()
        };
        self.settled(&id).await
    }

    /// All runs, the newest first.
    fn newest_first(&self) -> Vec<Record> {
        lock(&self.records).iter().rev().cloned().collect()
    }

    /// Whether a run goes on.
    pub(crate) fn in_progress(&self) -> bool {
        lock(&self.records).iter().any(|record| !record.is_over())
    }

    /// An example before any run: `flaky` in virtual time, which moves no counter and is not
    /// kept among the runs.
    async fn example(&self) -> Option<&ScenarioRun> {
        let run = self.example.get_or_try_init(async || {
            let settings = Settings::in_virtual_time(&Reliable, EXAMPLE_SEED);
            let flaky = catalogue::find(EXAMPLE).map_err(|error| causes(&error))?;
            let run = scenario::run(flaky, &settings).await;
            run.map_err(|error| causes(&error))
        });
        // Without it the page is drawn all the same.
        run.await.ok()
    }

    /// Which scenarios were run since the start of the process, and guessed rightly.
    fn ticks(&self) -> Ticks {
        lock(&self.ticks).clone()
    }

    /// Ends all runs, and then waits for the exports that go on.
    pub(crate) async fn stop(&self) {
        let running = |record: &&Record| record.state == State::Running;
        let unfinished = lock(&self.records).iter().filter(running).count();
        let mut tasks = std::mem::take(&mut *lock(&self.tasks));
        tasks.shutdown().await;
        self.exporters.flush(unfinished).await;
    }

    /// Cancels all runs.
    pub(crate) fn abort(&self) {
        lock(&self.tasks).abort_all();
    }

    async fn run_scenario(
        self: Arc<Self>,
        id: String,
        sessions: Vec<Session<'static>>,
        cancelled: watch::Receiver<bool>,
    ) {
        let sides = sessions.into_iter().enumerate();
        let sides =
            sides.map(|(side, session)| self.run_side(&id, side, session, cancelled.clone()));
        // A panic ends this run only.
        let run = async {
            let runs: Result<Vec<_>, _> = join_all(sides).await.into_iter().collect();
            let runs = runs.map_err(|error| causes(&error))?;
            if runs.iter().any(|run| run.is_cancelled()) {
                return Ok((State::Cancelled, None));
            }
            let compared = match &runs[..] {
                [one, other] => Some(Arc::new(Compared::of([one, other]))),
                _ => None,
            };
            Ok((State::Finished, compared))
        };
        let ended = AssertUnwindSafe(run).catch_unwind().await;
        let ended = ended.unwrap_or_else(|_| Err("the run panicked".to_owned()));
        self.change(&id, |record| match ended {
            Ok((state, compared)) => {
                (record.state, record.compared) = (state, compared);
                if state == State::Finished {
                    lock(&self.ticks).run(record.request.scenario);
                }
            }
            Err(error) => (record.state, record.error) = (State::Failed, Some(error)),
        });
        self.ends.notify_waiters();
        self.live.changed();
        if let Some(record) = self.find(&id) {
            // At once, so that a stop waits for all of them.
            join_all(record.runs().map(|run| self.exporters.send(run))).await;
        }
    }

    async fn run_side(
        &self,
        id: &str,
        side: usize,
        session: Session<'static>,
        mut cancelled: watch::Receiver<bool>,
    ) -> Result<Arc<ScenarioRun>, RunError> {
        // The record is kept longer than the run, so the error is always reported.
        let cancelled = async move { drop(cancelled.wait_for(|cancelled| *cancelled).await) };
        let recorder = session.recorder().clone();
        let run = tokio::select! {
            run = session.run_until(cancelled, self.exporters.layer()) => run,
            never = self.tell_changes(&recorder) => match never {},
        };
        let run: Arc<ScenarioRun> = Arc::new(run?);
        let kept = Arc::clone(&run);
        self.change(id, |record| {
            #[expect(clippy::indexing_slicing, reason = "it is the index of a side")]
            let place = &mut record.sides[side];
            *place = Side::Done(kept);
        });
        Ok(run)
    }

    /// Tells the pages that a run has changed, or waits, until it is dropped.
    async fn tell_changes(&self, recorder: &Recorder) -> Infallible {
        loop {
            // An open bar grows while nothing else happens.
            let _ = timeout(INTERVAL, recorder.changed()).await;
            self.live.changed();
        }
    }

    fn change(&self, id: &str, change: impl FnOnce(&mut Record)) {
        if let Some(record) = lock(&self.records)
            .iter_mut()
            .find(|record| record.id == id)
        {
            change(record);
        }
    }
}

#[cfg(test)]
mod tests;
