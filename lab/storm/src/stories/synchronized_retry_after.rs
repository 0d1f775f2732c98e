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
    question: "Until ▲ each 503 asks for a retry in the second of ▲. Which clients let it recover?",
    rows: "what clients do with that date; three attempts",
    lesson: "All calls that were told the same second come back in it, too many to be answered in \
             time, and their further retries keep the queue full. Add a random delay that is as \
             long as the held calls (300) divided by the spare capacity (40/s), or longer.",
    left_out: "A service that names a different second to each client, which is the better \
               solution.",
    scenario: "retry-after-date",
    rule: "retry-after-date",
    source: "https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3",
    shows_retry_peak: false,
    recovers: Some(&["ignore it", "add 0 to 15 s"]),
    settings: Settings {
        incident: Incident::Refusal,
        retry_after: RetryAfter::Date,
        ..Settings::DEFAULT
    },
    policies: &[
        StormPolicy::new(
            "ignore it",
            Setup {
                retry_after: RetryAfterIs::Ignored,
                ..Setup::DEFAULT
            },
        ),
        StormPolicy::new("obey it", Setup::DEFAULT),
        StormPolicy::new("add 0 to 1 s", spread(1)),
        StormPolicy::new("add 0 to 15 s", spread(15)),
    ],
};
