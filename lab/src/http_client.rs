//! The HTTP client for the lab's own requests, which do not belong to a run.

use reqwest::{Client, ClientBuilder, redirect, retry};

/// A client that uses no proxy, follows no redirect and never retries.
pub(crate) fn builder() -> ClientBuilder {
    client::install_tls_provider();
    Client::builder()
        .no_proxy()
        .redirect(redirect::Policy::none())
        .retry(retry::never())
}

/// The same client for plain HTTP only, which also works on a machine without root
/// certificates.
pub(crate) fn plain_builder() -> ClientBuilder {
    builder().tls_certs_only([])
}
