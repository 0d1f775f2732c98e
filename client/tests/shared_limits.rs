//! A call that waits for its turn under the shared concurrency limit, until its deadline.

use std::{future::pending, time::Duration};

use crate::bench::{http_error, retry_after, transport_error};
use crate::support::{
    drive::{finish, poll},
    offline,
    scripted::scripted,
};
use client::{ConcurrencyLimit, FailureKind, StopReason, teaching::ReliableApiClient};

/// A client with one slot and ten seconds for each call. A 204 never comes, so
/// whoever asks for one keeps the slot; all else is a 503 to come back from in
/// three seconds.
fn client_with_one_slot() -> ReliableApiClient {
    let transport = scripted(
        async |request: reqwest::Request| match request.url().path() {
            "/no-content" => pending().await,
            _ => Ok(retry_after(503, "3")),
        },
    );
    let (client, _) = offline(transport, |builder| {
        builder
            .concurrency_limit(ConcurrencyLimit::new(1))
            .deadline(Duration::from_secs(10))
    });
    client
}

#[tokio::test]
async fn a_call_that_has_no_turn_before_its_deadline_sends_nothing() {
    let client = client_with_one_slot();
    let mut holding = Box::pin(client.no_content());
    assert!(poll(holding.as_mut()).is_pending());

    let error = transport_error(finish(client.flaky()).expect("the deadline ends it"));

    assert_eq!(error.kind, FailureKind::QueueTimeout);
    assert_eq!(error.stopped, Some(StopReason::Deadline));
    assert_eq!(error.attempts, 0);
}

#[tokio::test]
async fn a_call_that_has_no_turn_for_its_retry_hands_on_the_last_response() {
    let client = client_with_one_slot();
    let mut waiting = Box::pin(client.flaky());
    assert!(poll(waiting.as_mut()).is_pending());
    let mut holding = Box::pin(client.no_content());
    assert!(poll(holding.as_mut()).is_pending());

    let error = http_error(finish(waiting).expect("the deadline ends it"));

    assert_eq!(error.status.as_u16(), 503);
    assert_eq!(error.stopped, Some(StopReason::Deadline));
    assert_eq!(error.attempts, 1);
}
