//! The inputs from which a client of a run is built.

use std::{fmt, sync::Arc};

use client::{
    Clock,
    telemetry::{Injector, SharedRecorder},
};
use reqwest_middleware::{ClientBuilder, ClientWithMiddleware};

use super::Task;
use crate::{
    Pace, ScenarioPolicy,
    network::{Function, RequestLimit, VirtualTimeouts},
};

/// The address of a run's service, and all that a client takes from the run: clock, seed,
/// policy and recorder.
pub struct Connection {
    /// The address of the service.
    pub base_url: String,
    /// The client's task.
    pub task: Task,
    /// The client's limits.
    pub policy: ScenarioPolicy,
    /// The seed of jitter and keys.
    pub seed: u64,
    /// Whether the waits are real.
    pub pace: Pace,
    /// The clock of the run, on which every wait is slept.
    pub clock: Arc<dyn Clock>,
    /// Where the metrics of the client are registered.
    pub recorder: SharedRecorder,
    /// Writes the trace context of an attempt into its request.
    pub injector: Injector,
    pub(crate) limit: RequestLimit,
    pub(crate) function: Option<Function>,
    pub(crate) timeouts: Option<VirtualTimeouts>,
}

impl Connection {
    /// A session with the lab's middleware. The client must send each request through it.
    #[must_use]
    pub fn stack(&self, session: reqwest::Client) -> ClientWithMiddleware {
        let mut stack = ClientBuilder::new(session).with(self.limit.clone());
        if let Some(timeouts) = &self.timeouts {
            stack = stack.with(timeouts.clone());
        }
        if let Some(function) = &self.function {
            stack = stack.with(function.clone());
        }
        stack.build()
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection")
            .field("base_url", &self.base_url)
            .field("task", &self.task)
            .finish_non_exhaustive()
    }
}
