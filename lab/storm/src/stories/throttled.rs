//! A client slows all of its calls down together when the service sends 429.

use super::Story;
use crate::{RetryAfter, Settings, Setup, StormPolicy, policy::RetryAfterIs};

const ALONE: Setup = Setup {
    retry_after: RetryAfterIs::Ignored,
    ..Setup::DEFAULT
};

pub(super) const STORY: Story = Story {
    name: "throttled",
    title: "a spike meets a service that sends 429 beyond 60 requests per second",
    brief: "429 beyond 60 a second",
    question: "Before ▲ more calls come than the service allows. Which policy loses the fewest?",
    rows: "backoff of 0.2 and 0.4 s, Retry-After of 1 s, one limit for all calls",
    lesson: "A 429 means that all calls together send too much, and a call that backs off alone \
             uses up its three attempts. A limit of requests in flight, which 429s halve and \
             successes raise, lets calls wait in the client, and Retry-After says for how long: \
             both together lose the fewest, although most calls right after ▲ fail, since those \
             that waited use up the 60/s.",
    left_out: "Other clients of the same service, and quotas for longer periods.",
    scenario: "too-many-requests",
    rule: "retry-after-seconds",
    source: "https://www.rfc-editor.org/rfc/rfc6585#section-4",
    shows_retry_peak: false,
    recovers: None,
    settings: Settings {
        clients: 1,
        calls_per_second: 20.0,
        workers: 20,
        rate_limit: 60,
        spike: 6.0,
        retry_after: RetryAfter::Seconds,
        ..Settings::DEFAULT
    },
    policies: &[
        StormPolicy::explained("backoff only", "each call for itself", ALONE),
        StormPolicy::explained("Retry-After", "waits as told", Setup::DEFAULT),
        StormPolicy::explained(
            "shared limit",
            "fewer at once after a 429",
            Setup {
                concurrency: 16,
                ..ALONE
            },
        ),
        StormPolicy::explained(
            "both",
            "limit and Retry-After",
            Setup {
                concurrency: 16,
                ..Setup::DEFAULT
            },
        ),
    ],
};
