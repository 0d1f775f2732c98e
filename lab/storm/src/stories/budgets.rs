//! Too many clients with a budget of their own act as if they had none.

use client::RetryBudget;

use super::Story;
use crate::{Settings, Setup, StormPolicy};

const BUDGET: Setup = Setup {
    budget: RetryBudget::DEFAULT_CAPACITY,
    ..Setup::DEFAULT
};

const THOUSAND: Setup = Setup {
    own_clients: 1_000,
    ..BUDGET
};

pub(super) const STORY: Story = Story {
    name: "budgets",
    title: "the spike again, with the same calls from ten clients or a thousand",
    brief: "ten clients, or a thousand",
    question: "A spike ends at ▲. A retry costs a token. Which budgets let the service recover?",
    rows: "clients, tokens that each starts with (ten of its calls earn one more)",
    lesson: "A budget limits only the calls that share it: a thousand clients with ten tokens \
             each keep the service down until they have spent all ten thousand, more than a \
             minute after the spike. Share one budget among many calls, or keep each small.",
    left_out: "Clients that start later: each new one has a full budget.",
    scenario: "retry-budget",
    rule: "finite-attempts",
    source: "https://brooker.co.za/blog/2022/02/28/retries.html",
    shows_retry_peak: false,
    recovers: Some(&["10, 10 tokens", "1000, 10 tokens", "1000, 1 token"]),
    settings: Settings::DEFAULT,
    policies: &[
        StormPolicy::explained("10, no budget", "10 clients", Setup::DEFAULT),
        StormPolicy::explained("10, 10 tokens", "100 tokens in all", BUDGET),
        StormPolicy::explained("1000, 10 tokens", "10 000 tokens in all", THOUSAND),
        StormPolicy::explained(
            "1000, 1 token",
            "1000 tokens in all",
            Setup {
                budget: 1,
                ..THOUSAND
            },
        ),
    ],
};
