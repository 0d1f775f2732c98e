//! How long the client waits: the server's Retry-After, or its own backoff.

use std::{sync::Arc, time::Duration};

use client::{RETRY_STATUSES, Random, SeededRandom, StopReason};
use serde_json::json as value;
use tests::{Bench, Draw, Loopback, Reply, Script, http_error, json, retry_after, status};

const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn success() -> Reply {
    json(200, &value!({ "attempt": 3 }))
}

#[tokio::test]
async fn a_valid_retry_after_is_waited_for_in_full() {
    for (value, wait) in [
        ("0", seconds(0)),
        ("7", seconds(7)),
        (" 7\t", seconds(7)),
        ("30", seconds(30)),
        ("Sun, 06 Nov 1994 08:49:57 GMT", seconds(20)),
        ("Sunday, 06-Nov-94 08:49:57 GMT", seconds(20)),
        ("Sun Nov  6 08:49:57 1994", seconds(20)),
        ("Sun, 06 Nov 1994 08:50:07 GMT", seconds(30)),
        ("Sun, 06 Nov 1994 08:49:37 GMT", seconds(0)),
        ("Sat, 05 Nov 1994 08:49:37 GMT", seconds(0)),
    ] {
        let bench = Bench::new(Script::of([retry_after(503, value), success()])).await;

        let flaky = bench.client.flaky().await;

        assert!(flaky.is_ok(), "{value}: {flaky:?}");
        assert_eq!(bench.clock.sleeps(), [wait], "{value}");
        assert_eq!(bench.lines().await, ["GET /flaky"; 2], "{value}");
    }
    for code in RETRY_STATUSES {
        let refusal = retry_after(code.as_u16(), "7");
        let bench = Bench::new(Script::of([refusal, success()])).await;

        let flaky = bench.client.flaky().await;

        assert!(flaky.is_ok(), "{code}: {flaky:?}");
        assert_eq!(bench.clock.sleeps(), [seconds(7)], "{code}");
    }
}

#[tokio::test]
async fn an_unusable_retry_after_falls_back_to_a_backoff_with_jitter() {
    let run = async |reply: Reply, random: Arc<dyn Random>| {
        let bench = Bench::with(Script::always(reply), |builder| {
            builder.random(random).max_attempts(8)
        });
        let bench = bench.await;
        let error = http_error(bench.client.flaky().await);
        assert_eq!((error.attempts, error.retry_after), (8, None), "{error}");
        bench.clock.sleeps()
    };
    // It starts at 200 ms, doubles and stays at 5 s.
    let ceilings = [200, 400, 800, 1600, 3200, 5000, 5000].map(Duration::from_millis);

    for value in [
        "-1",
        "-120",
        "+7",
        "7.5",
        "7,5",
        "7 s",
        "0x7",
        "soon",
        "",
        "1 2",
        "१२०",
        "１２０",
        "٧",
        "Mon, 06 Nov 1994 08:49:57 GMT",
        "Sun, 06 Nov 1994 08:49:57 CET",
        "Sun, 06 Nov 1994 08:49:60 GMT",
        "1994-11-06T08:49:57Z",
    ] {
        let waits = run(retry_after(503, value), Arc::new(Draw(0.5))).await;

        assert_eq!(waits, ceilings.map(|ceiling| ceiling / 2), "{value:?}");
    }
    let lowest = run(status(503), Arc::new(Draw(0.0))).await;
    assert_eq!(lowest, [Duration::ZERO; 7]);
    let seeded = async |seed| run(status(503), Arc::new(SeededRandom::new(seed))).await;
    let drawn = seeded(7).await;
    assert_eq!(drawn, seeded(7).await);
    assert_ne!(drawn, seeded(8).await);
    for (wait, ceiling) in drawn.into_iter().zip(ceilings) {
        assert!(wait < ceiling, "{wait:?} is not below {ceiling:?}");
    }
}

#[tokio::test]
async fn a_retry_after_above_the_budget_stops_at_once() {
    let overlong = "9".repeat(4000);
    for (value, asked) in [
        ("31", seconds(31)),
        ("120", seconds(120)),
        ("Sun, 06 Nov 1994 08:50:08 GMT", seconds(31)),
        (
            "Fri, 31 Dec 9999 23:59:59 GMT",
            seconds(253_402_300_799) - tests::NOW,
        ),
        ("18446744073709551615", seconds(u64::MAX)),
        ("18446744073709551616", Duration::MAX),
        (&overlong, Duration::MAX),
    ] {
        let bench = Bench::new(Script::always(retry_after(503, value))).await;

        let error = http_error(bench.client.flaky().await);

        assert_eq!(error.retry_after, Some(asked), "{value}: {error}");
        assert_eq!(error.stopped, Some(StopReason::RetryAfterOverBudget));
        assert_eq!((error.status.as_u16(), error.attempts), (503, 1), "{error}");
        assert_eq!(bench.lines().await, ["GET /flaky"], "{value}");
        assert!(bench.clock.sleeps().is_empty(), "{value}: {bench:?}");
    }

    let loopback = Loopback::start();
    let error = http_error(loopback.client.retry_later().await);
    assert_eq!(error.retry_after, Some(seconds(120)), "{error}");
    assert!(loopback.clock.sleeps().is_empty());
    let ledger = loopback.stop().await;
    assert_eq!(ledger.total, 1, "{ledger:#?}");
}
