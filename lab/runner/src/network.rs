//! The service of a run, and the network between it and the client.

use std::{io, net::Ipv4Addr, sync::Arc};

use axum::{Router, body::Body};
use client::{Failure, FailureKind};
use host::{Exchange, Host, Ledger, RunningService, Served, ServiceConfig};
use http::Extensions;
use reqwest::{Request, Response};
use reqwest_middleware::{Error, Middleware, Next, Result as Sent};
use tokio::{net::TcpSocket, sync::Notify};
use tower::ServiceExt;
use wire::WireRecord;

use crate::{
    fault_proxy::{Fault, FaultProxy, Passed},
    run_error::RunError,
};

/// The network between client and service.
#[derive(Clone, Copy, Debug)]
pub enum Network {
    /// A loopback socket.
    Direct,
    /// A proxy that applies these faults to one connection after the other, and lets the
    /// rest pass.
    Faults(&'static [Fault]),
    /// A proxy that refuses every TLS handshake, in front of a client that
    /// insists on TLS.
    RefusedTls,
    /// A port that refuses every connection, because no service listens on it.
    ConnectionRefused,
    /// No socket: the service is called as a function, so that many concurrent workers
    /// reach it in the same order every time.
    Function,
}

/// A service and the way to it, for the length of a run.
pub(crate) struct Wire {
    /// The address that the client uses for the service.
    pub(crate) base_url: String,
    /// The function that replaces the socket, if there is one.
    pub(crate) function: Option<Function>,
    /// Notified when a silence on purpose begins.
    pub(crate) silence: Arc<Notify>,
    ledger: Ledger,
    service: Option<RunningService>,
    proxy: Option<FaultProxy>,
    /// Holds the port that refuses connections for as long as the run goes on:
    /// another process could be given it otherwise, and would respond.
    _refusing: Option<TcpSocket>,
}

/// The records of a run's wire.
pub(crate) struct Seen {
    /// The ledger of the service.
    pub(crate) wire: WireRecord,
    /// The requests and responses that it kept.
    pub(crate) exchanges: Vec<Exchange>,
    /// The parts of the responses that went through a proxy.
    pub(crate) passed: Vec<Passed>,
}

impl Wire {
    /// Starts a service and sets up the way to it.
    pub(crate) async fn start(
        network: Network,
        config: ServiceConfig,
        added: Served,
    ) -> Result<Self, RunError> {
        let served = server::lessons(config.seed()).and(added);
        if matches!(network, Network::Function) {
            return Ok(Self::function(&config, served));
        }
        // The serving thread uses the subscriber that is current here.
        let service = Host::start(config, served)?;
        let upstream = service.local_addr();
        let mut refusing = None;
        let (base_url, proxy) = match network {
            Network::Direct | Network::Function => (service.base_url(), None),
            Network::ConnectionRefused => {
                let socket = refusing_port().map_err(RunError::Network)?;
                let address = socket.local_addr().map_err(RunError::Network)?;
                refusing = Some(socket);
                (format!("http://{address}"), None)
            }
            Network::Faults(faults) => {
                let proxy = FaultProxy::start(upstream, faults.iter().copied()).await;
                let proxy = proxy.map_err(RunError::Network)?;
                (proxy.base_url(), Some(proxy))
            }
            Network::RefusedTls => {
                let always = std::iter::repeat(Fault::RefuseTls);
                let proxy = FaultProxy::start(upstream, always).await;
                let proxy = proxy.map_err(RunError::Network)?;
                (proxy.tls_base_url(), Some(proxy))
            }
        };
        Ok(Self {
            base_url,
            function: None,
            silence: proxy.as_ref().map(FaultProxy::silence).unwrap_or_default(),
            ledger: service.ledger_handle(),
            service: Some(service),
            proxy,
            _refusing: refusing,
        })
    }

    fn function(config: &ServiceConfig, served: Served) -> Self {
        let (router, ledger) = host::router(config, served);
        Self {
            // No client connects to it; it is only the label of the requests.
            base_url: format!("http://{}:{}", Ipv4Addr::LOCALHOST, server::DEFAULT_PORT),
            ledger,
            function: Some(Function(router)),
            silence: Arc::default(),
            service: None,
            proxy: None,
            _refusing: None,
        }
    }

    /// Stops everything and returns the records.
    pub(crate) async fn take_down(self) -> Result<Seen, RunError> {
        let passed = match self.proxy {
            Some(proxy) => {
                let passed = proxy.passed();
                proxy.stop().await;
                passed
            }
            None => Vec::new(),
        };
        if let Some(service) = self.service {
            service.stop().await?;
        }
        Ok(Seen {
            wire: self.ledger.snapshot(),
            exchanges: self.ledger.exchanges(),
            passed,
        })
    }
}

/// A port that refuses connections: it is bound, so that nobody else can listen on
/// it, and not listened on.
pub(crate) fn refusing_port() -> io::Result<TcpSocket> {
    let socket = TcpSocket::new_v4()?;
    socket.bind((Ipv4Addr::LOCALHOST, 0).into())?;
    Ok(socket)
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
