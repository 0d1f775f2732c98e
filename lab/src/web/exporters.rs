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

use scenario::ScenarioRun;
use tokio::sync::Semaphore;
use tracing_subscriber::{Layer, Registry, filter::Targets};

use crate::{
    logging,
    otlp::{self, Endpoint},
};

/// How many runs may be sent to the receiver at once. While a slow receiver holds them
/// all, further runs are dropped, because a queue would only grow.
const MAX_SENDING: u32 = 16;

/// The function that prints warnings.
type Warn = fn(&dyn Error);

/// The exporters of runs; by default there are none. Clones share the limit on concurrent
/// exports, and the warnings: one for each outage.
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
    /// Whether the current outage has been reported.
    is_down: Arc<AtomicBool>,
    /// Each export that goes on has one, until the deadline of the endpoint at the latest.
    slots: Arc<Semaphore>,
}

/// A run that was not exported, because too many exports were going on.
#[derive(Debug, thiserror::Error)]
#[error("{endpoint} is slow to accept runs; some are not exported to it")]
struct Slow {
    endpoint: Endpoint,
}

/// Runs that Ctrl+C ended before they could be exported.
#[derive(Debug, thiserror::Error)]
#[error("{runs} runs were still going on, and are not exported to {endpoint}")]
struct Unfinished {
    runs: usize,
    endpoint: Endpoint,
}

impl Exporters {
    /// Sets the targets to log, the receiver of the runs, and the function that is called
    /// for the first failed export of each outage. Later runs are still exported, because
    /// the receiver may recover.
    #[must_use]
    pub fn new(logs: Option<Targets>, endpoint: Option<Endpoint>, warn: fn(&dyn Error)) -> Self {
        let receiver = endpoint.map(|endpoint| Receiver {
            endpoint,
            warn,
            is_down: Arc::default(),
            slots: Arc::new(Semaphore::new(MAX_SENDING as usize)),
        });
        Self { logs, receiver }
    }

    /// The layer that logs, if any target is logged.
    pub(crate) fn layer(&self) -> Option<impl Layer<Registry> + use<>> {
        self.logs.clone().map(logging::layer)
    }

    /// Exports a run, and returns whether all of it arrived. The export goes on if the
    /// caller stops waiting.
    pub(crate) async fn send(&self, run: &ScenarioRun) -> bool {
        match &self.receiver {
            Some(receiver) => receiver.send(run).await,
            None => true,
        }
    }

    /// Waits for the exports that go on, and warns if so many runs were ended before
    /// theirs.
    pub(crate) async fn flush(&self, unfinished: usize) {
        let Some(receiver) = &self.receiver else {
            return;
        };
        if unfinished > 0 {
            (receiver.warn)(&Unfinished {
                runs: unfinished,
                endpoint: receiver.endpoint.clone(),
            });
        }
        // It fails only if the semaphore is closed, which never happens.
        let _ = receiver.slots.acquire_many(MAX_SENDING).await;
    }
}

impl Receiver {
    async fn send(&self, run: &ScenarioRun) -> bool {
        let Ok(slot) = Arc::clone(&self.slots).try_acquire_owned() else {
            let endpoint = self.endpoint.clone();
            self.warn(&Slow { endpoint });
            return false;
        };
        let (receiver, trace) = (self.clone(), run.trace.clone());
        // A task goes on if nobody waits for it.
        let export = tokio::spawn(async move {
            let sent = otlp::export(&trace, &receiver.endpoint, SystemTime::now()).await;
            match &sent {
                Ok(()) => receiver.is_down.store(false, Ordering::Relaxed),
                Err(error) => receiver.warn(error),
            }
            drop(slot);
            sent.is_ok()
        });
        export.await.unwrap_or(false)
    }

    /// Prints a warning, but only the first of an outage.
    fn warn(&self, error: &dyn Error) {
        if !self.is_down.swap(true, Ordering::Relaxed) {
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
    use std::{
        net::TcpListener,
        sync::atomic::{AtomicBool, AtomicU32},
        time::Duration,
    };

    use axum::{Router, routing::post};
    use futures_util::{FutureExt, future::join_all};
    use http::StatusCode;
    use scenario::{Settings, catalogue, run};

    use super::*;

    /// A run in virtual time.
    async fn a_run() -> ScenarioRun {
        let settings = Settings::in_virtual_time(&scenario::Reliable, 7);
        let flaky = catalogue::find("flaky").expect("known");
        run(flaky, &settings).await.expect("a run")
    }

    #[tokio::test]
    async fn each_outage_of_the_receiver_causes_one_warning() {
        static WARNINGS: AtomicU32 = AtomicU32::new(0);
        static IS_DOWN: AtomicBool = AtomicBool::new(false);
        let respond = async || {
            if IS_DOWN.load(Ordering::Relaxed) {
                StatusCode::BAD_REQUEST
            } else {
                StatusCode::OK
            }
        };
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await;
        let listener = listener.expect("a free port");
        let base = format!("http://{}", listener.local_addr().expect("an address"));
        let receiver = Router::new().route("/v1/traces", post(respond));
        tokio::spawn(axum::serve(listener, receiver).into_future());
        let endpoint = Endpoint::choose(Some(&base), |_| None).expect("valid");
        let exporters = Exporters::new(None, endpoint, |_| {
            WARNINGS.fetch_add(1, Ordering::Relaxed);
        });
        let run = a_run().await;

        let mut warnings = Vec::new();
        for is_down in [true, true, false, true, true, false] {
            IS_DOWN.store(is_down, Ordering::Relaxed);
            assert_eq!(exporters.send(&run).await, !is_down);
            warnings.push(WARNINGS.load(Ordering::Relaxed));
        }

        assert_eq!(warnings, [1, 1, 1, 2, 2, 2]);
    }

    #[tokio::test]
    async fn a_slow_receiver_holds_a_few_runs_and_causes_one_warning() {
        static WARNINGS: AtomicU32 = AtomicU32::new(0);
        let silent = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let base = format!("http://{}", silent.local_addr().expect("an address"));
        let endpoint = Endpoint::choose(Some(&base), |_| None).expect("valid");
        let endpoint = endpoint.map(|endpoint| endpoint.within(Duration::from_millis(100)));
        let exporters = Exporters::new(None, endpoint, |_| {
            WARNINGS.fetch_add(1, Ordering::Relaxed);
        });
        let run = a_run().await;

        let mut held = Box::pin(join_all((0..MAX_SENDING).map(|_| exporters.send(&run))));
        let waits = held.as_mut().now_or_never().is_none();
        let beyond = [exporters.send(&run).await, exporters.send(&run).await];
        let arrived = held.await;
        let room = exporters.send(&run).now_or_never().is_none();

        assert!(waits);
        assert_eq!(
            arrived, [false; MAX_SENDING as usize],
            "each ends at its deadline"
        );
        assert_eq!(beyond, [false, false]);
        assert_eq!(WARNINGS.load(Ordering::Relaxed), 1);
        assert!(room, "a slot is given back");
    }
}
