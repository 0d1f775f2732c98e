//! The service as a value: a configuration starts it, a handle stops it.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Weak, mpsc};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use axum::Router;
use tokio::net::TcpListener;
use tokio::runtime::{self, Runtime};
use tokio::sync::{oneshot, watch};
use tracing::dispatcher;
use wire::WireRecord;

use crate::accept::{self, ConnectionBounds, ConnectionObserver, Drained, Phase, listen};
use crate::admission::admitting;
use crate::config::ServiceConfig;
use crate::ledger::Ledger;
use crate::metrics_sink::Metrics;
use crate::router::{Routes, around};
use crate::state::{HostState, Shared};

/// How often histograms are folded into buckets.
const UPKEEP_INTERVAL: Duration = Duration::from_secs(5);

/// The name of the thread that serves, as debuggers and `ps` show it.
const THREAD_NAME: &str = "host";

/// Serves routers. It has no state of its own: see [`RunningService`].
#[derive(Debug)]
pub struct Host;

/// Why a service did not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// Another process, or another service of this one, has the port.
    #[error("port {port} on 127.0.0.1 is in use")]
    PortInUse {
        /// The port that was asked for.
        port: u16,
    },
    /// The socket could not be opened for another reason.
    #[error("could not listen on 127.0.0.1:{port}")]
    Bind {
        /// The port that was asked for.
        port: u16,
        /// The error of the operating system.
        source: io::Error,
    },
    /// One of the times in the connection bounds is zero: no client could keep to it.
    #[error("each time of the connection bounds must be above 0 s, got {got:?}")]
    ZeroBound {
        /// The bounds that were refused.
        got: ConnectionBounds,
    },
    /// The serving thread or its runtime could not be set up.
    #[error("could not start the serving thread")]
    Thread(#[source] io::Error),
}

impl StartError {
    /// Why nothing listens on this port, from the error of the operating system.
    #[must_use]
    pub fn bind(port: u16, source: io::Error) -> Self {
        match source.kind() {
            io::ErrorKind::AddrInUse => Self::PortInUse { port },
            _ => Self::Bind { port, source },
        }
    }
}

/// Why a stop is not known to have freed everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StopError {
    /// The serving thread panicked.
    #[error("the serving thread panicked")]
    Panicked,
    /// The thread has ended, but something still holds the service's state.
    #[error("something still holds the state of the stopped service")]
    StillHeld,
}

impl Host {
    /// Binds 127.0.0.1 and starts to serve on a thread of its own.
    ///
    /// When this returns, the socket accepts connections. The service may be
    /// started from synchronous code and from within any async runtime; the
    /// `tracing` dispatcher that is current here goes along to the thread.
    ///
    /// # Errors
    ///
    /// [`StartError`], and nothing is left open.
    ///
    /// # Panics
    ///
    /// If a route is called `/metrics`.
    pub fn start(
        config: ServiceConfig,
        routes: impl Into<Routes>,
    ) -> Result<RunningService, StartError> {
        let got = config.connection_bounds;
        if [got.head, got.body, got.idle, got.stalled].contains(&Duration::ZERO) {
            return Err(StartError::ZeroBound { got });
        }
        let routes = routes.into();
        let state = HostState::new(&config, &routes.expected);
        let (ledger, begun, held) = (state.ledger.clone(), state.begun, state.downgrade());
        let router = around(routes.router, &state);
        let (phase, phases) = watch::channel(Phase::Serving);
        let (started, has_started) = mpsc::sync_channel(1);
        let (done, outcome) = oneshot::channel();
        let dispatch = dispatcher::get_default(Clone::clone);

        let run = move || {
            let _tracing = dispatcher::set_default(&dispatch);
            if let Some(stopped) = run(router, state, phases, &config, &started) {
                // The handle may be gone already.
                let _unheard = done.send(stopped);
            }
        };
        let thread = thread::Builder::new()
            .name(THREAD_NAME.to_owned())
            .spawn(run)
            .map_err(StartError::Thread)?;
        let panicked = || StartError::Thread(io::Error::other("it panicked"));
        let local_addr = match has_started.recv().unwrap_or_else(|_| Err(panicked())) {
            Ok(local_addr) => local_addr,
            Err(error) => {
                drop(thread.join());
                return Err(error);
            }
        };
        Ok(RunningService {
            local_addr,
            begun,
            ledger,
            state: held,
            phase,
            outcome,
            thread: Some(thread),
        })
    }
}

/// The serving thread; it first sends the result of the start. Runtime, listener and
/// connections are created and dropped in here, so that the end of the thread is the end of
/// them all.
fn run(
    router: Router,
    state: HostState,
    phases: watch::Receiver<Phase>,
    config: &ServiceConfig,
    started: &mpsc::SyncSender<Result<SocketAddr, StartError>>,
) -> Option<Drained> {
    let (runtime, listener, local_addr) = match set_up(config.port) {
        Ok(set_up) => set_up,
        Err(error) => {
            started.send(Err(error)).ok()?;
            return None;
        }
    };
    started.send(Ok(local_addr)).ok()?;
    let observer: Arc<dyn ConnectionObserver> = Arc::new(state.clone());
    let new_service = || admitting(router.clone(), state.clone());
    let stopped = runtime.block_on(async {
        let serve = accept::accept_until(
            listener,
            new_service,
            Some(observer),
            config.connection_bounds,
            config.header_case,
            phases,
            config.drain_deadline,
        );
        tokio::select! {
            stopped = serve => stopped,
            never = keep_up(&config.metrics) => match never {},
        }
    });
    Some(stopped)
}

fn set_up(port: u16) -> Result<(Runtime, TcpListener, SocketAddr), StartError> {
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(StartError::Thread)?;
    let bound = {
        let _context = runtime.enter();
        listen(port).and_then(|listener| {
            let local_addr = listener.local_addr()?;
            Ok((listener, local_addr))
        })
    };
    let (listener, local_addr) = bound.map_err(|source| StartError::bind(port, source))?;
    Ok((runtime, listener, local_addr))
}

async fn keep_up(metrics: &Metrics) -> Infallible {
    let mut ticks = tokio::time::interval(UPKEEP_INTERVAL);
    loop {
        ticks.tick().await;
        metrics.keep_up();
    }
}

/// A service that is serving.
///
/// [`stop`](Self::stop) ends it in good order. Dropped instead, it cuts off what is
/// in flight; the drop waits for the serving thread, so that nothing remains either
/// way.
#[derive(Debug)]
pub struct RunningService {
    local_addr: SocketAddr,
    begun: Instant,
    ledger: Ledger,
    state: Weak<Shared>,
    phase: watch::Sender<Phase>,
    outcome: oneshot::Receiver<Drained>,
    thread: Option<JoinHandle<()>>,
}

impl RunningService {
    /// The address of the service, as in `http://127.0.0.1:8765`.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://{}", self.local_addr)
    }

    /// The address that it listens on.
    #[must_use]
    pub fn local_addr(&self) -> SocketAddr {
        self.local_addr
    }

    /// The moment from which the record counts, by the clock of the operating system.
    #[must_use]
    pub fn begun(&self) -> Instant {
        self.begun
    }

    /// The record up to now.
    #[must_use]
    pub fn ledger(&self) -> WireRecord {
        self.ledger.snapshot()
    }

    /// A handle to the ledger that outlives the service.
    #[must_use]
    pub fn ledger_handle(&self) -> Ledger {
        self.ledger.clone()
    }

    /// Stops serving, closes the listening socket and waits for the serving thread
    /// to end, in this order; then checks that it held.
    ///
    /// Idle connections are closed at once. Requests in flight may finish until the
    /// drain deadline and are cut off then. The returned future blocks no runtime,
    /// and dropping it cuts everything off at once.
    ///
    /// # Errors
    ///
    /// [`StopError`] if the thread panicked or left something behind.
    pub async fn stop(mut self) -> Result<Drained, StopError> {
        self.phase.send_replace(Phase::Draining);
        let outcome = (&mut self.outcome).await;
        self.join().map_err(|_| StopError::Panicked)?;
        if self.state.strong_count() > 0 {
            return Err(StopError::StillHeld);
        }
        outcome.map_err(|_| StopError::Panicked)
    }

    /// Waits for the thread. After the outcome has come this is a matter of
    /// microseconds: the runtime is gone by then.
    fn join(&mut self) -> thread::Result<()> {
        self.thread.take().map_or(Ok(()), JoinHandle::join)
    }
}

impl Drop for RunningService {
    fn drop(&mut self) {
        self.phase.send_replace(Phase::CuttingOff);
        drop(self.join());
    }
}
