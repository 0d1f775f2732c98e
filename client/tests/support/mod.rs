//! Support for the tests. Everything that is made here belongs to the test that made
//! it: no port, file, clock or recorder is common to two.

pub(crate) mod drive;
pub(crate) mod observed;
pub(crate) mod scripted;
pub(crate) mod secretive;
pub(crate) mod service;
pub(crate) mod slow_store;
pub(crate) mod tls;
pub(crate) mod wire;

use std::{sync::Arc, time::SystemTime};

use client::{
    Backoff, SeededRandom, VirtualClock,
    teaching::{Builder, ReliableApiClient},
    without_hidden_requests,
};
use reqwest_middleware::{ClientBuilder, ClientWithMiddleware, Middleware};

use crate::bench::client_of;

/// A clock that moves only when the client waits.
pub(crate) fn virtual_clock() -> VirtualClock {
    VirtualClock::starting_at(SystemTime::UNIX_EPOCH)
}

/// A client whose transport is the test's, and the clock that it waits on. Nothing
/// listens at its base URL.
pub(crate) fn offline(
    transport: impl Middleware,
    configure: impl FnOnce(Builder) -> Builder,
) -> (ReliableApiClient, VirtualClock) {
    client_of(NOWHERE, |it| configure(it.transport(transport)))
}

/// Nothing listens here.
pub(crate) const NOWHERE: &str = "http://127.0.0.1:1";

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

/// The default backoff with jitter that repeats.
pub(crate) fn backoff(clock: &VirtualClock) -> Backoff {
    let (base, cap) = (Backoff::DEFAULT_BASE, Backoff::DEFAULT_CAP);
    let random = Arc::new(SeededRandom::new(7));
    Backoff::new(base, cap, Arc::new(clock.clone()), random).expect("legal")
}
