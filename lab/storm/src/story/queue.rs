//! The same clients recover or not, depending on the queue of the service.

use super::Story;
use crate::{Abandoned, Lead, Order, Settings, Setup, StormPolicy, StoryWords};

pub(super) const STORY: Story = Story {
    words: StoryWords {
        name: "queue",
        title: "the spike again, with another queue in each row",
        question: "Clients make three attempts, with jitter. Which queue lets the service recover?",
        varies: "the queue (unchanged: 300, oldest first)",
        leads_with: Lead::Recovery,
        shows_break_even: false,
        answer: Some(
            "A queue of 50 takes half a second, and the newest request has only just come: both \
                 get their response in time. To skip requests that have timed out helps too \
                 little: the next in line has waited for almost 1 s, and times out during its \
                 work of 0.1 s.",
        ),
        lesson: "A queue that takes longer than an attempt waits turns work into waste. Keep it \
                 short, or serve the newest request first.",
        left_out: "Queues that adapt, such as CoDel, and the cost of a refusal.",
        scenario: "deadline",
        rule: "finite-attempts",
        source: "https://aws.amazon.com/builders-library/avoiding-insurmountable-queue-backlogs/",
    },
    settings: Settings::DEFAULT,
    policies: &[
        StormPolicy::new("unchanged", Setup::DEFAULT),
        StormPolicy::new(
            "50 long",
            Setup {
                queue: 50,
                ..Setup::DEFAULT
            },
        ),
        StormPolicy::new(
            "newest first",
            Setup {
                order: Order::Newest,
                ..Setup::DEFAULT
            },
        ),
        StormPolicy::new(
            "skip timed-out",
            Setup {
                abandoned: Abandoned::Dropped,
                ..Setup::DEFAULT
            },
        ),
    ],
    shows: |storm| {
        let back = |name| storm.is_back(name);
        let most = storm
            .most_lost("50 long")?
            .max(storm.most_lost("newest first")?);
        Some(
            !back("unchanged")?
                && back("50 long")?
                && back("newest first")?
                && storm.lost("skip timed-out")? > 2 * most,
        )
    },
};
