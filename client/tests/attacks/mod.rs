//! Attacks on the client by the service that it calls, over raw sockets.
//!
//! Each of them ends in one clear error, or in a response that can be trusted; calls of
//! the same client that a sound service responds to succeed meanwhile and afterwards.
//! The doc line of each test names the defence that it holds. What is attacked elsewhere
//! is not attacked here again: chunks that cannot be read (`body`), connections that end
//! at any byte (`cut`), what drips (`deadline`), pages nested deeply and cursors that no
//! URL can carry (`listing`).

use std::time::Duration;

use client::{
    ApiError,
    teaching::{Flaky, ReliableApiClient},
};

use crate::bench::silently;
use crate::support::wire::{ENDLESS, Then, Wire};

mod bodies;
mod heads;
mod redirects;

/// The response of a sound service.
const SOUND: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\
                     content-length: 13\r\n\r\n{\"attempt\":3}";

/// The timeouts of the client.
const PATIENCE: Duration = Duration::from_secs(100);

/// The largest body that the client accepts.
const CAP: usize = 16 * 1024;

/// Makes a call whose connection is attacked, another one meanwhile and another one
/// afterwards, both of which a sound service responds to. A flood is not read to its end.
///
/// Returns the `attempt` of a response that was trusted; else the status, what is wrong
/// with the response, or the kind of the failure.
async fn meet(attack: &str, then: Then) -> String {
    let wire = Wire::serve(&[(attack, then), (SOUND, Then::Again)]).await;
    let client = client(&wire);
    let calls = async {
        let others = async {
            while wire.requests().is_empty() {
                tokio::task::yield_now().await;
            }
            client.flaky().await
        };
        let (attacked, meanwhile) = tokio::join!(client.flaky(), others);
        (attacked, [meanwhile, client.flaky().await])
    };

    let (attacked, others) = silently(PATIENCE, calls).await;

    assert_eq!(others.map(outcome), ["3", "3"], "calls of others");
    assert!(wire.flooded() < ENDLESS, "the client took it all: {then:?}");
    outcome(attacked)
}

/// A client whose calls are one request each.
fn client(wire: &Wire) -> ReliableApiClient {
    wire.client(|builder| {
        builder
            .timeouts(PATIENCE, PATIENCE)
            // Time passes while a flood is read: see `silently`.
            .attempt_timeout(500 * PATIENCE)
            .max_attempts(1)
            .max_body_bytes(CAP)
    })
}

fn outcome(call: Result<Flaky, ApiError>) -> String {
    match call {
        Ok(flaky) => flaky.attempt.to_string(),
        Err(ApiError::Http(error)) => error.status.as_str().to_owned(),
        Err(error) => error.problem().unwrap_or(error.error_type()).to_owned(),
    }
}
