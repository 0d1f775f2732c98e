//! Where the page's runs go besides the page: to a log, and to a receiver of
//! traces.

use std::{
    error::Error,
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::SystemTime,
};

use tracing_subscriber::{Layer, Registry, filter::Targets};

use crate::{
    logging,
    otlp::{self, Endpoint},
    run::Run,
};

/// Who is told what went wrong.
type Warn = fn(&dyn Error);

/// Where runs go besides the page; by default, nowhere. Clones share the one
/// warning.
#[derive(Clone, Default)]
pub struct Outlets {
    logs: Option<Targets>,
    endpoint: Option<(Endpoint, Warn)>,
    warned: Arc<AtomicBool>,
}

impl Outlets {
    /// What is logged, where runs are sent on to, and who is told the first
    /// time that one could not be: later runs are sent on all the same, for the
    /// receiver may come up.
    #[must_use]
    pub fn new(logs: Option<Targets>, endpoint: Option<Endpoint>, warn: fn(&dyn Error)) -> Self {
        Self {
            logs,
            endpoint: endpoint.map(|endpoint| (endpoint, warn)),
            warned: Arc::default(),
        }
    }

    /// The layer that logs, if anything is to be logged.
    pub(super) fn layer(&self) -> Option<impl Layer<Registry> + use<>> {
        self.logs.clone().map(logging::layer)
    }

    /// Sends a run on.
    pub(super) async fn send(&self, run: &Run) {
        let Some((endpoint, warn)) = &self.endpoint else {
            return;
        };
        let sent = otlp::export(&run.traces, endpoint, SystemTime::now()).await;
        if let Err(error) = sent
            && !self.warned.swap(true, Ordering::Relaxed)
        {
            warn(&error);
        }
    }
}

impl fmt::Debug for Outlets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outlets")
            .field("logs", &self.logs)
            .field(
                "endpoint",
                &self.endpoint.as_ref().map(|(endpoint, _)| endpoint),
            )
            .finish_non_exhaustive()
    }
}
