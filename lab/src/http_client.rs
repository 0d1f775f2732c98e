//! The HTTP client of the lab itself, for what it asks or tells beside any run.

use reqwest::{Client, ClientBuilder, redirect, retry};

/// A client that goes where the person said: past no proxy, after no redirect,
/// and once.
pub(crate) fn builder() -> ClientBuilder {
    client::install_tls_provider();
    Client::builder()
        .no_proxy()
        .redirect(redirect::Policy::none())
        .retry(retry::never())
}

/// The same for plain HTTP alone. Where there are no certificates on the
/// machine, looking for them fails.
pub(crate) fn plain_builder() -> ClientBuilder {
    builder().tls_certs_only([])
}
