//! A client over a session, on a clock that only its waits move.

use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

use client::{
    Random, VirtualClock,
    teaching::{Builder, ReliableApiClient},
};

use crate::session::Session;

/// The time of day at which every bench begins, since the Unix epoch: Sunday,
/// 6 November 1994, 08:49:37 GMT, the moment that RFC 9110 uses in its examples.
pub const NOW: Duration = Duration::from_secs(784_111_777);

/// A client, what it stands on, and what it waited for.
#[derive(Debug)]
pub struct Bench {
    /// The client.
    pub client: ReliableApiClient,
    /// What stands instead of its transport.
    pub session: Session,
    /// Its clock, which begins at [`NOW`].
    pub clock: VirtualClock,
}

impl Bench {
    /// A client with the default rules.
    #[must_use]
    pub fn new(session: Session) -> Self {
        Self::with(session, |builder| builder)
    }

    /// A client with rules of the test's own. Its jitter draws 0.5.
    pub fn with(session: Session, configure: impl FnOnce(Builder) -> Builder) -> Self {
        Self::at("http://service.test", session, configure)
    }

    /// The same for a service at `base_url`.
    pub fn at(
        base_url: &str,
        session: Session,
        configure: impl FnOnce(Builder) -> Builder,
    ) -> Self {
        Self::on(clock(), base_url, session, configure)
    }

    pub(crate) fn on(
        clock: VirtualClock,
        base_url: &str,
        session: Session,
        configure: impl FnOnce(Builder) -> Builder,
    ) -> Self {
        let builder = ReliableApiClient::builder(base_url)
            .middleware(session.clone())
            .clock(Arc::new(clock.clone()))
            .random(Arc::new(Draw(0.5)));
        let client = configure(builder).build().expect("a legal configuration");
        Self {
            client,
            session,
            clock,
        }
    }
}

/// A clock that begins at [`NOW`].
pub(crate) fn clock() -> VirtualClock {
    VirtualClock::starting_at(SystemTime::UNIX_EPOCH + NOW)
}

/// A random source that always draws the same.
#[derive(Debug, Clone, Copy)]
pub struct Draw(pub f64);

impl Random for Draw {
    fn unit(&self) -> f64 {
        self.0
    }
}
