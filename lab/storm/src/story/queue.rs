//! The same clients recover or not, depending on the queue of the service.

use super::Story;
use crate::{Abandoned, Lead, Order, Settings, Setup, StormPolicy, StoryWords};

pub(super) const STORY: Story = Story {
    words: StoryWords {
        name: "queue",
        title: "the spike again, with another queue in each row",
        question: "All clients retry as in the spike. Which queue lets the service recover?",
        varies: "length of the queue, who comes first",
        leads_with: Lead::Recovery,
        shows_break_even: false,
        answer: Some(
            "A queue of 50 takes half a second, and the newest request has a caller who still \
                 waits, so both recover. To drop abandoned requests is not enough: the oldest of \
                 the others are abandoned during the work.",
        ),
        lesson: "A queue that takes longer than callers wait turns work into waste. Keep it short, \
                 or serve the newest request first.",
        left_out: "Queues that adapt, such as CoDel, and the cost of a refusal.",
        scenario: "deadline",
        rule: "finite-attempts",
        source: "https://aws.amazon.com/builders-library/avoiding-insurmountable-queue-backlogs/",
    },
    settings: Settings::DEFAULT,
    policies: &[
        StormPolicy::new("300, oldest", Setup::DEFAULT),
        StormPolicy::new(
            "50, oldest",
            Setup {
                queue: 50,
                ..Setup::DEFAULT
            },
        ),
        StormPolicy::new(
            "300, newest",
            Setup {
                order: Order::Newest,
                ..Setup::DEFAULT
            },
        ),
        StormPolicy::new(
            "drop abandoned",
            Setup {
                abandoned: Abandoned::Dropped,
                ..Setup::DEFAULT
            },
        ),
    ],
    shows: |storm| {
        let (back, lost) = (|name| storm.is_back(name), |name| storm.lost(name));
        let most = lost("50, oldest")?.max(lost("300, newest")?);
        Some(
            !back("300, oldest")?
                && back("50, oldest")?
                && back("300, newest")?
                && lost("drop abandoned")? > 2 * most,
        )
    },
};
