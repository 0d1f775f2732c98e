//! A run that is not kept: its result is the response, and nothing else shows it.
//!
//! `lab load` asks for such runs, so that they do not displace a learner's. They change
//! the counters of the process, and their traces are exported if a receiver is set.

use http::StatusCode;
use scenario::{ScenarioRun, Session};
use serde::{Deserialize, Serialize};

use super::{Runs, request::RunRequest};
use crate::causes::causes;
use crate::web::{lock::lock, problem::Problem};

/// How many of them may go on at once. Further ones are refused, because a queue would
/// only grow and its runs would start too late.
pub(super) const MAX_UNKEPT: usize = 32;

/// How a run ended that is not kept.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct UnkeptRun {
    /// The expectations that did not hold, each with what was found.
    pub(crate) missed: Vec<String>,
}

impl UnkeptRun {
    fn of(run: &ScenarioRun) -> Self {
        let checks = run.verdict.iter().filter(|check| !check.held);
        let missed = checks.map(|check| {
            let found = check.contradiction().unwrap_or_default();
            format!("{}; {found}", check.text)
        });
        Self {
            missed: missed.collect(),
        }
    }
}

impl Runs {
    /// Runs the client of a request to the end. The run is cancelled if this is dropped,
    /// so a caller that hangs up ends it.
    pub(super) async fn run_unkept(&self, request: RunRequest) -> Result<UnkeptRun, Problem> {
        let _slot = self.unkept.try_acquire().map_err(|_| {
            let detail = format!("{MAX_UNKEPT} runs that are not kept are running already");
            Problem::new(StatusCode::TOO_MANY_REQUESTS, "too_many_runs", detail)
        })?;
        let not_run = |detail: String| {
            let status = StatusCode::SERVICE_UNAVAILABLE;
            Problem::new(status, "not_run", detail)
        };
        let clients = request.clients();
        let [client] = *clients.as_slice() else {
            return Err(not_run("a comparison is always kept".to_owned()));
        };
        let settings = request.settings(client);
        let session = Session::new(request.scenario, &settings, &self.exposition);
        let mut stopping = self.stopping.subscribe();
        let stopped = async move { drop(stopping.wait_for(|stopping| *stopping).await) };
        let run = session.run_until(stopped, self.exporters.layer()).await;
        let run = run.map_err(|error| not_run(causes(&error)))?;
        if run.is_cancelled() {
            return Err(not_run("the web UI stops".to_owned()));
        }
        let ended = UnkeptRun::of(&run);
        let exporters = self.exporters.clone();
        let mut tasks = lock(&self.tasks);
        while tasks.try_join_next().is_some() {}
        tasks.spawn(async move {
            exporters.send(&run).await;
        });
        Ok(ended)
    }

    /// Ends the runs that are not kept.
    pub(crate) fn stop_unkept(&self) {
        self.stopping.send_replace(true);
    }
}
