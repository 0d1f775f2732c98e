//! Plays scenarios for a command: with logs if `RUST_LOG` asks for them, and
//! each run sent on if there is an address to send it to.

use std::{env, time::SystemTime};

use tokio::runtime::Runtime;
use tracing_subscriber::filter::Targets;

use super::{Exit, terminal};
use crate::{
    logging,
    otlp::{self, Endpoint},
    run::{Run, Settings, run_beside},
    scenario::Scenario,
};

pub(super) struct Runner {
    runtime: Runtime,
    logs: Option<Targets>,
    endpoint: Option<Endpoint>,
}

impl Runner {
    /// A runner that logs as `RUST_LOG` says, and sends its runs to [`endpoint`].
    pub(super) fn new(otlp: Option<&str>) -> Result<Self, Exit> {
        Ok(Self {
            runtime: terminal::runtime()?,
            logs: logs(),
            endpoint: endpoint(otlp)?,
        })
    }

    pub(super) fn play(&self, scenario: &Scenario, settings: &Settings) -> Result<Run, Exit> {
        let logs = self.logs.clone().map(logging::layer);
        self.runtime
            .block_on(run_beside(logs, scenario, settings))
            .map_err(|error| terminal::fail_run(&error))
    }

    /// Sends a run on. A receiver that fails is warned about once, and not
    /// tried again: no scenario fails with it.
    pub(super) fn send(&mut self, run: &Run) {
        let Some(endpoint) = &self.endpoint else {
            return;
        };
        let export = otlp::export(&run.traces, endpoint, SystemTime::now());
        if let Err(error) = self.runtime.block_on(export) {
            terminal::warn(&error);
            self.endpoint = None;
        }
    }
}

/// What is to be logged. A `RUST_LOG` that cannot be read is worth a warning.
pub(super) fn logs() -> Option<Targets> {
    server::logging::asked().unwrap_or_else(|error| {
        terminal::warn(&error);
        None
    })
}

/// Where runs are sent on to: to `otlp`, or else to where the environment says,
/// if it does. An address that is none is a usage error.
pub(super) fn endpoint(otlp: Option<&str>) -> Result<Option<Endpoint>, Exit> {
    let variable = |name| env::var_os(name).map(|value| value.to_string_lossy().into_owned());
    Endpoint::choose(otlp, variable).map_err(|error| terminal::fail(&error, Exit::Usage))
}
