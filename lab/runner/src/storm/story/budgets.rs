//! A budget that too many clients have is none.

use client::RetryBudget;
use evidence::storm::{Policy, Settings, Setup, StoryWords};

use super::Story;

const BUDGET: Setup = Setup {
    budget: RetryBudget::DEFAULT_CAPACITY,
    ..Setup::DEFAULT
};

pub(super) const STORY: Story = Story {
    words: StoryWords {
        name: "budgets",
        title: "the spike again, and the same calls through ten clients or a thousand",
        question: "All have ten tokens each. Ten clients recover from the spike. And a thousand?",
        varies: "10 tokens each",
        answer: Some(
            "A thousand clients have ten thousand tokens: as many retries as no budget at all, \
                 until long after the spike. What counts is what all of them may spend together.",
        ),
        lesson: "A budget bounds what shares it. One for each process of a fleet helps, one for \
                 each caller does nothing: share one, or keep it small.",
        left_out: "Clients that come and go: each new one brings a full budget.",
        scenario: "retry-budget",
        rule: "finite-attempts",
    },
    settings: Settings::DEFAULT,
    policies: &[
        Policy::new("no budget", Setup::DEFAULT),
        Policy::new("10 clients", BUDGET),
        Policy::new(
            "1000 clients",
            Setup {
                clients: 1_000,
                ..BUDGET
            },
        ),
        Policy::new(
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
                && back("10 clients")?
                && !back("1000 clients")?
                && back("1000, 1 token")?,
        )
    },
};
