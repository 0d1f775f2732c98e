//! One Retry-After for all: they come back as one.

use std::time::Duration;

use evidence::storm::{ClientKind, Incident, Policy, RetryAfter, Settings, Setup, StoryWords};

use super::Story;

pub(super) const STORY: Story = Story {
    words: StoryWords {
        name: "synchronized-retry-after",
        title: "the service names the second in which it will be back",
        question: "Each 503 names the same second. Who gets past that second?",
        varies: "waits",
        answer: Some(
            "All who were told it come back in it, more than the queue can work off before \
                 they leave again, and their retries keep it so. A second of random spread on top of \
                 the Retry-After is too little; fifteen let the same calls through.",
        ),
        lesson: "A Retry-After says when it is allowed to come, not when it is wise. Waiting \
                 longer is allowed: add a spread.",
        left_out: "A service that names another second to each client, which is the better mend.",
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
