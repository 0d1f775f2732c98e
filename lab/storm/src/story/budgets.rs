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
        varies: "clients, tokens in the budget of each",
        leads_with: Lead::Recovery,
        shows_break_even: false,
        answer: Some(
            "A retry costs a token, and ten calls earn one. A thousand clients start with ten \
                 thousand tokens together. Until those are spent, which takes longer than this \
                 run, they retry as without a budget.",
        ),
        lesson: "A budget limits only the calls that share it. Add up the budgets of all clients: \
                 share one among many calls, or keep each small.",
        left_out: "Clients that start later: each new one has a full budget.",
        scenario: "retry-budget",
        rule: "finite-attempts",
        source: "https://brooker.co.za/blog/2022/02/28/retries.html",
    },
    settings: Settings::DEFAULT,
    policies: &[
        StormPolicy::new("no budget", Setup::DEFAULT),
        StormPolicy::new("10, 10 each", BUDGET),
        StormPolicy::new(
            "1000, 10 each",
            Setup {
                clients: 1_000,
                ..BUDGET
            },
        ),
        StormPolicy::new(
            "1000, 1 each",
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
                && back("10, 10 each")?
                && !back("1000, 10 each")?
                && back("1000, 1 each")?,
        )
    },
};
