//! The policies of the first picture: settings of the client, and no code of their own.

use client::RetryBudget;
use evidence::storm::{Backoff, Policy, Setup};

const AT_ONCE: Setup = Setup {
    backoff: Backoff::None,
    ..Setup::DEFAULT
};

/// The policies of the first picture.
pub static POLICIES: [Policy; 5] = [
    Policy::new(
        "1 attempt",
        Setup {
            attempts: 1,
            ..Setup::DEFAULT
        },
    ),
    Policy::new("3, at once", AT_ONCE),
    Policy::new("3, jitter", Setup::DEFAULT),
    Policy::new(
        "3, budget",
        Setup {
            budget: RetryBudget::DEFAULT_CAPACITY,
            ..AT_ONCE
        },
    ),
    Policy::new(
        "3, jitter+budget",
        Setup {
            budget: RetryBudget::DEFAULT_CAPACITY,
            ..Setup::DEFAULT
        },
    ),
];
