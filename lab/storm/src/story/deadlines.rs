//! A deadline bounds attempts by time.

use std::time::Duration;

use super::Story;
use crate::{Incident, Lead, Settings, Setup, StormPolicy, StoryWords};

const TEN: Setup = Setup {
    attempts: 10,
    ..Setup::DEFAULT
};

pub(super) const STORY: Story = Story {
    words: StoryWords {
        name: "deadlines",
        title: "the service hangs for a while, and calls may make ten attempts",
        question: "The service hangs for a while. How does a deadline for each call help?",
        varies: "attempts per call, deadline",
        leads_with: Lead::Recovery,
        shows_break_even: false,
        answer: Some(
            "Ten attempts for each call mean ten times the load for as long as no response arrives \
                 in time. A deadline of 2 s leaves room for only a few attempts. One of 6 s \
                 is too long: it ends calls, but the retries still fill the service.",
        ),
        lesson: "A limit of attempts bounds how often, a deadline bounds how long. A call that no \
                 caller waits for is only load.",
        left_out: "A deadline that travels with the request, so that the service can skip requests \
                   that no caller waits for.",
        scenario: "deadline",
        rule: "finite-attempts",
        source: "https://sre.google/sre-book/addressing-cascading-failures/",
    },
    settings: Settings {
        calls_per_second: 30.0,
        incident: Incident::Pause,
        ..Settings::DEFAULT
    },
    policies: &[
        StormPolicy::new("10, no deadline", TEN),
        StormPolicy::new("10, within 6 s", TEN.deadline(Duration::from_secs(6))),
        StormPolicy::new("10, within 2 s", TEN.deadline(Duration::from_secs(2))),
    ],
    shows: |storm| {
        let back = |name| storm.is_back(name);
        Some(!back("10, no deadline")? && !back("10, within 6 s")? && back("10, within 2 s")?)
    },
};
