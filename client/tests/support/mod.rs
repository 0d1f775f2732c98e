//! Support for the tests. Everything that is made here belongs to the test that made
//! it: no port, file, clock or recorder is common to two.

pub(crate) mod canary;
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
    SeededRandom, VirtualClock,
    teaching::{Builder, ReliableApiClient},
};

/// A clock that moves only when the client waits.
pub(crate) fn virtual_clock() -> VirtualClock {
    VirtualClock::starting_at(SystemTime::UNIX_EPOCH)
}

/// A client whose waits are virtual and whose jitter repeats. Nothing listens
/// at its base URL: a test gives it a transport.
pub(crate) fn offline(clock: &VirtualClock) -> Builder {
    ReliableApiClient::builder("http://127.0.0.1:1")
        .clock(Arc::new(clock.clone()))
        .random(Arc::new(SeededRandom::new(7)))
}
