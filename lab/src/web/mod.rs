//! The web UI, which `lab serve` runs.
//!
//! Its pages are drawn by the server, each with an address that is its state: links, forms,
//! Reload and Back need no script. Scripts keep a page up to date while it is shown, act on keys,
//! and copy. The web UI is served only by this process and only on loopback, and all its files are
//! part of the binary. A teaching service for all other clients runs beside it; its `/metrics`
//! shows the numbers of all runs.
//!
//! | Path | What it responds with |
//! |---|---|
//! | `/` | the overview |
//! | `/course`, `/scenarios/{name}` | the plans of a class; a scenario, with its newest run |
//! | GET `/runs`, `/runs/{id}` | the runs, and one of them |
//! | POST `/runs`, `/runs/{id}/cancel` | the forms that start and cancel a run; each leads to the run |
//! | `/client` | the card of the client that the terminal named, or how to start one |
//! | POST `/client/start`, `/client/stop` | the forms that start and stop a card |
//! | `/storm/{story}`, `/storm` | a storm, which the address describes; the first one |
//! | POST `/storm/{story}/cancel`, `/storm/{story}` | the forms that cancel a storm, and start it again |
//! | `/metrics-view` | the counters over time |
//! | `/live` | an event stream that tells a page that something has changed |
//! | `/assets/{file}` | a script, a style sheet or the icon of the pages |
//! | GET and POST `/api/runs`, GET `/api/runs/{id}` | for programs: the runs; with `"kept": false` in its body, a POST responds with the end of a run that is neither listed nor told |
//! | DELETE `/api/runs/{id}` | cancels a run that goes on; it stays as such |
//! | GET `/api/runs/{id}/text` | a run as the command line prints it |
//! | GET `/api/runs/{id}/report` | a run as a file to keep |

mod assets;
mod body;
pub(crate) mod error_page;
mod exporters;
pub(crate) mod field_error;
pub(crate) mod fields;
pub(crate) mod guard;
pub(crate) mod json_body;
pub(crate) mod live;
pub(crate) mod lock;
mod metrics_view;
pub(crate) mod modes;
mod overview;
pub(crate) mod page;
pub(crate) mod plan;
pub(crate) mod problem;
mod routes;
pub(crate) mod shared;
pub(crate) mod steps;
pub(crate) mod token;
pub(crate) mod wire_lane;

use std::{fmt, io, net::SocketAddr, num::NonZeroUsize, sync::Arc};

use host::{
    ConnectionBounds, DRAIN_DEADLINE, Drained, HeaderCase, RunningService, ServiceConfig,
    StartError, StopError,
    accept::{self, Phase},
};
use hyper_util::service::TowerToHyperService;
use scenario::{Exposition, catalogue::CATALOGUE};
use server::TeachingApi;
use tokio::{sync::watch, task::JoinSet};
use tracing::{Dispatch, dispatcher};
use tracing_subscriber::{Registry, layer::SubscriberExt};

use crate::{
    grade::web::{ClientCards, Grader},
    scenario::web::Runs,
    storm::web::Storms,
};

use live::Live;
use metrics_view::MetricsView;
use routes::router;
use shared::Shared;

pub use crate::grade::web::GradedProgram;
pub use exporters::Exporters;

/// The default port of the web UI.
pub const DEFAULT_PAGE_PORT: u16 = 8766;

/// The maximum number of connections to the web UI. A browser opens six; the other file
/// descriptors are for the service and for the runs.
const CONNECTIONS: NonZeroUsize = NonZeroUsize::new(128).expect("not zero");

/// The configuration of the web UI.
#[derive(Clone, Debug)]
pub struct WebUiConfig {
    /// The port of the service on 127.0.0.1; 0 stands for a free one.
    pub port: u16,
    /// The port of the page on 127.0.0.1; 0 stands for a free one.
    pub page_port: u16,
    /// The exporters of the runs.
    pub exporters: Exporters,
    /// The program that is graded; none if the terminal named none.
    pub client: Option<GradedProgram>,
}

impl Default for WebUiConfig {
    fn default() -> Self {
        Self {
            port: server::DEFAULT_PORT,
            page_port: DEFAULT_PAGE_PORT,
            exporters: Exporters::default(),
            client: None,
        }
    }
}

/// Why the web UI could not be served.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WebUiError {
    /// The service did not start.
    #[error(transparent)]
    Service(#[from] StartError),
    /// The page's socket could not be opened.
    #[error(transparent)]
    Page(StartError),
    /// The thread that grades the program did not start.
    #[error("the client cannot be graded")]
    Client(#[source] io::Error),
}

/// The running web UI and its service.
///
/// [`stop`](Self::stop) shuts both down gracefully. Dropping it aborts requests in
/// flight.
pub struct WebUi {
    page: SocketAddr,
    service: Option<RunningService>,
    shared: Shared,
    phase: watch::Sender<Phase>,
    serving: JoinSet<Drained>,
    /// None without a program.
    grader: Option<Grader>,
    /// Background tasks that run while the web UI is served.
    chores: JoinSet<()>,
}

impl WebUi {
    /// Starts the service and the web UI. The web UI runs on the runtime of the caller,
    /// the service on a thread of its own.
    ///
    /// # Errors
    ///
    /// [`WebUiError`]; nothing is left running.
    pub async fn start(config: WebUiConfig) -> Result<Self, WebUiError> {
        let port = config.page_port;
        let bound =
            accept::listen(port).and_then(|listener| Ok((listener.local_addr()?, listener)));
        let (page, listener) =
            bound.map_err(|source| WebUiError::Page(StartError::bind(port, source)))?;

        let exposition = Exposition::new();
        exposition.register(CATALOGUE);
        let service = ServiceConfig {
            port: config.port,
            ledger_capacity: wire_lane::CAPACITY,
            metrics: exposition.service(),
            ..ServiceConfig::default()
        };
        // The serving thread takes over the subscriber that is current here.
        let subscriber = Registry::default().with(config.exporters.layer());
        let service =
            dispatcher::with_default(&Dispatch::new(subscriber), || TeachingApi::start(service))?;

        let live = Arc::<Live>::default();
        let ledger = service.ledger_handle();
        let mut chores = JoinSet::new();
        chores.spawn(wire_lane::watch(ledger.clone(), Arc::clone(&live)));
        let runs = Runs::new(Arc::clone(&live), exposition.clone(), config.exporters);
        let metrics = MetricsView::new(exposition, Arc::clone(&runs), Arc::clone(&live));
        chores.spawn(Arc::clone(&metrics).follow());
        let client = Arc::new(ClientCards::new(Arc::clone(&live), config.client.as_ref()));
        let grader = config
            .client
            .map(|program| Grader::start(program, Arc::clone(&client)))
            .transpose()
            .map_err(WebUiError::Client)?;
        let shared = Shared {
            runs,
            storms: Storms::new(Arc::clone(&live)),
            live,
            metrics,
            small_storm: Arc::default(),
            client: Arc::clone(&client),
            ledger,
            service: service.base_url().into(),
        };
        let router = router(shared.clone());
        let new_service = move || TowerToHyperService::new(router.clone());
        let (phase, phases) = watch::channel(Phase::Serving);
        let mut serving = JoinSet::new();
        let bounds = ConnectionBounds {
            connections: CONNECTIONS,
            ..ConnectionBounds::default()
        };
        serving.spawn(async move {
            let case = HeaderCase::default();
            accept::accept_until(
                listener,
                new_service,
                None,
                bounds,
                case,
                phases,
                DRAIN_DEADLINE,
            )
            .await
        });
        Ok(Self {
            page,
            service: Some(service),
            shared,
            phase,
            serving,
            grader,
            chores,
        })
    }

    /// The address of the page, as in `http://127.0.0.1:8766`.
    #[must_use]
    pub fn page_url(&self) -> String {
        format!("http://{}", self.page)
    }

    /// The address of the service, as in `http://127.0.0.1:8765`.
    #[must_use]
    pub fn service_url(&self) -> String {
        self.service
            .as_ref()
            .map(RunningService::base_url)
            .unwrap_or_default()
    }

    /// Stops the page, cancels the runs and the storms that go on, and stops the service. It returns
    /// how many connections to the page and to the service were still busy, and were cut off.
    ///
    /// # Errors
    ///
    /// [`StopError`] if the service could not be stopped properly.
    pub async fn stop(mut self) -> Result<Drained, StopError> {
        // Event streams never end on their own, and the runs of a load may take long.
        self.shared.live.close();
        // They tell these streams.
        self.chores.shutdown().await;
        // The program ends at once, with all that it has started.
        let grader = self.grader.take();
        let ended = tokio::task::spawn_blocking(move || drop(grader));
        self.shared.storms.stop().await;
        self.shared.runs.stop_unkept();
        self.phase.send_replace(Phase::Draining);
        let service = self.service.take();
        let (page, service) = tokio::join!(self.serving.join_next(), async {
            match service {
                Some(service) => service.stop().await.map(|drained| drained.cut_off),
                None => Ok(0),
            }
        });
        self.shared.runs.stop().await;
        // A panic in there has been reported.
        let _ = ended.await;
        let page = page
            .and_then(Result::ok)
            .map_or(0, |drained| drained.cut_off);
        Ok(Drained {
            cut_off: page + service?,
        })
    }
}

impl Drop for WebUi {
    fn drop(&mut self) {
        self.shared.runs.abort();
        self.shared.storms.abort();
    }
}

impl fmt::Debug for WebUi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebUi")
            .field("page", &self.page)
            .field("service", &self.service)
            .finish_non_exhaustive()
    }
}
