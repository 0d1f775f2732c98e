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
        question: "All clients call together, and most get a 503. Which calls still succeed?",
        varies: "attempts per call, waits before retries",
        leads_with: Lead::RetryPeak,
        shows_break_even: false,
        answer: Some(
            "Without jitter, each wait is the longest one: the herd returns together, and most \
                 of it gets a 503 again. With jitter, each wait is drawn at random between 0 \
                 and that: the retries spread, and nearly all calls succeed.",
        ),
        lesson: "Clients that fail together return together. Jitter, a random wait, separates \
                 them.",
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
        let jitter = storm.most_lost("5, jitter")?;
        let calls = storm.simulated("5, jitter")?.totals.calls;
        Some(
            jitter * 10 <= calls
                && is_clearly_less(jitter, storm.lost("5, no jitter")?)
                && storm.most_lost("5, no jitter")? <= storm.lost("5, no wait")?,
        )
    },
};
