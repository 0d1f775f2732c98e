//! The runs of the page: each played on a service of its own, many at once, the
//! last of them kept.

use std::{
    collections::VecDeque,
    convert::Infallible,
    error::Error,
    panic::AssertUnwindSafe,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, SystemTime},
};

use futures_util::{FutureExt, future::join_all};
use http::StatusCode;
use serde::Serialize;
use tokio::{task::JoinSet, time::sleep};

use super::{
    feed::{Feed, token},
    live_span::LiveSpan,
    outlets::Outlets,
    problem::Problem,
    record::{Record, Side, State, Summary},
    run_request::RunRequest,
};
use crate::{
    counters::Exposition,
    run::{Run, RunError, Session},
    trace::{Changes, Recorder},
};

/// How many runs may go on at once.
const MAX_RUNNING: usize = 64;

/// How many runs are kept.
const MAX_KEPT: usize = 100;

/// How long a run's spans are gathered before they are told: short for an eye,
/// long for a crawl in virtual time.
const GATHER: Duration = Duration::from_millis(40);

/// Plays runs and keeps them.
pub(super) struct Runs {
    feed: Arc<Feed>,
    exposition: Exposition,
    outlets: Outlets,
    /// The oldest first.
    records: Mutex<VecDeque<Record>>,
    tasks: Mutex<JoinSet<()>>,
}

#[derive(Serialize)]
struct SpansEvent<'a> {
    id: &'a str,
    side: usize,
    spans: Vec<LiveSpan>,
    taken_at_ns: u64,
}

#[derive(Serialize)]
struct SideEvent<'a> {
    id: &'a str,
    side: usize,
    counters: &'a crate::Counters,
    ledger: &'a server::LedgerSnapshot,
    outcome: &'a crate::Outcome,
    verdict: &'a [crate::Check],
}

impl Runs {
    pub(super) fn new(feed: Arc<Feed>, exposition: Exposition, outlets: Outlets) -> Arc<Self> {
        Arc::new(Self {
            feed,
            exposition,
            outlets,
            records: Mutex::default(),
            tasks: Mutex::default(),
        })
    }

    /// Starts a run on the runtime of the caller, and returns its id.
    pub(super) fn start(self: &Arc<Self>, request: RunRequest) -> Result<String, Problem> {
        let clients = request.players.clients().iter();
        let sessions: Vec<_> = clients
            .map(|client| {
                let settings = request.settings(*client);
                Session::new(request.scenario, &settings, &self.exposition)
            })
            .collect();
        let id = {
            let mut records = self.records();
            let running = records
                .iter()
                .filter(|record| record.state == State::Running);
            if running.count() >= MAX_RUNNING {
                let detail = format!("{MAX_RUNNING} runs are going on; wait for one to end");
                let status = StatusCode::TOO_MANY_REQUESTS;
                return Err(Problem::new(status, "too_many_runs", detail));
            }
            let mut ids = std::iter::repeat_with(token);
            let is_new = |id: &String| records.iter().all(|record| record.id != *id);
            let id = ids.find(is_new).unwrap_or_default();
            let sides = sessions.iter().map(|session| Side::Live {
                client: session.client(),
                policy: session.policy(),
                recorder: session.recorder().clone(),
            });
            records.push_back(Record {
                id: id.clone(),
                request,
                started: SystemTime::now(),
                state: State::Running,
                sides: sides.collect(),
            });
            if records.len() > MAX_KEPT {
                let ended = records
                    .iter()
                    .position(|record| record.state != State::Running);
                ended.and_then(|oldest| records.remove(oldest));
            }
            id
        };
        self.tell(&id);

        let mut tasks = self.tasks();
        while tasks.try_join_next().is_some() {}
        tasks.spawn(Arc::clone(self).play(id.clone(), sessions));
        Ok(id)
    }

    /// All runs, the newest first.
    pub(super) fn summaries(&self) -> Vec<Summary> {
        self.records().iter().rev().map(Record::summary).collect()
    }

    /// One run as it stands now.
    pub(super) fn find(&self, id: &str) -> Option<Record> {
        self.records()
            .iter()
            .find(|record| record.id == id)
            .cloned()
    }

    /// Cancels what goes on, and waits until nothing of it is left.
    pub(super) async fn stop(&self) {
        let mut tasks = std::mem::take(&mut *self.tasks());
        tasks.shutdown().await;
    }

    /// Cancels what goes on.
    pub(super) fn abort(&self) {
        self.tasks().abort_all();
    }

    async fn play(self: Arc<Self>, id: String, sessions: Vec<Session<'static>>) {
        let sides = sessions.into_iter().enumerate();
        let sides = sides.map(|(side, session)| self.play_side(&id, side, session));
        // A panic is the end of this run, and of no other.
        let ended = AssertUnwindSafe(join_all(sides)).catch_unwind().await;
        let state = match ended {
            Ok(sides) => sides
                .into_iter()
                .find_map(Result::err)
                .map_or(State::Finished, |error| State::Failed(in_words(&error))),
            Err(_) => State::Failed("the run panicked".to_owned()),
        };
        self.change(&id, |record| record.state = state);
        self.tell(&id);
        if let Some(record) = self.find(&id) {
            for run in (0..record.sides.len()).filter_map(|side| record.run(side)) {
                self.outlets.send(run).await;
            }
        }
    }

    async fn play_side(
        &self,
        id: &str,
        side: usize,
        session: Session<'static>,
    ) -> Result<(), RunError> {
        let recorder = session.recorder().clone();
        let mut changes = recorder.changes();
        let run = tokio::select! {
            run = session.play_beside(self.outlets.layer()) => run,
            never = self.relay(id, side, &recorder, &mut changes) => match never {},
        };
        self.tell_spans(id, side, &recorder, changes.take());
        let run: Arc<Run> = Arc::new(run?);
        let kept = Arc::clone(&run);
        self.change(id, |record| record.sides[side] = Side::Done(kept));
        let event = SideEvent {
            id,
            side,
            counters: &run.counters,
            ledger: &run.ledger,
            outcome: &run.outcome,
            verdict: &run.verdict,
        };
        self.feed.publish("side", &event);
        Ok(())
    }

    /// Tells of spans as they change, for ever.
    async fn relay(
        &self,
        id: &str,
        side: usize,
        recorder: &Recorder,
        changes: &mut Changes,
    ) -> Infallible {
        loop {
            let spans = changes.next().await;
            self.tell_spans(id, side, recorder, spans);
            sleep(GATHER).await;
        }
    }

    fn tell_spans(
        &self,
        id: &str,
        side: usize,
        recorder: &Recorder,
        spans: Vec<crate::trace::Span>,
    ) {
        if spans.is_empty() {
            return;
        }
        let event = SpansEvent {
            id,
            side,
            spans: spans.into_iter().map(LiveSpan::from).collect(),
            taken_at_ns: super::record::nanoseconds(recorder.now()),
        };
        self.feed.publish("spans", &event);
    }

    fn tell(&self, id: &str) {
        let summary = self.find(id).map(|record| record.summary());
        if let Some(summary) = summary {
            self.feed.publish("run", &summary);
        }
    }

    fn change(&self, id: &str, change: impl FnOnce(&mut Record)) {
        if let Some(record) = self.records().iter_mut().find(|record| record.id == id) {
            change(record);
        }
    }

    fn records(&self) -> MutexGuard<'_, VecDeque<Record>> {
        self.records.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tasks(&self) -> MutexGuard<'_, JoinSet<()>> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An error with its causes.
fn in_words(error: &RunError) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(&format!(": {error}"));
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::{
        policy::Overrides,
        run::Pace,
        scenario::{self, Scenario},
    };

    fn runs() -> Arc<Runs> {
        Runs::new(Feed::new(), Exposition::new(), Outlets::default())
    }

    fn request(scenario: &'static Scenario) -> RunRequest {
        RunRequest {
            scenario,
            players: Default::default(),
            seed: 7,
            pace: Pace::Virtual,
            overrides: Overrides::default(),
        }
    }

    fn flaky() -> RunRequest {
        request(scenario::find("flaky").expect("known"))
    }

    /// Waits until nothing goes on any more.
    async fn settle(runs: &Runs) {
        let mut tasks = std::mem::take(&mut *runs.tasks());
        while tasks.join_next().await.is_some() {}
    }

    async fn played(request: RunRequest) -> Value {
        let runs = runs();
        let id = runs.start(request).expect("room");
        settle(&runs).await;
        serde_json::to_value(runs.find(&id).expect("kept").detail()).expect("JSON")
    }

    #[tokio::test]
    async fn no_more_than_the_limit_go_on_at_once() {
        let runs = runs();
        // Nothing of them is played before this test waits for something.
        for _ in 0..MAX_RUNNING {
            runs.start(flaky()).expect("room");
        }

        let refused = runs.start(flaky()).is_err();
        settle(&runs).await;
        let admitted = runs.start(flaky()).is_ok();

        assert_eq!((refused, admitted), (true, true));
    }

    #[tokio::test]
    async fn the_newest_runs_are_kept() {
        let runs = runs();
        let mut ids = Vec::new();
        for _ in 0..MAX_KEPT / 50 + 1 {
            ids.extend((0..50).map(|_| runs.start(flaky()).expect("room")));
            settle(&runs).await;
        }

        let kept: Vec<_> = runs
            .records()
            .iter()
            .map(|record| record.id.clone())
            .collect();

        assert_eq!(kept, ids[ids.len() - MAX_KEPT..]);
        assert!(runs.find(&ids[0]).is_none());
        assert!(runs.tasks().is_empty());
    }

    #[tokio::test]
    async fn a_run_that_goes_on_is_kept_before_one_that_ended() {
        let runs = runs();
        let going_on = runs.start(flaky()).expect("room");
        for _ in 1..MAX_KEPT {
            let id = runs.start(flaky()).expect("room");
            runs.change(&id, |record| record.state = State::Finished);
        }

        runs.start(flaky()).expect("room");

        assert_eq!(runs.records().len(), MAX_KEPT);
        assert!(runs.find(&going_on).is_some());
    }

    #[tokio::test]
    async fn a_run_that_cannot_be_played_says_why() {
        let mut impossible = flaky();
        impossible.overrides.max_attempts = Some(0);

        let run = played(impossible).await;

        assert_eq!(run["state"], "failed");
        assert_eq!(run["passed"], Value::Null);
        assert_eq!(
            run["error"],
            "max_attempts must be a positive integer, got zero"
        );
    }

    #[tokio::test]
    async fn a_run_that_panics_ends_alone() {
        let flaky = scenario::find("flaky").expect("known");
        let broken = Scenario {
            routes: |_| panic!("a scenario broken on purpose"),
            ..*flaky
        };

        let run = played(request(Box::leak(Box::new(broken)))).await;

        assert_eq!(run["state"], "failed");
        assert_eq!(run["error"], "the run panicked");
    }
}
