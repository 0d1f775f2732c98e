//! Services that no client reaches.

use std::{future::pending, sync::Arc};

use reqwest::dns::{Name, Resolve, Resolving};

/// A base URL at which nothing listens: only the system may use the first port.
pub const NOWHERE: &str = "http://127.0.0.1:1";

/// A session for which no name is ever resolved.
pub fn never_resolving() -> reqwest::ClientBuilder {
    reqwest::Client::builder()
        .no_proxy()
        .tls_certs_only([])
        .dns_resolver(Arc::new(Silent))
}

struct Silent;

impl Resolve for Silent {
    fn resolve(&self, _: Name) -> Resolving {
        Box::pin(pending())
    }
}
