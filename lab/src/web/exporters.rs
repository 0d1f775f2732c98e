//! Exports the runs of the web UI to a log and to a receiver of traces.

use std::{
    error::Error,
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::SystemTime,
};

use tokio::sync::Semaphore;
use tracing_subscriber::{Layer, Registry, filter::Targets};

use crate::{logging, otlp, otlp::Endpoint};
use evidence::Run;

/// How many runs may be sent to the receiver at once. While a slow receiver holds them
/// all, further runs are dropped, because a queue would only grow.
const MAX_SENDING: usize = 16;

/// The function that prints warnings.
type Warn = fn(&dyn Error);

/// The exporters of runs; by default there are none. Clones share the one warning, and
/// the limit on concurrent exports.
#[derive(Clone, Default)]
pub struct Exporters {
    logs: Option<Targets>,
    receiver: Option<Receiver>,
}

/// The receiver of traces.
#[derive(Clone)]
struct Receiver {
    endpoint: Endpoint,
    warn: Warn,
    warned: Arc<AtomicBool>,
    slots: Arc<Semaphore>,
}

/// A run that was not exported, because too many exports were going on.
#[derive(Debug, thiserror::Error)]
#[error("{endpoint} is slow to accept runs; some are not exported to it")]
struct Slow {
    endpoint: Endpoint,
}

impl Exporters {
    /// Sets the targets to log, the receiver of the runs, and the function that is called
    /// for the first failed export. Later runs are still exported, because the receiver
    /// may recover.
    #[must_use]
    pub fn new(logs: Option<Targets>, endpoint: Option<Endpoint>, warn: fn(&dyn Error)) -> Self {
        let receiver = endpoint.map(|endpoint| Receiver {
            endpoint,
            warn,
            warned: Arc::default(),
            slots: Arc::new(Semaphore::new(MAX_SENDING)),
        });
        Self { logs, receiver }
    }

    /// The layer that logs, if any target is logged.
    pub(super) fn layer(&self) -> Option<impl Layer<Registry> + use<>> {
        self.logs.clone().map(logging::layer)
    }

    /// Exports a run, and returns whether all of it arrived.
    pub(super) async fn send(&self, run: &Run) -> bool {
        match &self.receiver {
            Some(receiver) => receiver.send(run).await,
            None => true,
        }
    }
}

impl Receiver {
    async fn send(&self, run: &Run) -> bool {
        let Ok(_slot) = self.slots.try_acquire() else {
            let endpoint = self.endpoint.clone();
            self.warn(&Slow { endpoint });
            return false;
        };
        let sent = otlp::export(&run.traces, &self.endpoint, SystemTime::now()).await;
        if let Err(error) = &sent {
            self.warn(error);
        }
        sent.is_ok()
    }

    /// Prints a warning, but only the first time.
    fn warn(&self, error: &dyn Error) {
        if !self.warned.swap(true, Ordering::Relaxed) {
            (self.warn)(error);
        }
    }
}

impl fmt::Debug for Exporters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exporters")
            .field("logs", &self.logs)
            .field(
                "endpoint",
                &self.receiver.as_ref().map(|receiver| &receiver.endpoint),
            )
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::{net::TcpListener, sync::atomic::AtomicU32};

    use futures_util::{FutureExt, future::join_all};

    use super::*;
    use evidence::{Overrides, Pace};
    use runner::{Settings, run, scenario};

    #[tokio::test]
    async fn a_slow_receiver_holds_a_few_runs_and_causes_one_warning() {
        static WARNINGS: AtomicU32 = AtomicU32::new(0);
        let silent = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let base = format!("http://{}", silent.local_addr().expect("an address"));
        let endpoint = Endpoint::choose(Some(&base), |_| None).expect("valid");
        let exporters = Exporters::new(None, endpoint, |_| {
            WARNINGS.fetch_add(1, Ordering::Relaxed);
        });
        let settings = Settings {
            seed: 7,
            client: &runner::Reliable,
            pace: Pace::Virtual,
            overrides: Overrides::default(),
        };
        let flaky = scenario::find("flaky").expect("known");
        let run = run(flaky, &settings).await.expect("a run");

        let mut held = Box::pin(join_all((0..MAX_SENDING).map(|_| exporters.send(&run))));
        let waits = held.as_mut().now_or_never().is_none();
        let beyond = [exporters.send(&run).await, exporters.send(&run).await];
        drop(held);
        let room = exporters.send(&run).now_or_never().is_none();

        assert!(waits);
        assert_eq!(beyond, [false, false]);
        assert_eq!(WARNINGS.load(Ordering::Relaxed), 1);
        assert!(room, "a slot is given back");
    }
}
