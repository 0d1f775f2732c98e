//! The histograms hold what was measured: the status of a response whose body broke off,
//! and the time that a wait really took.

use std::{
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, SystemTime},
};

use client::{Clock, Hold, Sleep, VirtualClock, telemetry};
use serde_json::json;

use crate::bench::{Tally, json, retry_after, silently, status};
use crate::support::{
    drive::poll,
    offline,
    scripted::scripted,
    wire::{Then, Wire},
};

/// The timeouts of the client.
const PATIENCE: Duration = Duration::from_secs(5);

#[tokio::test]
async fn the_duration_of_a_response_whose_body_broke_off_has_its_status() {
    for (head, label) in [
        ("200 OK", Some("200")),
        ("201 Created", Some("201")),
        ("206 Partial Content", Some("206")),
        ("299 Unforeseen", Some("other")),
        ("", None),
    ] {
        for (then, failure) in [
            (Then::Close, "connection_lost"),
            (Then::Stall, "read_timeout"),
        ] {
            let head = match label {
                Some(_) => format!("HTTP/1.1 {head}\r\ncontent-length: 9\r\n\r\n{{"),
                None => String::new(),
            };
            let wire = Wire::serve(&[(&head, then)]).await;
            let tally = Tally::new();
            let client = wire.client(|builder| {
                builder
                    .max_attempts(1)
                    .timeouts(PATIENCE, PATIENCE)
                    .recorder(tally.recorder())
            });

            silently(PATIENCE, client.flaky())
                .await
                .expect_err("no body");

            let counted = tally.read();
            let mut durations = counted.iter().filter(|series| {
                series.name == telemetry::REQUEST_DURATION.name && series.value > 0.0
            });
            let labels = &durations.next().expect("one").labels;
            let labels = ["http_response_status_code", "error_type"]
                .map(|name| labels.get(name).map(String::as_str));
            assert_eq!(labels, [label, Some(failure)], "{head}");
            assert!(durations.next().is_none(), "{head}");
        }
    }
}

/// A clock whose waits take a second more than they should, or do not end.
struct Late {
    clock: VirtualClock,
    ends: bool,
}

impl Clock for Late {
    fn monotonic(&self) -> Duration {
        self.clock.monotonic()
    }

    fn wall(&self) -> SystemTime {
        self.clock.wall()
    }

    fn sleep(&self, duration: Duration) -> Sleep<'_> {
        if self.ends {
            self.clock.sleep(duration + Duration::from_secs(1))
        } else {
            Box::pin(std::future::pending())
        }
    }

    fn hold(&self) -> Hold {
        self.clock.hold()
    }
}

/// The waits that were recorded, in seconds.
fn waits(tally: &Tally) -> Vec<f64> {
    let counted = tally.read().into_iter();
    let waits = counted.filter(|series| series.name == telemetry::RETRY_WAIT.name);
    waits.flat_map(|series| series.observations).collect()
}

#[tokio::test]
async fn a_wait_is_recorded_with_the_time_that_it_took() {
    for (first, decided) in [(retry_after(503, "7"), 7.0), (status(503), 0.1)] {
        let tally = Tally::new();
        let clock = VirtualClock::starting_at(SystemTime::UNIX_EPOCH);
        let sent = AtomicU32::new(0);
        let transport = scripted(move |_| {
            let is_first = sent.fetch_add(1, Ordering::Relaxed) == 0;
            let reply = if is_first {
                first.clone()
            } else {
                json(200, &json!({ "attempt": 3 }))
            };
            async move { Ok(reply) }
        });
        let (client, _) = offline(transport, |builder| {
            builder
                .recorder(tally.recorder())
                .clock(Arc::new(Late { clock, ends: true }))
        });

        client.flaky().await.expect("the second reply");

        let waits = waits(&tally);
        assert_eq!(waits.len(), 1, "{waits:?}");
        assert!((waits[0] - decided - 1.0).abs() < 1e-6, "{waits:?}");
    }
}

#[test]
fn a_wait_that_was_dropped_is_recorded_with_the_time_until_then() {
    let tally = Tally::new();
    let clock = VirtualClock::starting_at(SystemTime::UNIX_EPOCH);
    let transport = scripted(|_| async { Ok(retry_after(503, "20")) });
    let (client, _) = offline(transport, |builder| {
        let clock = clock.clone();
        builder
            .recorder(tally.recorder())
            .clock(Arc::new(Late { clock, ends: false }))
    });

    {
        let mut call = pin!(client.flaky());
        for _ in 0..20 {
            assert!(poll(call.as_mut()).is_pending());
        }
        clock.advance(Duration::from_secs(3));
    }

    assert_eq!(waits(&tally), [3.0]);
}
