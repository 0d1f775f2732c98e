//! Clients that get the same Retry-After return at the same time.

use std::time::Duration;

use super::Story;
use crate::{Incident, RetryAfter, Settings, Setup, StormPolicy, policy::RetryAfterIs};

const fn spread(seconds: u64) -> Setup {
    Setup {
        spread: Duration::from_secs(seconds),
        ..Setup::DEFAULT
    }
}

pub(super) const STORY: Story = Story {
    name: "synchronized-retry-after",
    title: "the service says in which second it will be back",
    brief: "all are told the same second",
    question: "Before ▲ each 503 says: retry at ▲. With which clients does the service recover?",
    rows: "what clients do with that date; three attempts",
    lesson: "All 300 calls that were told to retry at ▲ do so at once and fill the queue, and the \
             retries of all later calls keep it full; clients that ignore the date avoid this, \
             but lose nearly every call until ▲. Obey it with a random delay that is at least as \
             long as the service needs for these calls: 300 at a spare capacity of 40/s are 7.5 s.",
    left_out: "A service that names a different second to each client, which is the better \
               solution.",
    scenario: "retry-after-date",
    rule: "retry-after-date",
    source: "https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3",
    shows_retry_peak: false,
    recovers: Some(&["ignore it", "add 0 to 10 s"]),
    settings: Settings {
        incident: Incident::Refusal,
        retry_after: RetryAfter::Date,
        ..Settings::DEFAULT
    },
    policies: &[
        StormPolicy::explained(
            "ignore it",
            "own waits, of up to 0.4 s",
            Setup {
                retry_after: RetryAfterIs::Ignored,
                ..Setup::DEFAULT
            },
        ),
        StormPolicy::explained("obey it", "retry at ▲", Setup::DEFAULT),
        StormPolicy::explained("add 0 to 1 s", "to that, at random", spread(1)),
        StormPolicy::explained("add 0 to 10 s", "to that, at random", spread(10)),
    ],
};
