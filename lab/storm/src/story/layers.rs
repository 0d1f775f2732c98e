//! Retries in several layers multiply.

use client::RetryBudget;

use super::Story;
use crate::{Incident, Lead, Retrying, Settings, Setup, StormPolicy, StoryWords};
/// Client, gateway and API make three attempts each.
const EACH: Setup = Setup {
    layers: 3,
    ..Setup::DEFAULT
};

const CLIENT: Setup = Setup {
    retrying: Retrying::Client,
    ..EACH
};

pub(super) const STORY: Story = Story {
    words: StoryWords {
        name: "layers",
        title: "clients reach a service through a gateway and an API; it hangs for a while",
        question: "Client, gateway and API make three attempts each. Does the service recover?",
        varies: "which layers retry",
        leads_with: Lead::Recovery,
        shows_break_even: false,
        answer: Some(
            "Attempts multiply: 3 times 3 times 3 are up to 27 requests to the service for one \
                 call. Gateway and API go on with their attempts after the layer above has \
                 timed out. If only the client retries, a call takes at most three requests. \
                 With a budget in each layer, most calls take one.",
        ),
        lesson: "Retry in one layer, and let the others report the failure to their caller. Where \
                 several must retry, give each a budget.",
        left_out: "Deadlines that travel with a call, more than one gateway, and work in the layers.",
        scenario: "retry-budget",
        rule: "finite-attempts",
        source: "https://sre.google/sre-book/addressing-cascading-failures/",
    },
    settings: Settings {
        calls_per_second: 10.0,
        incident: Incident::Pause,
        ..Settings::DEFAULT
    },
    policies: &[
        StormPolicy::new("each layer", EACH),
        StormPolicy::new("client only", CLIENT),
        StormPolicy::new(
            "client, budget",
            CLIENT.budget(RetryBudget::DEFAULT_CAPACITY),
        ),
        StormPolicy::new("each, budget", EACH.budget(RetryBudget::DEFAULT_CAPACITY)),
    ],
    shows: |storm| {
        let back = |name| storm.is_back(name);
        let rate = |count| {
            let run = storm.simulated("each layer")?;
            run.at_end_per_second(&storm.settings, count)
        };
        let each = rate(|step| step.requests)? / rate(|step| step.calls)?;
        Some(
            !back("each layer")?
                && (each - 27.0).abs() < 6.0
                && back("client only")?
                && back("client, budget")?
                && back("each, budget")?,
        )
    },
};
