//! The HTTP client for the lab's own requests, which do not belong to a run.

use reqwest::{Client, ClientBuilder};

/// A client that uses no proxy, follows no redirect and never retries.
pub(crate) fn builder() -> ClientBuilder {
    client::without_hidden_requests(Client::builder().no_proxy())
}

/// The same client for plain HTTP only, which also works on a machine without root
/// certificates.
pub(crate) fn plain_builder() -> ClientBuilder {
    builder().tls_certs_only([])
}
