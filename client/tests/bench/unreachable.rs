//! Services that no client reaches.

use std::{
    future::pending,
    net::{Ipv4Addr, SocketAddr},
};

use reqwest::dns::{Name, Resolve, Resolving};
use tokio::net::TcpSocket;

/// An address where nobody listens. It is bound for as long as this lives, so
/// that no other process can be given it in the meantime.
#[derive(Debug)]
pub struct Nobody(TcpSocket);

impl Nobody {
    /// The address.
    pub fn address(&self) -> SocketAddr {
        self.0.local_addr().expect("an address")
    }
}

impl Default for Nobody {
    fn default() -> Self {
        let socket = TcpSocket::new_v4().expect("a socket");
        let any_port = (Ipv4Addr::LOCALHOST, 0).into();
        socket.bind(any_port).expect("a free port");
        Self(socket)
    }
}

/// A session for which no name is ever resolved.
pub fn never_resolving() -> reqwest::ClientBuilder {
    reqwest::Client::builder()
        .no_proxy()
        .tls_certs_only([])
        .dns_resolver(std::sync::Arc::new(Silent))
}

struct Silent;

impl Resolve for Silent {
    fn resolve(&self, _: Name) -> Resolving {
        Box::pin(pending())
    }
}
