//! Who bounds attempts by time.

use std::time::Duration;

use evidence::storm::{Incident, Policy, Settings, Setup, StoryWords};

use super::Story;

const TEN: Setup = Setup {
    attempts: 10,
    ..Setup::DEFAULT
};

pub(super) const STORY: Story = Story {
    words: StoryWords {
        name: "deadlines",
        title: "the service stands still for a while, and calls may try ten times",
        question: "The service stands still, and then works again. What does it help that calls have an end?",
        varies: "attempts per call",
        answer: Some(
            "Ten attempts for each call are ten times the load as long as nothing comes back \
                 in time. A deadline ends a call when its caller has left, and few attempts fit \
                 into it.",
        ),
        lesson: "Attempts say how often, a deadline says for how long. A call that nobody waits \
                 for any more is load and nothing else.",
        left_out: "A deadline that travels with the request, so that the service need not begin \
                   what nobody waits for.",
        scenario: "deadline",
        rule: "finite-attempts",
    },
    settings: Settings {
        calls_per_second: 30.0,
        incident: Incident::Pause,
        ..Settings::DEFAULT
    },
    policies: &[
        Policy::new("10, no deadline", TEN),
        Policy::new(
            "10, within 6 s",
            Setup {
                deadline: Duration::from_secs(6),
                ..TEN
            },
        ),
        Policy::new(
            "10, within 2 s",
            Setup {
                deadline: Duration::from_secs(2),
                ..TEN
            },
        ),
    ],
    shows: |storm| {
        let back = |name| storm.is_back(name);
        Some(!back("10, no deadline")? && !back("10, within 6 s")? && back("10, within 2 s")?)
    },
};
