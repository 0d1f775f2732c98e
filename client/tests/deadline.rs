//! The deadline of a call: no wait that would pass it is begun, and an attempt
//! in flight is cut off at it.

use std::{
    sync::{Arc, Mutex},
    time::{Duration, SystemTime},
};

use client::{
    Clock, ConcurrencyLimit, FailureKind, Sleep, StopReason, Timeouts, VirtualClock,
    teaching::{Builder, ReliableApiClient},
};
use futures_util::future::join_all;

use crate::bench::{
    Bench, NOWHERE, Script, clock, http_error, never_resolving, retry_after, silently, status,
    transport_error,
};
use crate::support::{
    offline,
    scripted::scripted,
    wire::{Then, Wire},
};

/// A clock whose waits last a second longer than they should, as those of a
/// busy machine do.
struct LateClock(VirtualClock);

impl Clock for LateClock {
    fn monotonic(&self) -> Duration {
        self.0.monotonic()
    }

    fn wall(&self) -> SystemTime {
        self.0.wall()
    }

    fn sleep(&self, duration: Duration) -> Sleep<'_> {
        self.0.sleep(duration + Duration::from_secs(1))
    }
}

#[tokio::test]
async fn a_request_has_a_timeout_only_where_that_of_its_session_does_not_apply() {
    let seconds = Duration::from_secs;
    for (own, deadline, expected) in [
        (None, None, None),
        (Some(5), None, Some(5)),
        (Some(60), None, Some(60)),
        (Some(90), None, Some(60)),
        (None, Some(7), Some(7)),
        (None, Some(90), None),
        (Some(90), Some(7), Some(7)),
        (Some(5), Some(7), Some(5)),
    ] {
        let seen = Arc::new(Mutex::new(None));
        let sees = Arc::clone(&seen);
        let transport = scripted(move |request| {
            *sees.lock().expect("no panic") = Some(request.timeout().copied());
            async { Ok(status(204)) }
        });
        let (client, _) = offline(transport, |builder| builder.deadline(deadline.map(seconds)));
        let mut request = client.http().get(NOWHERE);
        if let Some(own) = own {
            request = request.timeout(seconds(own));
        }

        request.send().await.expect("a response");

        let seen = seen.lock().expect("no panic").expect("a request");
        assert_eq!(seen, expected.map(seconds), "{own:?} with {deadline:?}");
    }
}

#[tokio::test]
async fn a_deadline_that_passes_after_all_hands_on_the_last_response() {
    let late = |builder: Builder| {
        let builder = builder.clock(Arc::new(LateClock(clock())));
        builder.deadline(Duration::from_secs(10))
    };
    let bench = Bench::with(Script::always(retry_after(503, "9")), late).await;

    let error = http_error(bench.client.flaky().await);

    assert_eq!(error.status.as_u16(), 503);
    assert_eq!(error.stopped, Some(StopReason::Deadline));
    assert_eq!(error.retry_after, Some(Duration::from_secs(9)));
    assert_eq!(error.attempts, 1, "{error}");
}

/// The deadline of a call, shorter than its timeouts.
const DEADLINE: Duration = Duration::from_secs(5);

/// Makes a call that only its deadline ends, in its first attempt.
async fn ended_by_its_deadline(client: &ReliableApiClient) {
    let error = transport_error(silently(DEADLINE, client.flaky()).await);

    assert_eq!(error.kind, FailureKind::ReadTimeout);
    assert_eq!(error.stopped, Some(StopReason::Deadline));
    assert_eq!(error.attempts, 1);
}

#[tokio::test]
async fn a_response_that_never_ends_is_cut_off() {
    let head =
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 1000000\r\n\r\n";
    for (bytes, then) in [
        ("", Then::Stall),
        ("HTTP/1.1 200 OK\r\nx-drip: ", Then::Drip("x")),
        (head, Then::Drip("x")),
    ] {
        let wire = Wire::serve(&[(bytes, then)]).await;
        let client = wire.client(|builder| builder.deadline(DEADLINE));

        ended_by_its_deadline(&client).await;

        assert_eq!(wire.requests().len(), 1, "{bytes:?}");
    }
}

/// Without a deadline: each byte starts the read timeout anew, so only the total time of the
/// attempt ends it, four times the read timeout unless another is set. The timers of the
/// sockets are Tokio's, and its time stands still while there is something to do.
#[tokio::test(start_paused = true)]
async fn a_body_that_drips_ends_at_the_total_time_of_its_attempt() {
    const SECOND: Duration = Duration::from_secs(1);
    let head =
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 1000000\r\n\r\n";
    for (total, expected) in [(None, 4 * SECOND), (Some(2 * SECOND), 2 * SECOND)] {
        let wire = Wire::serve(&[(head, Then::Drip("x"))]).await;
        let client = wire.client(|builder| {
            let builder = builder.timeouts(SECOND, SECOND).max_attempts(1);
            match total {
                Some(total) => builder.attempt_timeout(total),
                None => builder,
            }
        });
        let began = tokio::time::Instant::now();

        let error = transport_error(client.flaky().await);

        assert_eq!(error.kind, FailureKind::ReadTimeout);
        assert_eq!(error.stopped, Some(StopReason::AttemptsExhausted));
        let taken = began.elapsed();
        assert!(
            (expected..expected + SECOND / 2).contains(&taken),
            "{taken:?}"
        );
    }
    assert_eq!(Timeouts::DEFAULT.attempt, Duration::from_secs(60));
}

#[tokio::test]
async fn a_call_that_never_connects_is_cut_off() {
    let client = ReliableApiClient::builder("http://service.test")
        .session(never_resolving())
        .timeouts(2 * DEADLINE, 2 * DEADLINE)
        .deadline(DEADLINE)
        .build()
        .expect("a client");

    ended_by_its_deadline(&client).await;
}

#[tokio::test]
async fn a_virtual_deadline_waits_for_what_is_on_the_wire() {
    // Long enough to come in many pieces.
    let body = format!(r#"{{"attempt":3,"x":"{}"}}"#, "x".repeat(4_000_000));
    let response = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let wire = Wire::serve(&[(&response, Then::Close)]).await;
    let clock = clock();
    let client = wire.client(|builder| {
        builder
            .clock(Arc::new(clock.clone()))
            .concurrency_limit(ConcurrencyLimit::new(1))
            .deadline(Duration::from_secs(10))
    });

    let calls = join_all((0..5).map(|_| client.flaky())).await;

    for call in calls {
        assert_eq!(call.expect("its turn came in time").attempt, 3);
    }
    assert_eq!(clock.monotonic(), Duration::ZERO);
}
