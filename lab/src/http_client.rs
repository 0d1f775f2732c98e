//! The HTTP client of the lab itself, for requests that belong to no run.

use reqwest::{Client, ClientBuilder, redirect, retry};

/// A client that uses no proxy, follows no redirect and never retries.
pub(crate) fn builder() -> ClientBuilder {
    client::install_tls_provider();
    Client::builder()
        .no_proxy()
        .redirect(redirect::Policy::none())
        .retry(retry::never())
}

/// The same for plain HTTP alone, which works on a machine without root
/// certificates too.
pub(crate) fn plain_builder() -> ClientBuilder {
    builder().tls_certs_only([])
}
