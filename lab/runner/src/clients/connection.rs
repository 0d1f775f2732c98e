//! What a client of a run is built with.

use std::{fmt, sync::Arc};

use client::{
    Clock,
    telemetry::{Injector, SharedRecorder},
};
use evidence::{Pace, Policy};
use reqwest_middleware::{ClientBuilder, ClientWithMiddleware};

use super::Task;
use crate::{network::Function, request_limit::RequestLimit, timeouts::VirtualTimeouts};

/// The way to the service of a run, and all that a client takes from the run: time,
/// chance, what it is allowed, and where it reports to.
pub struct Connection {
    /// The address of the service.
    pub base_url: String,
    /// What the client is to do.
    pub task: Task,
    /// What the client is allowed.
    pub policy: Policy,
    /// What jitter and keys are drawn from.
    pub seed: u64,
    /// Whether the waits are real.
    pub pace: Pace,
    /// The clock of the run, on which every wait is slept.
    pub clock: Arc<dyn Clock>,
    /// Where the metrics of the client are registered.
    pub recorder: SharedRecorder,
    /// What writes the trace context of an attempt into its request.
    pub injector: Injector,
    pub(crate) limit: RequestLimit,
    pub(crate) function: Option<Function>,
    pub(crate) timeouts: Option<VirtualTimeouts>,
}

impl Connection {
    /// A session with all that the lab puts between client and service. Each request
    /// of the client has to go through it.
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
