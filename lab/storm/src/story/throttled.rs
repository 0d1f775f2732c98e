//! A service that sends 429 slows all callers of a client down together.

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
        leads_with: Lead::RefusedRequests,
        shows_break_even: false,
        answer: Some(
            "With nothing, a call uses up its attempts within a second. A Retry-After brings it \
                 back when the service has room again. All calls share one limit of requests in \
                 flight, and each 429 halves it: they wait in the client and keep their attempts, \
                 so fewer are lost.",
        ),
        lesson: "A 429 means that all callers together send too much. Slow them down together, and \
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
        StormPolicy::new("nothing", ALONE),
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
        let lost = |name| storm.lost(name);
        let (alone, retry_after) = (lost("nothing")?, lost("Retry-After")?);
        let limits = &storm.simulated("shared limit")?.steps;
        let has_moved = limits.iter().any(|step| step.limit < Some(8.0));
        let (limited, both) = (lost("shared limit")?, lost("both")?);
        Some(
            retry_after < alone
                && limited < alone
                && both < retry_after
                && is_fewer(both, alone)
                && has_moved,
        )
    },
};
