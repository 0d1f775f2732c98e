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
        varies: "deadline of a call, with ten attempts",
        leads_with: Lead::Recovery,
        shows_break_even: false,
        answer: Some(
            "While no response arrives in time, a call sends up to ten requests. A deadline of \
                 2 s leaves time for two: 60 requests/s, which the service can handle. One of 6 \
                 s leaves time for about six: 180 requests/s, which it cannot.",
        ),
        lesson: "Limit a call by time as well as by attempts, so that all attempts together \
                 stay below the capacity. A request whose response comes too late is only load.",
        left_out: "A deadline that travels with the request, so that the service can skip requests \
                   whose deadline has passed.",
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
        StormPolicy::new("no deadline", TEN),
        StormPolicy::new("within 6 s", TEN.deadline(Duration::from_secs(6))),
        StormPolicy::new("within 2 s", TEN.deadline(Duration::from_secs(2))),
    ],
    shows: |storm| {
        let back = |name| storm.is_back(name);
        Some(!back("no deadline")? && !back("within 6 s")? && back("within 2 s")?)
    },
};
