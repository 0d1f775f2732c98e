//! Runs loads: one at a time, with a limit on concurrent runs, for as long as a client
//! reads the progress.
//!
//! The runs of a load are neither kept nor published on the feed, so that they don't
//! displace other runs. They change the process's counters, and their traces are exported
//! if a receiver is set.

mod request;
mod routes;

use std::{
    future::pending,
    sync::{Arc, Mutex},
    time::Duration,
};

use http::StatusCode;
use tokio::{
    sync::watch,
    task::{JoinError, JoinSet},
    time::{Instant, sleep_until, timeout},
};

use super::{
    exporters::Exporters,
    lock::lock,
    problem::{Problem, causes},
};
use crate::{load::Arrival, load::Plan};
use evidence::{Overrides, Pace, Run, load::Progress};
use runner::{Exposition, Reliable, RunError, Session, Settings};

pub(super) use routes::routes;

/// How many runs of a load may go on at once. Further runs are refused, because a queue
/// would only grow and its runs would start too late.
const MAX_GOING_ON: usize = 32;

/// How long the last runs of a load, and then their exports, may take after the last
/// start.
const DRAIN: Duration = Duration::from_secs(10);

/// Runs loads.
pub(super) struct Loads {
    exposition: Exposition,
    exporters: Exporters,
    /// How many runs may go on at once.
    slots: usize,
    /// The running load, if there is one.
    current: Mutex<JoinSet<()>>,
}

/// A run that is over, and its scenario.
type Ended = (&'static str, Result<Run, RunError>);

impl Loads {
    pub(super) fn new(exposition: Exposition, exporters: Exporters) -> Arc<Self> {
        Arc::new(Self {
            exposition,
            exporters,
            slots: MAX_GOING_ON,
            current: Mutex::default(),
        })
    }

    /// Starts a load on the runtime of the caller. It ends early if nobody reads its
    /// progress.
    pub(super) fn start(
        self: &Arc<Self>,
        plan: Plan,
    ) -> Result<watch::Receiver<Progress>, Problem> {
        let mut current = lock(&self.current);
        while current.try_join_next().is_some() {}
        if !current.is_empty() {
            let detail = "a load is already running; wait for its end, or stop it";
            return Err(Problem::new(StatusCode::CONFLICT, "load_goes_on", detail));
        }
        let (progress, reader) = watch::channel(Progress {
            length: plan.length(),
            ..Progress::default()
        });
        let loads = Arc::clone(self);
        current.spawn(async move {
            tokio::select! {
                () = loads.perform(plan, &progress) => {}
                () = progress.closed() => {}
            }
        });
        Ok(reader)
    }

    /// Cancels the load, and waits until it has ended.
    pub(super) async fn stop(&self) {
        let mut current = std::mem::take(&mut *lock(&self.current));
        current.shutdown().await;
    }

    /// Cancels the load.
    pub(super) fn abort(&self) {
        lock(&self.current).abort_all();
    }

    async fn perform(&self, plan: Plan, progress: &watch::Sender<Progress>) {
        let (start, interval) = (Instant::now(), plan.interval());
        let mut runs = JoinSet::new();
        let mut sending = JoinSet::new();
        for arrival in plan {
            let due = start + arrival.at;
            loop {
                tokio::select! {
                    () = sleep_until(due) => break,
                    Some(ended) = runs.join_next() => self.count(ended, &mut sending, progress),
                    Some(sent) = sending.join_next() => count_sent(sent, progress),
                }
            }
            let room = runs.len() < self.slots;
            let asking = start.elapsed() + interval;
            progress.send_modify(|progress| {
                progress.asking_ms = u64::try_from(asking.as_millis()).unwrap_or(u64::MAX);
                match room {
                    true => progress.tally.begin(),
                    false => progress.tally.refuse(),
                }
            });
            if room {
                runs.spawn(self.run_scenario(&arrival));
            }
        }

        let drain = async {
            while let Some(ended) = runs.join_next().await {
                self.count(ended, &mut sending, progress);
            }
        };
        // Runs that take longer are cut off and counted as such.
        let _ = timeout(DRAIN, drain).await;
        runs.shutdown().await;
        let drain = async {
            while let Some(sent) = sending.join_next().await {
                count_sent(sent, progress);
            }
        };
        let _ = timeout(DRAIN, drain).await;
        progress.send_modify(|progress| {
            progress.tally.cut();
            progress.tally.unsent += sending.len() as u64;
            progress.finished = true;
        });
    }

    /// Runs a scenario in real time, because graphs of skipped waits would mislead.
    fn run_scenario(&self, arrival: &Arrival) -> impl Future<Output = Ended> + Send + use<> {
        let settings = Settings {
            seed: arrival.seed,
            client: &Reliable,
            pace: Pace::Real,
            overrides: Overrides::default(),
        };
        let session = Session::new(arrival.scenario, &settings, &self.exposition);
        let (name, layer) = (arrival.scenario.words.name, self.exporters.layer());
        async move { (name, session.run_until(pending(), layer).await) }
    }

    fn count(
        &self,
        ended: Result<Ended, JoinError>,
        sending: &mut JoinSet<bool>,
        progress: &watch::Sender<Progress>,
    ) {
        progress.send_modify(|progress| match &ended {
            Ok((_, Ok(run))) => progress.tally.completed(run),
            Ok((name, Err(error))) => progress.tally.failed(name, &causes(error)),
            Err(_) => progress.tally.failed("a run", "it panicked"),
        });
        if let Ok((_, Ok(run))) = ended {
            let exporters = self.exporters.clone();
            sending.spawn(async move { exporters.send(&run).await });
        }
    }
}

fn count_sent(sent: Result<bool, JoinError>, progress: &watch::Sender<Progress>) {
    if !sent.unwrap_or(false) {
        progress.send_modify(|progress| progress.tally.unsent += 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evidence::load::Load;

    #[tokio::test]
    async fn runs_beyond_the_limit_are_refused_and_not_queued() {
        let loads = Arc::new(Loads {
            exposition: Exposition::new(),
            exporters: Exporters::default(),
            slots: 2,
            current: Mutex::default(),
        });
        // Each is silent for 400 ms, and one is due every 50 ms.
        let load = Load {
            seconds: 1,
            rate: 20,
            seed: 7,
            filter: "read-timeout".to_owned(),
        };
        let plan = Plan::of(&load).expect("something to run");
        let mut reader = loads.start(plan).expect("no other load");

        let ended = reader.wait_for(|progress| progress.finished).await;

        let progress = ended.expect("a load that goes on");
        let tally = &progress.tally;
        assert_eq!(tally.asked, 20, "{tally:?}");
        assert!(tally.refused >= 10, "{tally:?}");
        assert_eq!(tally.completed + tally.refused, 20, "{tally:?}");
        // A machine that is slow starts them late, never early.
        assert!(progress.rate() <= 20.0, "{}", progress.rate());
    }

    #[tokio::test]
    async fn a_panicking_run_counts_as_failed() {
        let mut progress = Progress::default();
        progress.tally.begin();
        let (progress, reader) = watch::channel(progress);
        let loads = Loads::new(Exposition::new(), Exporters::default());
        let mut runs: JoinSet<Ended> = JoinSet::new();
        runs.spawn(async { panic!("broken on purpose") });
        let ended = runs.join_next().await.expect("one");

        loads.count(ended, &mut JoinSet::new(), &progress);

        let tally = reader.borrow().tally.clone();
        assert_eq!((tally.failed, tally.going_on), (1, 0));
        assert_eq!(tally.told, ["a run could not be completed: it panicked"]);
    }
}
