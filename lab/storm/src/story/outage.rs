//! A short outage shows which retries help.

use std::time::Duration;

use client::RetryBudget;

use super::Story;
use crate::{
    Backoff, Incident, Lead, Settings, Setup, StormPolicy, StoryWords, readout::is_clearly_less,
};

/// Waits that together are shorter than the outage.
const SHORT: Setup = Setup {
    attempts: 5,
    base: Duration::from_millis(50),
    cap: Duration::from_secs(10),
    ..Setup::DEFAULT
};

const AT_ONCE: Setup = Setup {
    backoff: Backoff::None,
    ..SHORT
};

/// Waits that together are as long as the outage.
const LONG: Setup = Setup {
    base: Duration::from_secs(1),
    ..SHORT
};

pub(super) const STORY: Story = Story {
    words: StoryWords {
        name: "outage",
        title: "for a short time the service responds with 503",
        question: "For a short time every response is a 503. Which calls still succeed?",
        varies: "attempts per call, sum of the longest waits",
        leads_with: Lead::LostCalls,
        shows_break_even: false,
        answer: Some(
            "A call succeeds only if its waits outlast the outage. Retries without a wait are \
                 used up before it ends. A budget is made for overload, and ends some of these \
                 calls: a retry costs a token, and ten calls earn one.",
        ),
        lesson: "Retries help if they last longer than the fault. Without waits, five attempts \
                 lose about as many calls as one.",
        left_out: "Callers with less than 15 s for a call: longer waits do not help them.",
        scenario: "flaky",
        rule: "backoff-waits",
        source: "https://sre.google/sre-book/handling-overload/",
    },
    settings: Settings {
        calls_per_second: 40.0,
        incident: Incident::Refusal,
        incident_lasts: Duration::from_secs(2),
        length: Duration::from_secs(30),
        ..Settings::DEFAULT
    },
    policies: &[
        StormPolicy::new("1 attempt", AT_ONCE.attempts(1)),
        StormPolicy::new("5, no wait", AT_ONCE),
        StormPolicy::new("5, 0.75 s", SHORT),
        StormPolicy::new("5, 15 s", LONG),
        StormPolicy::new("5, 15 s+budget", LONG.budget(RetryBudget::DEFAULT_CAPACITY)),
    ],
    shows: |storm| {
        let lost = |name| storm.lost(name);
        let all = lost("1 attempt")?;
        let few = storm.most_lost("5, 15 s")?;
        Some(
            lost("5, no wait")? + 2 >= all
                && lost("5, 0.75 s")? * 3 >= all * 2
                && is_clearly_less(few, all)
                && lost("5, 15 s+budget")? >= few + 5
                && storm.most_lost("5, 15 s+budget")? < all,
        )
    },
};
