//! Too many clients with a budget of their own act as if they had none.

use client::RetryBudget;

use super::Story;
use crate::{Lead, Settings, Setup, StormPolicy, StoryWords};
const BUDGET: Setup = Setup {
    budget: RetryBudget::DEFAULT_CAPACITY,
    ..Setup::DEFAULT
};

pub(super) const STORY: Story = Story {
    words: StoryWords {
        name: "budgets",
        title: "the spike again, with the same calls from ten clients or a thousand",
        question: "A retry costs a token. Ten clients with ten each recover. Do a thousand clients?",
        varies: "clients, tokens of each client",
        leads_with: Lead::Recovery,
        shows_break_even: false,
        answer: Some(
            "A thousand clients have ten thousand tokens together. They make as many retries as \
                 without a budget, until long after the spike. What counts is how many tokens all \
                 clients have together.",
        ),
        lesson: "A budget bounds only the calls that share it. One for each process of a fleet \
                 helps; one for each caller does not. Share a budget, or keep it small.",
        left_out: "Clients that start later: each new one has a full budget.",
        scenario: "retry-budget",
        rule: "finite-attempts",
        source: "https://brooker.co.za/blog/2022/02/28/retries.html",
    },
    settings: Settings::DEFAULT,
    policies: &[
        StormPolicy::new("no budget", Setup::DEFAULT),
        StormPolicy::new("10, 10 tokens", BUDGET),
        StormPolicy::new(
            "1000, 10 tokens",
            Setup {
                clients: 1_000,
                ..BUDGET
            },
        ),
        StormPolicy::new(
            "1000, 1 token",
            Setup {
                clients: 1_000,
                budget: 1,
                ..BUDGET
            },
        ),
    ],
    shows: |storm| {
        let back = |name| storm.is_back(name);
        Some(
            !back("no budget")?
                && back("10, 10 tokens")?
                && !back("1000, 10 tokens")?
                && back("1000, 1 token")?,
        )
    },
};
