//! Clients that get the same Retry-After come back together.

use std::time::Duration;

use evidence::storm::{ClientKind, Incident, Policy, RetryAfter, Settings, Setup, StoryWords};

use super::Story;

pub(super) const STORY: Story = Story {
    words: StoryWords {
        name: "synchronized-retry-after",
        title: "the service says in which second it will be back",
        question: "Each 503 names the same second. Which policies let the service recover?",
        varies: "waits",
        answer: Some(
            "Clients that got the date come back in that second, more than the queue can serve \
                 before they leave again, and their retries keep it full. One second of random \
                 spread is too little; with fifteen, the same calls succeed.",
        ),
        lesson: "A Retry-After gives the earliest time for a retry, not the best one. A later \
                 retry is allowed: add a random spread.",
        left_out: "A service that names a different second to each client, which is the better \
                 solution.",
        scenario: "retry-after-date",
        rule: "retry-after-date",
    },
    settings: Settings {
        incident: Incident::Refusal,
        retry_after: RetryAfter::Date,
        ..Settings::DEFAULT
    },
    policies: &[
        Policy::new(
            "naive",
            Setup {
                client: ClientKind::Naive,
                ..Setup::DEFAULT
            },
        ),
        Policy::new("told", Setup::DEFAULT),
        Policy::new(
            "told + 1 s",
            Setup {
                spread: Duration::from_secs(1),
                ..Setup::DEFAULT
            },
        ),
        Policy::new(
            "told + 15 s",
            Setup {
                spread: Duration::from_secs(15),
                ..Setup::DEFAULT
            },
        ),
    ],
    shows: |storm| {
        let back = |name| storm.is_back(name);
        let (apart, naive) = (storm.lost("told + 15 s")?, storm.lost("naive")?);
        Some(!back("told")? && !back("told + 1 s")? && back("told + 15 s")? && apart * 5 < naive)
    },
};
