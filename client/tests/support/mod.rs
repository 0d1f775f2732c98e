//! What the tests share. Whatever is made here belongs to the test that made
//! it: no port, file, clock or recorder is common to two.

pub(crate) mod canary;
pub(crate) mod counted;
pub(crate) mod drive;
pub(crate) mod heard;
pub(crate) mod observed;
pub(crate) mod scripted;
pub(crate) mod secretive;
pub(crate) mod service;
pub(crate) mod slow_store;
pub(crate) mod tls;
pub(crate) mod wire;

use std::{fmt::Debug, sync::Arc, time::SystemTime};

use client::{
    ApiError, ApiHttpError, ApiTransportError, Random, SeededRandom, VirtualClock,
    teaching::{Builder, ReliableApiClient},
};

/// The error of a call whose response is no success.
#[track_caller]
pub(crate) fn http_error<T: Debug>(result: Result<T, ApiError>) -> ApiHttpError {
    match result {
        Err(ApiError::Http(error)) => error,
        other => panic!("a response that is no success, not {other:?}"),
    }
}

/// The error of a call without a complete response.
#[track_caller]
pub(crate) fn transport_error<T: Debug>(result: Result<T, ApiError>) -> ApiTransportError {
    match result {
        Err(ApiError::Transport(error)) => error,
        other => panic!("no complete response, not {other:?}"),
    }
}

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

/// A random source that always draws this.
pub(crate) struct Unit(pub(crate) f64);

impl Random for Unit {
    fn unit(&self) -> f64 {
        self.0
    }
}
