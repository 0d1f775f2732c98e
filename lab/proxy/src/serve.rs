//! A proxy on a port of its own.

use std::{io, net::SocketAddr, sync::Arc, time::Duration};

use host::{ConnectionBounds, HeaderCase, accept};
use http::HeaderName;
use hyper::service::service_fn;
use tokio::{sync::watch, task::JoinHandle, time::Instant};

use super::{
    forward::Forwarder,
    session::{Aim, Session, State},
    upstream::Upstream,
};
use crate::{CommandEnd, ProxyRun, RunKind};

/// How long a request may go on when its run is over.
const DRAIN: Duration = Duration::from_millis(200);

/// A proxy that listens on 127.0.0.1.
#[expect(
    missing_debug_implementations,
    reason = "its record is not complete before its stop"
)]
pub struct Listening {
    address: SocketAddr,
    session: Arc<Session>,
    phase: watch::Sender<accept::Phase>,
    serving: JoinHandle<()>,
    kind: RunKind,
    begun: Instant,
}

impl Listening {
    /// Listens on a free port. The first request of the route that is aimed at meets its
    /// fault, and values of the `call_headers` name a call.
    ///
    /// # Errors
    ///
    /// If there is no free port.
    pub fn start(
        upstream: &Upstream,
        aim: Option<Aim>,
        call_headers: &[HeaderName],
        keeps_host: bool,
    ) -> io::Result<Self> {
        let listener = accept::listen(0)?;
        let address = listener.local_addr()?;
        let begun = Instant::now();
        let kind = match &aim {
            None => RunKind::Healthy,
            Some(Aim { route, fault, .. }) => RunKind::Fault {
                route: route.clone(),
                fault: *fault,
            },
        };
        let session = Arc::new(Session::new(aim, call_headers.to_vec(), begun));
        let forwarder = Arc::new(Forwarder {
            upstream: upstream.clone(),
            keeps_host,
            session: Arc::clone(&session),
        });
        let observer: Arc<dyn accept::ConnectionObserver> = Arc::clone(&session) as _;
        let (phase, phases) = watch::channel(accept::Phase::Serving);
        let serving = tokio::spawn(async move {
            let new_service = || {
                let forwarder = Arc::clone(&forwarder);
                service_fn(move |request| Arc::clone(&forwarder).serve(request))
            };
            let bounds = ConnectionBounds::default();
            let case = HeaderCase::Lower;
            accept::serve(
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
            address,
            session,
            phase,
            serving,
            kind,
            begun,
        })
    }

    /// Its own origin.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
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
        } = std::mem::take(&mut *self.session.state());
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
