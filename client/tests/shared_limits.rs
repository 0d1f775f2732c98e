//! What all clones of a client share: the retry budget and the concurrency
//! limit bound the work of fifty workers together.

use std::{
    future::pending,
    iter,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use crate::bench::{http_error, retry_after, status, transport_error};
use crate::support::{
    drive::{finish, give_way, poll},
    offline,
    scripted::scripted,
};
use client::{
    ConcurrencyLimit, FailureKind, StopReason,
    teaching::{Builder, ReliableApiClient},
};
use tokio::task::JoinSet;

/// Requests on the wire while 50 workers make 10 calls each to a service that
/// is down, and the number of those calls.
async fn requests_to_a_dead_service(configure: impl FnOnce(Builder) -> Builder) -> (u32, u32) {
    let requests = Arc::new(AtomicU32::new(0));
    let seen = Arc::clone(&requests);
    let transport = scripted(move |_| {
        seen.fetch_add(1, Ordering::SeqCst);
        async {
            give_way(2).await;
            Ok(status(503))
        }
    });
    let (client, _) = offline(transport, configure);
    let work = |client: ReliableApiClient| async move {
        for _ in 0..10 {
            client.flaky().await.expect_err("a 503");
        }
        10
    };

    let workers: JoinSet<u32> = iter::repeat_n(client, 50).map(work).collect();

    let calls = workers.join_all().await.iter().sum();
    (requests.load(Ordering::SeqCst), calls)
}

#[tokio::test]
async fn the_retry_budget_bounds_the_work_of_all_workers() {
    let without = |builder: Builder| builder.retry_budget(None).concurrency_limit(None);

    let (requests, calls) = requests_to_a_dead_service(|builder| builder).await;
    let (unbounded, _) = requests_to_a_dead_service(without).await;

    assert_eq!((calls, unbounded), (500, 1500));
    let bound = calls + 1..=calls + 10 + calls / 10;
    assert!(bound.contains(&requests), "{requests} requests");
}

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
    let (client, _) = offline(transport, |it| {
        it.concurrency_limit(ConcurrencyLimit::new(1))
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
