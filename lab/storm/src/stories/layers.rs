//! Retries in several layers multiply.

use client::RetryBudget;

use super::Story;
use crate::{Incident, Settings, Setup, StormPolicy, policy::Retrying};

/// Client, gateway and API make three attempts each.
const EACH: Setup = Setup {
    layers: 3,
    ..Setup::DEFAULT
};

pub(super) const STORY: Story = Story {
    name: "layers",
    title: "clients reach a service through a gateway and an API; it hangs for a while",
    brief: "a gateway and an API retry too",
    question: "The service hangs until ▲. Who may retry, so that it recovers?",
    rows: "who makes three attempts: the client, the gateway and the API behind it",
    lesson: "Attempts multiply: if client, gateway and API make three each, one call sends up to \
             27 requests to the service behind the API, since each of them goes on after its own \
             caller has timed out. Let one of them retry and the others report the failure, or \
             give each of them a budget, which stops most retries.",
    left_out: "Deadlines that travel with a call, more than one gateway, and work in the layers.",
    scenario: "retry-budget",
    rule: "finite-attempts",
    source: "https://sre.google/sre-book/addressing-cascading-failures/",
    shows_retry_peak: false,
    recovers: Some(&["client only", "each, budget"]),
    settings: Settings {
        calls_per_second: 40.0,
        workers: 40,
        queue: 1_200,
        incident: Incident::Pause,
        ..Settings::DEFAULT
    },
    policies: &[
        StormPolicy::explained("each of them", "client, gateway, API", EACH),
        StormPolicy::explained(
            "client only",
            "3 attempts in all",
            Setup {
                retries_in: Retrying::Client,
                ..EACH
            },
        ),
        StormPolicy::explained(
            "each, budget",
            "10 tokens for each",
            Setup {
                budget: RetryBudget::DEFAULT_CAPACITY,
                ..EACH
            },
        ),
    ],
};
