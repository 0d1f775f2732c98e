//! `lab scenario NAME --live`: runs a scenario inside a running `lab serve`, so that
//! Grafana and the web UI show it.

use std::time::Duration;

use http::Method;
use scenario::{Pace, catalogue::Scenario};
use serde::Deserialize;
use tokio::time::sleep;

use super::arguments::Arguments;
use crate::{
    cli::{Exit, OrExit, running_lab::RunningLab, terminal},
    scenario::web::Evidence,
};

/// The time between two looks at a run.
const POLL: Duration = Duration::from_millis(100);

#[derive(Deserialize)]
struct Started {
    id: String,
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

        let path = path(&id, arguments);
        let mut cancelled = false;
        loop {
            let evidence = lab.ask(Method::GET, &path, None).await;
            match evidence.or_exit(Exit::Environment)? {
                Evidence::Running => {}
                Evidence::Failed(why) => return Err(terminal::fail(why, Exit::Environment)),
                Evidence::Ended {
                    printed,
                    passed,
                    cancelled,
                } => {
                    terminal::print(&printed)?;
                    let report = format!("/api/runs/{id}/report");
                    let report = async || {
                        let response = lab.send(Method::GET, &report, None).await?;
                        response.text().await.map_err(|_| lab.is_another())
                    };
                    if arguments.wants_report() {
                        let html = report().await.or_exit(Exit::Environment)?;
                        arguments.write_report(|| html)?;
                    }
                    return Ok(match (cancelled, passed) {
                        (true, _) => Exit::Cancelled,
                        (false, true) => Exit::Passed,
                        (false, false) => Exit::Failed,
                    });
                }
            }
            tokio::select! {
                () = sleep(POLL) => {}
                () = signals.next() => {
                    if cancelled {
                        return Err(Exit::Cancelled);
                    }
                    cancelled = true;
                    let path = format!("/api/runs/{id}");
                    let cancels = lab.send(Method::DELETE, &path, None).await;
                    cancels.or_exit(Exit::Environment)?;
                }
            }
        }
    })
}

/// The path of a run's evidence, in the style of this terminal.
fn path(id: &str, arguments: &Arguments) -> String {
    let style = serde_json::to_value(arguments.style()).unwrap_or_default();
    let fields = style.as_object().into_iter().flatten();
    let fields = fields.map(|(name, value)| format!("{name}={value}"));
    let query = fields.collect::<Vec<_>>().join("&");
    format!("/api/runs/{id}/evidence?{query}")
}
