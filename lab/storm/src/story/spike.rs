//! A spike passes, and retries keep the service down.

use client::RetryBudget;

use super::Story;
use crate::{Backoff, Lead, Settings, Setup, StormPolicy, StoryWords, readout::is_clearly_less};
const AT_ONCE: Setup = Setup {
    backoff: Backoff::None,
    ..Setup::DEFAULT
};

pub(super) const STORY: Story = Story {
    words: StoryWords {
        name: "spike",
        title: "for a while more calls arrive than the service can handle",
        question: "A spike ends, and load is normal again. Which policies let the service recover?",
        varies: "attempts per call, waits, budget",
        leads_with: Lead::Recovery,
        shows_break_even: true,
        answer: Some(
            "Jitter, a random wait, delays retries but does not reduce them. A budget does: a \
                 retry costs a token, and ten calls earn one. A single attempt does no worse \
                 here, where overload is the only fault; after a short failure it has no retry.",
        ),
        lesson: "Retries are load. Under overload, they keep a service down that would \
                 otherwise recover. Limit them for all calls of a client together.",
        left_out: "Other clients of the service, its own limits, and autoscaling.",
        scenario: "retry-budget",
        rule: "finite-attempts",
        source: "https://sigops.org/s/conferences/hotos/2021/papers/hotos21-s11-bronson.pdf",
    },
    settings: Settings::DEFAULT,
    policies: &[
        StormPolicy::new("1 attempt", AT_ONCE.attempts(1)),
        StormPolicy::new("3, no wait", AT_ONCE),
        StormPolicy::new("3, jitter", Setup::DEFAULT),
        StormPolicy::new("3, budget", AT_ONCE.budget(RetryBudget::DEFAULT_CAPACITY)),
        StormPolicy::new(
            "3, both",
            Setup::DEFAULT.budget(RetryBudget::DEFAULT_CAPACITY),
        ),
    ],
    shows: |storm| {
        let back = |name| storm.is_back(name);
        Some(
            back("1 attempt")?
                && !back("3, no wait")?
                && !back("3, jitter")?
                && back("3, budget")?
                && back("3, both")?
                && !is_clearly_less(storm.most_lost("3, both")?, storm.lost("1 attempt")?),
        )
    },
};
