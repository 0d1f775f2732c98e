//! Runs scenarios for a command: logs them as `RUST_LOG` says, cancels a run on Ctrl+C,
//! and exports each run if an endpoint is set.

use std::{pin::pin, time::SystemTime};

use host::Signals;
use scenario::{ScenarioRun, Settings, catalogue::Scenario, run_until};
use tokio::{runtime::Runtime, sync::oneshot};
use tracing_subscriber::filter::Targets;

use crate::{
    cli::{
        exit::Exit,
        exporters::{endpoint, logs},
        terminal,
    },
    logging,
    otlp::{self, Endpoint},
};

pub(crate) struct Runner {
    runtime: Runtime,
    /// None before the first run: until then Ctrl+C ends the program as usual, even at a
    /// prompt.
    signals: Option<Signals>,
    /// Whether Ctrl+C has come. A run may have ended in the same moment; then the next one is
    /// cancelled as soon as it starts.
    is_interrupted: bool,
    logs: Option<Targets>,
    endpoint: Option<Endpoint>,
}

impl Runner {
    /// A runner that logs as `RUST_LOG` says, and exports its runs to [`endpoint`].
    pub(crate) fn new(otlp: Option<&str>) -> Result<Self, Exit> {
        Ok(Self {
            runtime: terminal::runtime()?,
            signals: None,
            is_interrupted: false,
            logs: logs(),
            endpoint: endpoint(otlp)?,
        })
    }

    /// Runs a scenario. Ctrl+C cancels the run.
    pub(crate) fn run(
        &mut self,
        scenario: &Scenario,
        settings: &Settings,
    ) -> Result<ScenarioRun, Exit> {
        let logs = self.logs.clone().map(logging::layer);
        let signals = listening(&mut self.signals)?;
        let is_interrupted = &mut self.is_interrupted;
        self.runtime.block_on(async {
            let (cancel, cancelled) = oneshot::channel::<()>();
            let cancel = (!*is_interrupted).then_some(cancel);
            let cancelled = async { drop(cancelled.await) };
            let mut run = pin!(run_until(cancelled, logs, scenario, settings));
            let run = tokio::select! {
                run = &mut run => run,
                () = signals.next() => {
                    *is_interrupted = true;
                    drop(cancel);
                    run.await
                }
            };
            run.map_err(|error| terminal::fail_run(&error))
        })
    }

    /// Exports a run, unless Ctrl+C comes first. A failing receiver or Ctrl+C causes one
    /// warning and no further exports: a scenario does not fail because of it.
    pub(crate) fn send(&mut self, run: &ScenarioRun) {
        let (Some(endpoint), Some(signals)) = (&self.endpoint, &mut self.signals) else {
            return;
        };
        let sent = self.runtime.block_on(async {
            tokio::select! {
                sent = otlp::export(&run.trace, endpoint, SystemTime::now()) => Some(sent),
                () = signals.next() => None,
            }
        });
        match sent {
            Some(Ok(())) => {}
            Some(Err(error)) => {
                terminal::warn(&error);
                self.endpoint = None;
            }
            None => {
                terminal::warn(format!(
                    "Ctrl+C ended the export to {endpoint}; it is incomplete"
                ));
                self.endpoint = None;
            }
        }
    }
}

/// Starts listening for signals, unless this was done before.
fn listening(signals: &mut Option<Signals>) -> Result<&mut Signals, Exit> {
    match signals {
        Some(signals) => Ok(signals),
        none => Ok(none.insert(terminal::signals()?)),
    }
}
