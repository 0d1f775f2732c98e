//! Hundreds of calls at once show the effect of jitter.

use std::time::Duration;

use super::Story;
use crate::{Settings, Setup, StormPolicy, policy::Backoff};

const FIVE: Setup = Setup {
    attempts: 5,
    base: Duration::from_secs(1),
    ..Setup::DEFAULT
};

pub(super) const STORY: Story = Story {
    name: "herd",
    title: "hundreds of calls arrive at once",
    brief: "hundreds of calls at once",
    question: "Hundreds of calls start at once just before ▲, and most get a 503. Who succeeds?",
    rows: "waits before the four retries: none; 1, 2, 4, 5 s; random up to these",
    lesson: "Retries without a wait are used up while the queue is still full, and calls that all \
             wait for the same time return together, so that most get a 503 again. Jitter, a \
             random wait, separates them, and nearly all succeed.",
    left_out: "Clients that start apart and become synchronized, as timers do.",
    scenario: "flaky",
    rule: "backoff-jitter",
    source: "https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/",
    shows_retry_peak: true,
    recovers: None,
    settings: Settings {
        calls_per_second: 20.0,
        queue: 20,
        incident_starts: Duration::from_secs(5),
        incident_lasts: Duration::from_millis(300),
        spike: 100.0,
        length: Duration::from_secs(30),
        ..Settings::DEFAULT
    },
    policies: &[
        StormPolicy::explained(
            "no wait",
            "4 retries at once",
            Setup {
                backoff: Backoff::None,
                ..FIVE
            },
        ),
        StormPolicy::explained(
            "no jitter",
            "waits of 1, 2, 4 and 5 s",
            Setup {
                backoff: Backoff::Exponential,
                ..FIVE
            },
        ),
        StormPolicy::explained("jitter", "at random, up to these", FIVE),
    ],
};
