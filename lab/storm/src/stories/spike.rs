//! A spike passes, and retries keep the service down.

use client::RetryBudget;

use super::Story;
use crate::{Settings, Setup, StormPolicy, policy::Backoff};

const AT_ONCE: Setup = Setup {
    backoff: Backoff::None,
    ..Setup::DEFAULT
};

pub(super) const STORY: Story = Story {
    name: "spike",
    title: "for a while more calls arrive than the service can handle",
    brief: "more calls than the service can handle",
    question: "A spike ends at ▲. Under which policies does the service recover?",
    rows: "attempts per call, no wait or jitter before a retry, budget of ten tokens",
    lesson: "Retries are load: after the spike about 170 requests/s still arrive at a service \
             that handles 100, and those that it works on have already timed out in its queue. \
             Jitter only delays retries, so limit them for all calls of a client together: in a \
             budget of ten tokens each retry costs one, and ten calls earn one.",
    left_out: "Other clients of the service, its own limits, and autoscaling.",
    scenario: "retry-budget",
    rule: "finite-attempts",
    source: "https://sigops.org/s/conferences/hotos/2021/papers/hotos21-s11-bronson.pdf",
    shows_retry_peak: false,
    recovers: Some(&["1 attempt", "3, budget"]),
    settings: Settings::DEFAULT,
    policies: &[
        StormPolicy::explained(
            "1 attempt",
            "no retry",
            Setup {
                attempts: 1,
                ..AT_ONCE
            },
        ),
        StormPolicy::explained("3, no wait", "retries at once", AT_ONCE),
        StormPolicy::explained("3, jitter", "random waits", Setup::DEFAULT),
        StormPolicy::explained(
            "3, budget",
            "jitter, 10 tokens",
            Setup {
                budget: RetryBudget::DEFAULT_CAPACITY,
                ..Setup::DEFAULT
            },
        ),
    ],
};
