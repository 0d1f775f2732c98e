//! Hundreds of calls at once show the effect of jitter.

use std::time::Duration;

use super::Story;
use crate::{Backoff, Lead, Settings, Setup, StormPolicy, StoryWords, readout::is_clearly_less};

const FIVE: Setup = Setup {
    attempts: 5,
    base: Duration::from_secs(1),
    ..Setup::DEFAULT
};

pub(super) const STORY: Story = Story {
    words: StoryWords {
        name: "herd",
        title: "hundreds of calls arrive at once",
        question: "All clients call together, and most get a 503. Which retries succeed?",
        varies: "attempts per call, waits",
        leads_with: Lead::RetryPeak,
        shows_break_even: false,
        answer: Some(
            "Without jitter the whole herd comes back together, and the service has no more room \
                 than before. Full jitter spreads the retries over the wait: nearly all \
                 succeed, and displace a few new calls for a second.",
        ),
        lesson: "Clients that fail together wait together. Jitter separates them.",
        left_out: "Clients that start apart and become synchronized, as timers do.",
        scenario: "flaky",
        rule: "backoff-jitter",
        source: "https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/",
    },
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
        StormPolicy::new(
            "5, no wait",
            Setup {
                backoff: Backoff::None,
                ..FIVE
            },
        ),
        StormPolicy::new(
            "5, no jitter",
            Setup {
                backoff: Backoff::Exponential,
                ..FIVE
            },
        ),
        StormPolicy::new("5, jitter", FIVE),
    ],
    shows: |storm| {
        let lost = |name| storm.lost(name);
        let (jitter, together) = (lost("5, jitter")?, lost("5, no jitter")?);
        let calls = storm.simulated("5, jitter")?.totals.calls;
        Some(
            jitter * 10 <= calls
                && is_clearly_less(jitter, together)
                && together <= lost("5, no wait")?,
        )
    },
};
