//! A client slows all of its calls down together when the service sends 429.

use super::Story;
use crate::{Lead, RetryAfter, Settings, Setup, StormPolicy, StoryWords, readout::is_fewer};

const ALONE: Setup = Setup {
    rate_limit: 60,
    ..Setup::DEFAULT
};

const LIMIT: Setup = Setup {
    concurrency: 16,
    ..ALONE
};

pub(super) const STORY: Story = Story {
    words: StoryWords {
        name: "throttled",
        title: "a spike meets a service that sends 429 beyond 60 requests per second",
        question: "The service sends 429 beyond 60 requests/s. Which calls of a spike succeed?",
        varies: "what slows the client down",
        leads_with: Lead::LostCalls,
        shows_break_even: false,
        answer: Some(
            "With backoff only, a call uses up its attempts within a second. A Retry-After \
                 brings it back when the service has room again. A limit of requests in flight \
                 makes all calls wait in the client and keep their attempts: each 429 halves it, \
                 at times to 1, and each success raises it a little. Its rows show means.",
        ),
        lesson: "A 429 means that all calls together send too much. Slow them down together, and \
                 wait as long as the service says.",
        left_out: "Other clients of the same service, and quotas for longer periods.",
        scenario: "too-many-requests",
        rule: "fewer-after-429",
        source: "https://www.rfc-editor.org/rfc/rfc6585#section-4",
    },
    settings: Settings {
        clients: 1,
        calls_per_second: 20.0,
        workers: 20,
        spike: 6.0,
        ..Settings::DEFAULT
    },
    policies: &[
        StormPolicy::new("backoff only", ALONE),
        StormPolicy::new(
            "Retry-After",
            Setup {
                retry_after_429: RetryAfter::Seconds,
                ..ALONE
            },
        ),
        StormPolicy::new("shared limit", LIMIT),
        StormPolicy::new(
            "both",
            Setup {
                retry_after_429: RetryAfter::Seconds,
                ..LIMIT
            },
        ),
    ],
    shows: |storm| {
        let (lost, most_lost) = (|name| storm.lost(name), |name| storm.most_lost(name));
        let alone = lost("backoff only")?;
        let limits = &storm.simulated("shared limit")?.steps;
        let has_moved = limits.iter().any(|step| step.limit < Some(8.0));
        Some(
            most_lost("Retry-After")? < alone
                && most_lost("shared limit")? < alone
                && most_lost("both")? < lost("Retry-After")?
                && is_fewer(most_lost("both")?, alone)
                && has_moved,
        )
    },
};
