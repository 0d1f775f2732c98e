//! Support for the tests. Everything that is made here belongs to the test that made
//! it: no port, file, clock or recorder is common to two.

pub(crate) mod drive;
pub(crate) mod observed;
pub(crate) mod scripted;
pub(crate) mod secretive;
pub(crate) mod service;
pub(crate) mod tls;
pub(crate) mod wire;

use std::sync::Arc;

use client::{
    Backoff, Checkpoint, Cursor, ListingId, Position, RetryMiddleware, VirtualClock,
    teaching::{Builder, ReliableApiClient},
    without_hidden_requests,
};
use reqwest_middleware::{ClientBuilder, ClientWithMiddleware, Middleware};

use crate::bench::{Draw, NOWHERE, client_of};

/// A client whose transport is the test's, and the clock that it waits on. Nothing
/// listens at its base URL.
pub(crate) fn offline(
    transport: impl Middleware,
    configure: impl FnOnce(Builder) -> Builder,
) -> (ReliableApiClient, VirtualClock) {
    client_of(NOWHERE, |builder| configure(builder.transport(transport)))
}

/// A session that needs nothing of its environment.
pub(crate) fn session() -> reqwest::ClientBuilder {
    client::install_tls_provider();
    reqwest::Client::builder().no_proxy().tls_certs_only([])
}

/// The same, which sends nothing by itself.
pub(crate) fn quiet_session() -> reqwest::Client {
    let session = without_hidden_requests(session()).build();
    session.expect("a session")
}

/// A stack of one's own on a quiet session.
pub(crate) fn stack(layer: impl Middleware) -> ClientWithMiddleware {
    ClientBuilder::new(quiet_session()).with(layer).build()
}

/// The retry layer with its defaults, over this clock, whose jitter draws 0.5.
pub(crate) fn retries(clock: &VirtualClock) -> RetryMiddleware {
    let (base, cap) = (Backoff::DEFAULT_BASE, Backoff::DEFAULT_CAP);
    let clock = Arc::new(clock.clone());
    let backoff = Backoff::new(
        base,
        cap,
        Arc::<VirtualClock>::clone(&clock),
        Arc::new(Draw(0.5)),
    );
    RetryMiddleware::with_policy(backoff.expect("legal"), clock)
}

/// The checkpoint of a crawl that has read one page and goes on at this cursor.
pub(crate) fn checkpoint(listing: ListingId, cursor: impl Into<Box<str>>) -> Checkpoint {
    let cursor = Cursor::new(cursor).expect("not empty");
    Checkpoint::new(listing, 1, Position::At(cursor))
}
