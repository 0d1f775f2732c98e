//! The service of a run, and the network between it and the client.

mod request_limit;
mod timeouts;

use std::{net::Ipv4Addr, sync::Arc};

use axum::{Router, body::Body};
use client::{Failure, FailureKind};
use host::{
    Host, Ledger, Routes, RunningService, ServiceConfig,
    fault_injection::{ResponseFault, inject},
    refusing_port,
};
use http::Extensions;
use reqwest::{Request, Response};
use reqwest_middleware::{Error, Middleware, Next, Result as Sent};
use tokio::sync::Notify;
use tower::ServiceExt;
use wire::WireRecord;

use crate::{Pace, RunError, exchange::exchanges};

pub(crate) use request_limit::RequestLimit;
pub(crate) use timeouts::{TRANSPORT, VirtualTimeouts};

/// The network between client and service.
#[derive(Clone, Copy, Debug)]
pub enum Network {
    /// A loopback socket.
    Direct,
    /// The same with these faults, one for each of the first requests.
    Faults(&'static [ResponseFault]),
    /// A listener that refuses every TLS handshake, for a client that insists on TLS.
    RefusedTls,
    /// A port that refuses every connection, because no service listens on it.
    ConnectionRefused,
    /// A loopback socket in real time, and none in virtual time: there the service is called as
    /// a function, so that many concurrent workers reach it in the same order every time.
    Workers,
}

/// A service and the way to it, for the length of a run.
pub(crate) struct RunningNetwork {
    /// The address that the client uses for the service.
    pub(crate) base_url: String,
    /// The function that replaces the socket, if there is one.
    pub(crate) function: Option<Function>,
    /// Notified when a silence on purpose begins.
    pub(crate) silence: Arc<Notify>,
    ledger: Ledger,
    service: Option<RunningService>,
    /// Refuses the client for as long as the run goes on. A port that nobody holds could be
    /// given to another process, and would respond.
    _refusing: Option<Box<dyn Send>>,
}

impl RunningNetwork {
    /// Starts a service and sets up the way to it.
    pub(crate) async fn start(
        network: Network,
        pace: Pace,
        config: ServiceConfig,
        added: Routes,
    ) -> Result<Self, RunError> {
        let served = server::lessons(config.seed).and(added);
        let silence = Arc::default();
        let served = match network {
            Network::Workers if pace == Pace::Virtual => {
                return Ok(Self::function(&config, served));
            }
            Network::Faults(faults) => inject(served, faults, Arc::clone(&silence)),
            _ => served,
        };
        // The serving thread uses the subscriber that is current here.
        let service = Host::start(config, served)?;
        let (base_url, refusing): (_, Option<Box<dyn Send>>) = match network {
            Network::ConnectionRefused => {
                let port = refusing_port().map_err(RunError::Network)?;
                let address = port.local_addr().map_err(RunError::Network)?;
                (format!("http://{address}"), Some(Box::new(port)))
            }
            Network::RefusedTls => {
                let listener = host::TlsRefusal::start().await.map_err(RunError::Network)?;
                (listener.base_url(), Some(Box::new(listener)))
            }
            _ => (service.base_url(), None),
        };
        Ok(Self {
            base_url,
            function: None,
            silence,
            ledger: service.ledger_handle(),
            service: Some(service),
            _refusing: refusing,
        })
    }

    fn function(config: &ServiceConfig, served: Routes) -> Self {
        let (router, ledger) = host::router(config, served);
        Self {
            // No client connects to it; it is only the label of the requests.
            base_url: format!("http://{}:{}", Ipv4Addr::LOCALHOST, server::DEFAULT_PORT),
            ledger,
            function: Some(Function(router)),
            silence: Arc::default(),
            service: None,
            _refusing: None,
        }
    }

    /// Stops everything and returns the record, with the exchanges in it.
    pub(crate) async fn take_down(self) -> Result<WireRecord, RunError> {
        if let Some(service) = self.service {
            service.stop().await?;
        }
        let mut record = self.ledger.snapshot();
        record.exchanges = exchanges(self.ledger.exchanges(), &record.entries);
        Ok(record)
    }
}

/// The service as a function from request to response, without a socket.
///
/// Over sockets, responses come in any order. Where many workers call at once,
/// only this makes two runs with one seed the same.
#[derive(Clone, Debug)]
pub(crate) struct Function(Router);

#[async_trait::async_trait]
impl Middleware for Function {
    async fn handle(&self, request: Request, _: &mut Extensions, _: Next<'_>) -> Sent<Response> {
        let request = http::Request::try_from(request)?.map(Body::new);
        let response = self.0.clone().oneshot(request).await;
        let (head, body) = response.unwrap_or_else(|never| match never {}).into_parts();
        let body = axum::body::to_bytes(body, usize::MAX).await;
        let body = body.map_err(|_| Error::from(Failure(FailureKind::ConnectionLost)))?;
        Ok(http::Response::from_parts(head, body).into())
    }
}

#[cfg(test)]
mod tests {
    use std::{
        io::ErrorKind,
        net::{TcpListener, TcpStream},
    };

    use super::*;

    #[test]
    fn no_other_process_can_listen_on_the_refusing_port() {
        let socket = refusing_port().expect("a port");
        let address = socket.local_addr().expect("an address");

        let listened = TcpListener::bind(address);
        let connected = TcpStream::connect(address);

        let kinds = (
            listened.err().map(|error| error.kind()),
            connected.err().map(|error| error.kind()),
        );
        let expected = (ErrorKind::AddrInUse, ErrorKind::ConnectionRefused);
        assert_eq!(kinds, (Some(expected.0), Some(expected.1)));
    }
}
