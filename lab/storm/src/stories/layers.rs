//! Retries in several layers multiply.

use client::RetryBudget;

use super::Story;
use crate::{Incident, Settings, Setup, StormPolicy, policy::Retrying};

/// Client, gateway and API make three attempts each.
const EACH: Setup = Setup {
    layers: 3,
    ..Setup::DEFAULT
};

const CLIENT: Setup = Setup {
    retries_in: Retrying::Client,
    ..EACH
};

const fn with_budget(setup: Setup) -> Setup {
    Setup {
        budget: RetryBudget::DEFAULT_CAPACITY,
        ..setup
    }
}

pub(super) const STORY: Story = Story {
    name: "layers",
    title: "clients reach a service through a gateway and an API; it hangs for a while",
    question: "The service hangs until ▲. Client, gateway, API: who may retry, so that it recovers?",
    rows: "the layers that make three attempts each",
    lesson: "Attempts multiply: if three layers make three each, one call sends up to 27 requests. \
             Retry in one layer and let the others report the failure, or give each a budget.",
    left_out: "Deadlines that travel with a call, more than one gateway, and work in the layers.",
    scenario: "retry-budget",
    rule: "finite-attempts",
    source: "https://sre.google/sre-book/addressing-cascading-failures/",
    shows_retry_peak: false,
    recovers: Some(&["client only", "client, budget", "each, budget"]),
    settings: Settings {
        calls_per_second: 40.0,
        workers: 40,
        queue: 1_200,
        incident: Incident::Pause,
        ..Settings::DEFAULT
    },
    policies: &[
        StormPolicy::new("each layer", EACH),
        StormPolicy::new("client only", CLIENT),
        StormPolicy::new("client, budget", with_budget(CLIENT)),
        StormPolicy::new("each, budget", with_budget(EACH)),
    ],
};
