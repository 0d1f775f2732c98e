//! The `reqwest` session below the retry rules: what it must not send by default, and the
//! hops of the stack directly above it.

use std::sync::{Arc, OnceLock};

use http::Extensions;
use reqwest::{Request, Response};
use reqwest_middleware::{Middleware, Next, Result};
use url::Url;

use crate::{
    clock::Clock,
    error::{ConfigError, Failure, FailureKind},
    timeouts::Timeouts,
};

/// Installs *ring* as the process's provider of TLS cryptography, unless one is
/// installed already.
///
/// This crate takes `reqwest` without a provider, since the default one doubles
/// the time of a first build. [`Builder::build`](crate::Builder::build) calls
/// this; a program that builds a `reqwest::Client` by itself, with `reqwest`'s
/// feature `rustls-no-provider`, calls it first.
pub fn install_tls_provider() {
    if rustls::crypto::CryptoProvider::get_default().is_none() {
        // An error says that another thread was faster, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
    }
}

/// Turns off the requests that a session sends by default: redirects, which a default
/// `reqwest::Client` follows (a 307 or 308 with method and body, POST included), and the
/// retries of `reqwest` itself.
///
/// A middleware can neither see, count nor stop them, so
/// [`RetryMiddleware`](crate::RetryMiddleware) needs a session that was built
/// this way. It also installs a TLS provider.
/// [`Builder::build`](crate::Builder::build) does it to every session.
pub fn without_hidden_requests(session: reqwest::ClientBuilder) -> reqwest::ClientBuilder {
    install_tls_provider();
    session
        .redirect(reqwest::redirect::Policy::none())
        // Without a limit of zero it keeps a copy of every request for nothing.
        .retry(reqwest::retry::never().max_retries_per_request(0))
}

/// Builds a session with what the contract asks for, whoever configured it.
pub(crate) fn build(
    given: Option<reqwest::ClientBuilder>,
    base_url: &Url,
    timeouts: Timeouts,
) -> std::result::Result<reqwest::Client, ConfigError> {
    let is_plain = base_url.scheme() == "http";
    let session = given.unwrap_or_else(|| own_session(is_plain));
    without_hidden_requests(session)
        .connect_timeout(timeouts.connect)
        .read_timeout(timeouts.read)
        .timeout(timeouts.attempt)
        .build()
        .map_err(|error| ConfigError::Session(error.without_url()))
}

/// The session below a transport that was handed in: a stack of middlewares
/// cannot do without one. Nothing is ever sent on it, so one serves all clients
/// of the process, however many there are.
pub(crate) fn unused() -> std::result::Result<reqwest::Client, ConfigError> {
    static UNUSED: OnceLock<reqwest::Client> = OnceLock::new();
    if let Some(session) = UNUSED.get() {
        return Ok(session.clone());
    }
    let session = without_hidden_requests(own_session(true))
        .build()
        .map_err(|error| ConfigError::Session(error.without_url()))?;
    Ok(UNUSED.get_or_init(|| session).clone())
}

/// A session without the proxies of the environment.
///
/// Where no certificate authority is installed, as in a slim container, looking for one
/// fails the build; plain HTTP needs none.
fn own_session(is_plain: bool) -> reqwest::ClientBuilder {
    let session = reqwest::Client::builder().no_proxy();
    if is_plain {
        session.tls_certs_only([])
    } else {
        session
    }
}

/// The last hop of a stack above a session. It holds the clock while a request is on the
/// wire: the hold is among the extensions of the response until its body has been read.
pub(crate) struct Wire(pub(crate) Arc<dyn Clock>);

#[async_trait::async_trait]
impl Middleware for Wire {
    async fn handle(
        &self,
        request: Request,
        extensions: &mut Extensions,
        next: Next<'_>,
    ) -> Result<Response> {
        let hold = self.0.hold();
        let mut response = next.run(request, extensions).await?;
        response.extensions_mut().insert(hold);
        Ok(response)
    }
}

/// The hop below a transport that was handed in. Getting here is a mistake
/// of the transport's, which passes on what it should respond to.
pub(crate) struct NothingBelow;

#[async_trait::async_trait]
impl Middleware for NothingBelow {
    async fn handle(
        &self,
        _request: Request,
        _extensions: &mut Extensions,
        _next: Next<'_>,
    ) -> Result<Response> {
        Err(Failure(FailureKind::Request).into())
    }
}
