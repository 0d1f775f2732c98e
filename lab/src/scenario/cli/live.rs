//! `lab scenario NAME --live`: runs a scenario inside a running `lab serve`, so that
//! Grafana and the web UI show it, and prints the text that the server drew.

use std::time::Duration;

use http::Method;
use scenario::{Pace, catalogue::Scenario};
use serde::Deserialize;
use tokio::time::sleep;

use super::arguments::Arguments;
use crate::{
    cli::{
        exit::Exit,
        running_lab::RunningLab,
        terminal::{self, OrExit},
    },
    scenario::web::State,
};

/// The time between two looks at a run.
const POLL: Duration = Duration::from_millis(100);

#[derive(Deserialize)]
struct Started {
    id: String,
}

/// How far a run is.
#[derive(Deserialize)]
struct RunState {
    state: State,
    passed: Option<bool>,
    error: Option<String>,
}

pub(super) fn live(arguments: &Arguments, scenario: &Scenario) -> Result<Exit, Exit> {
    terminal::runtime()?.block_on(async {
        let page = &arguments.page;
        let lab = RunningLab::at(page).or_exit(Exit::Environment)?;
        let mut signals = terminal::signals()?;
        let request = arguments.run_request(scenario, Pace::Real);
        let started = lab.ask(Method::POST, "/api/runs", Some(&request)).await;
        let Started { id } = started.or_exit(Exit::Environment)?;
        terminal::note(&format!("the run is at {page}/runs/{id}"));

        let path = format!("/api/runs/{id}");
        let exit = loop {
            let run: RunState = lab
                .ask(Method::GET, &path, None)
                .await
                .or_exit(Exit::Environment)?;
            match run.state {
                State::Running => {}
                State::Failed => {
                    let error = run.error.unwrap_or_default();
                    return Err(terminal::fail(error, Exit::Environment));
                }
                State::Cancelled => break Exit::Cancelled,
                State::Finished if run.passed == Some(true) => break Exit::Passed,
                State::Finished => break Exit::Failed,
            }
            tokio::select! {
                () = sleep(POLL) => {}
                // The run ends soon, with its evidence so far.
                () = signals.next() => {
                    let cancels = lab.send(Method::DELETE, &path, None).await;
                    cancels.or_exit(Exit::Environment)?;
                }
            }
        };
        let text = lab.text(&format!("{path}/text")).await;
        terminal::print(&text.or_exit(Exit::Environment)?)?;
        Ok(exit)
    })
}
