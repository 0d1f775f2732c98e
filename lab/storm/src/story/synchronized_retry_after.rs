//! Clients that get the same Retry-After return at the same time.

use std::time::Duration;

use super::Story;
use crate::{ClientKind, Incident, Lead, RetryAfter, Settings, Setup, StormPolicy, StoryWords};

pub(super) const STORY: Story = Story {
    words: StoryWords {
        name: "synchronized-retry-after",
        title: "the service says in which second it will be back",
        question: "Each 503 asks for a retry in the same second. Does the service recover?",
        varies: "what clients do with the date",
        leads_with: Lead::Recovery,
        shows_break_even: false,
        answer: Some(
            "All clients that got the date retry in that second, too many to get a response in \
                 time, and further retries keep the queue full. The 300 calls of the outage \
                 need 7.5 s of the 40 requests/s that new calls leave: a random delay of up to \
                 1 s on top is too short, one of up to 15 s is enough. Clients that ignore the \
                 date use up their attempts before it, and lose only those calls.",
        ),
        lesson: "A Retry-After gives the earliest time for a retry, not the best one. Add a \
                 random delay, as long as the held calls divided by the spare capacity, or longer.",
        left_out: "A service that names a different second to each client, which is the better \
                 solution.",
        scenario: "retry-after-date",
        rule: "retry-after-date",
        source: "https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3",
    },
    settings: Settings {
        incident: Incident::Refusal,
        retry_after: RetryAfter::Date,
        ..Settings::DEFAULT
    },
    policies: &[
        StormPolicy::new(
            "ignore it",
            Setup {
                client: ClientKind::Naive,
                ..Setup::DEFAULT
            },
        ),
        StormPolicy::new("obey it", Setup::DEFAULT),
        StormPolicy::new(
            "add 0 to 1 s",
            Setup::DEFAULT.spread(Duration::from_secs(1)),
        ),
        StormPolicy::new(
            "add 0 to 15 s",
            Setup::DEFAULT.spread(Duration::from_secs(15)),
        ),
    ],
    shows: |storm| {
        let back = |name| storm.is_back(name);
        let apart = storm.most_lost("add 0 to 15 s")?;
        Some(
            back("ignore it")?
                && !back("obey it")?
                && !back("add 0 to 1 s")?
                && back("add 0 to 15 s")?
                && apart * 5 < storm.lost("ignore it")?,
        )
    },
};
