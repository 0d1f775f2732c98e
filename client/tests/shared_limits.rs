//! What all clones of a client share: the retry budget and the concurrency
//! limit bound the work of fifty workers together.

use std::{
    future::pending,
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
    scripted::{InFlight, scripted},
};
use client::{
    ApiError, ConcurrencyLimit, Endpoint, FailureKind, StopReason,
    teaching::{Builder, ReliableApiClient, endpoint},
};
use futures_util::FutureExt;
use tokio::task::JoinSet;

const WORKERS: usize = 50;
const MISSING: Endpoint = Endpoint::new("missing", "/missing");
const THROTTLED: Endpoint = Endpoint::new("throttled", "/throttled");

/// Lets every worker make `calls` calls at the same time as the others.
async fn work(client: &ReliableApiClient, endpoint: Endpoint, calls: usize) -> Vec<ApiError> {
    let mut workers = JoinSet::new();
    for _ in 0..WORKERS {
        let client = client.clone();
        workers.spawn(async move {
            let mut errors = Vec::new();
            for _ in 0..calls {
                errors.extend(client.get(endpoint).await.err());
            }
            errors
        });
    }
    workers.join_all().await.into_iter().flatten().collect()
}

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

    let errors = work(&client, endpoint::FLAKY, 10).await;

    let calls = u32::try_from(errors.len()).expect("few calls");
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

/// A client with 16 slots, and what its transport has in flight. The transport
/// responds by the path: 429 with a quota that is used up for two minutes, 404,
/// or a success.
fn throttled_client() -> (ReliableApiClient, InFlight) {
    let in_flight = InFlight::default();
    let seen = in_flight.clone();
    let transport = scripted(move |request| {
        let entered = seen.enter();
        async move {
            give_way(3).await;
            drop(entered);
            Ok(match request.url().path() {
                "/throttled" => retry_after(429, "120"),
                "/missing" => status(404),
                _ => status(204),
            })
        }
    });
    let limited = |it: Builder| it.concurrency_limit(ConcurrencyLimit::new(16));
    let (client, _) = offline(transport, limited);
    (client, in_flight)
}

/// The most that 50 workers have in flight together. A 404 moves no limit, so
/// asking changes nothing.
async fn most_in_flight(client: &ReliableApiClient, in_flight: &InFlight) -> usize {
    in_flight.take_most();
    work(client, MISSING, 2).await;
    in_flight.take_most()
}

#[tokio::test]
async fn a_429_slows_all_workers_down_and_successes_speed_them_up() {
    let (client, in_flight) = throttled_client();
    let mut most = vec![most_in_flight(&client, &in_flight).await];

    for throttled in [1, 1, 3] {
        for _ in 0..throttled {
            client.get(THROTTLED).await.expect_err("a 429");
        }
        most.push(most_in_flight(&client, &in_flight).await);
    }
    for successes in [1, 3, 200] {
        for _ in 0..successes {
            client.no_content().await.expect("a 204");
        }
        most.push(most_in_flight(&client, &in_flight).await);
    }

    assert_eq!(most, [16, 8, 4, 1, 2, 3, 16]);
}

#[tokio::test]
async fn no_slot_is_held_during_a_wait() {
    let transport = scripted(async |request: reqwest::Request| {
        Ok(match request.url().path() {
            "/flaky" => retry_after(503, "30"),
            _ => status(204),
        })
    });
    let one_slot = |it: Builder| it.concurrency_limit(ConcurrencyLimit::new(1));
    let (client, _) = offline(transport, one_slot);
    let mut waiting = Box::pin(client.flaky());

    assert!(poll(waiting.as_mut()).is_pending());
    let other = client.no_content().now_or_never();

    assert!(matches!(other, Some(Ok(()))), "{other:?}");
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
