//! A deadline bounds attempts by time.

use std::time::Duration;

use super::Story;
use crate::{Incident, Settings, Setup, StormPolicy};

const fn within(seconds: u64) -> Setup {
    Setup {
        attempts: 4,
        deadline: Duration::from_secs(seconds),
        ..Setup::DEFAULT
    }
}

pub(super) const STORY: Story = Story {
    name: "deadlines",
    title: "the service hangs for a while, and calls may make four attempts",
    brief: "a service that hangs",
    question: "The service hangs until ▲. Which deadline of a call lets it recover?",
    rows: "the time that a call may take, with up to four attempts",
    lesson: "Without a response a call sends four requests: over 180/s, and the service handles \
             160, so that almost no call gets its response in time. Within 3 s it sends three \
             (135/s) and within 2 s two (90/s): choose a deadline with which all requests \
             together stay below the capacity.",
    left_out: "A deadline that travels with the request, so that the service can skip requests \
               whose deadline has passed.",
    scenario: "deadline",
    rule: "finite-attempts",
    source: "https://sre.google/sre-book/addressing-cascading-failures/",
    shows_retry_peak: false,
    recovers: Some(&["within 3 s", "within 2 s"]),
    settings: Settings {
        calls_per_second: 45.0,
        workers: 16,
        queue: 480,
        incident: Incident::Pause,
        ..Settings::DEFAULT
    },
    policies: &[
        StormPolicy::explained("no deadline", "up to 4 attempts", within(0)),
        StormPolicy::explained("within 3 s", "then the call fails", within(3)),
        StormPolicy::explained("within 2 s", "then the call fails", within(2)),
    ],
};
