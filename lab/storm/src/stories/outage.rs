//! A short outage shows which retries help.

use std::time::Duration;

use client::RetryBudget;

use super::Story;
use crate::{Incident, Settings, Setup, StormPolicy, policy::Backoff};

/// Waits that together are shorter than the outage.
const SHORT: Setup = Setup {
    attempts: 5,
    base: Duration::from_millis(50),
    cap: Duration::from_secs(10),
    ..Setup::DEFAULT
};

const AT_ONCE: Setup = Setup {
    backoff: Backoff::None,
    ..SHORT
};

/// Waits that together are as long as the outage.
const LONG: Setup = Setup {
    base: Duration::from_secs(1),
    ..SHORT
};

pub(super) const STORY: Story = Story {
    name: "outage",
    title: "for a short time the service responds with 503",
    brief: "a short time of only 503s",
    question: "For two seconds before ▲ every response is a 503. Which calls still succeed?",
    rows: "attempts, the most that a call waits in all, a budget of ten tokens",
    lesson: "A call succeeds only if its waits outlast the rest of the outage: five attempts without a wait \
             lose about as many calls as one. Once the tokens of a budget are spent, it allows \
             one retry for ten calls, which protects a service that has too much load; here it \
             ends calls that would have succeeded.",
    left_out: "Callers with less than 15 s for a call: longer waits do not help them.",
    scenario: "flaky",
    rule: "backoff-waits",
    source: "https://sre.google/sre-book/handling-overload/",
    shows_retry_peak: false,
    recovers: None,
    settings: Settings {
        calls_per_second: 20.0,
        incident: Incident::Refusal,
        incident_lasts: Duration::from_secs(2),
        length: Duration::from_secs(30),
        ..Settings::DEFAULT
    },
    policies: &[
        StormPolicy::explained(
            "1 attempt",
            "no retry",
            Setup {
                attempts: 1,
                ..AT_ONCE
            },
        ),
        StormPolicy::explained("5, no wait", "retries at once", AT_ONCE),
        StormPolicy::explained("5, 0.75 s", "of waits at most", SHORT),
        StormPolicy::explained("5, 15 s", "of waits at most", LONG),
        StormPolicy::explained(
            "5, 15 s, budget",
            "and 10 tokens",
            Setup {
                budget: RetryBudget::DEFAULT_CAPACITY,
                ..LONG
            },
        ),
    ],
};
