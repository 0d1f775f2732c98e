//! A proxy on a port of its own.

use std::{io, net::IpAddr, sync::Arc, time::Duration};

use host::{ConnectionBounds, HeaderCase, accept};
use http::HeaderName;
use hyper::service::service_fn;
use tokio::{sync::watch, task::JoinHandle, time::Instant};

use super::{
    forward::{Forwarder, HEAD_LINES},
    injected::Injected,
    listen::ListenAddress,
    session::{Aim, Session, State},
    upstream::Upstream,
};
use crate::{CommandEnd, ProxyRun, record::RunKind};

/// How long a request may go on when its run is over.
const DRAIN: Duration = Duration::from_millis(200);

/// A proxy that is to be started: what it stands before, and how it names requests.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The API.
    pub upstream: Upstream,
    /// Whether `Host` is passed on as it came.
    pub keeps_host: bool,
    /// The headers whose equal values name one call, beside those that always do.
    pub call_headers: Vec<HeaderName>,
    /// If there is one, the requests whose target or body holds this text are a route of their
    /// own, and only they meet faults.
    pub text: Option<String>,
    /// The user's choices for the responses of faults.
    pub injected: Injected,
    /// Where it listens, and the hosts that it serves.
    pub listen: ListenAddress,
}

impl Setup {
    /// A proxy before this API, and nothing else that is out of the ordinary.
    #[must_use]
    pub fn before(upstream: Upstream) -> Self {
        Self {
            upstream,
            keeps_host: false,
            call_headers: Vec::new(),
            text: None,
            injected: Injected::default(),
            listen: ListenAddress::default(),
        }
    }

    /// Its address, if others than this machine may reach it.
    #[must_use]
    pub fn network(&self) -> Option<IpAddr> {
        let is_on_network = self.listen.is_on_network();
        is_on_network.then(|| self.listen.any_port().ip())
    }
}

/// A proxy that listens on a port of its own.
#[expect(
    missing_debug_implementations,
    reason = "its record is not complete before its stop"
)]
pub struct Listening {
    base_url: String,
    session: Arc<Session>,
    phase: watch::Sender<accept::Phase>,
    serving: JoinHandle<()>,
    kind: RunKind,
    begun: Instant,
}

impl Listening {
    /// Listens on a free port. The first request of the route that is aimed at meets its
    /// fault.
    ///
    /// # Errors
    ///
    /// If there is no free port.
    pub fn start(setup: &Setup, aim: Option<Aim>) -> io::Result<Self> {
        let listen = &setup.listen;
        let listener = accept::listen_at(listen.any_port())?;
        let address = listener.local_addr()?;
        let base_url = format!("http://{}:{}", listen.host(), address.port());
        let begun = Instant::now();
        let kind = match &aim {
            None => RunKind::Healthy,
            Some(aim) => RunKind::Fault {
                route: aim.route.clone(),
                fault: aim.fault,
                lasts: aim.lasts,
            },
        };
        let setup = Arc::new(setup.clone());
        let session = Arc::new(Session::new(aim, Arc::clone(&setup), begun));
        let forwarder = Arc::new(Forwarder {
            setup,
            session: Arc::clone(&session),
        });
        let observer: Arc<dyn accept::ConnectionObserver> = Arc::clone(&session) as _;
        let (phase, phases) = watch::channel(accept::Phase::Serving);
        let serving = tokio::spawn(async move {
            let new_service = || {
                let forwarder = Arc::clone(&forwarder);
                service_fn(move |request| Arc::clone(&forwarder).serve(request))
            };
            let bounds = ConnectionBounds {
                head_lines: HEAD_LINES,
                ..ConnectionBounds::default()
            };
            let case = HeaderCase::Lower;
            accept::accept_until(
                listener,
                new_service,
                Some(observer),
                bounds,
                case,
                phases,
                DRAIN,
            )
            .await;
        });
        Ok(Self {
            base_url,
            session,
            phase,
            serving,
            kind,
            begun,
        })
    }

    /// Its own URL, without a slash at its end.
    #[must_use]
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// The moment from which all times of its record are counted.
    pub(super) fn begun(&self) -> Instant {
        self.begun
    }

    /// Ready when a request has met the fault.
    pub(super) async fn hit(&self) {
        self.session.hit.notified().await;
    }

    /// Stops, and returns what was recorded of a command that ended like this; none if there
    /// was no command, and the user ends what is still open.
    pub async fn stop(self, end: Option<CommandEnd>) -> ProxyRun {
        let end = end.unwrap_or_else(|| {
            self.session.end();
            CommandEnd {
                took: self.session.now(),
                ..CommandEnd::default()
            }
        });
        self.phase.send_replace(accept::Phase::Draining);
        // A panic in it has been reported by now.
        drop(self.serving.await);
        let State {
            requests,
            dropped,
            refused,
            names_upstream,
            ..
        } = self.session.take();
        ProxyRun {
            kind: self.kind,
            requests,
            dropped,
            refused,
            names_upstream,
            end,
        }
    }
}
