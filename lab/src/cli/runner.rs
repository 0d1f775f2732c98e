//! Plays scenarios for a command, with logs if `RUST_LOG` asks for them.

use tokio::runtime::Runtime;
use tracing_subscriber::filter::Targets;

use super::{Exit, terminal};
use crate::{
    logging,
    run::{Run, Settings, run_beside},
    scenario::Scenario,
};

pub(super) struct Runner {
    runtime: Runtime,
    logs: Option<Targets>,
}

impl Runner {
    /// A runner on a runtime of its own. A `RUST_LOG` that cannot be read is
    /// worth a warning.
    pub(super) fn new() -> Result<Self, Exit> {
        let logs = logging::asked().unwrap_or_else(|error| {
            terminal::warn(&error);
            None
        });
        Ok(Self {
            runtime: terminal::runtime()?,
            logs,
        })
    }

    pub(super) fn play(&self, scenario: &Scenario, settings: &Settings) -> Result<Run, Exit> {
        let logs = self.logs.clone().map(logging::layer);
        self.runtime
            .block_on(run_beside(logs, scenario, settings))
            .map_err(|error| terminal::fail_run(&error))
    }
}
