//! No deadline for a call.

use super::{super::reliable, Without};
use crate::{Defence, ScenarioPolicy};

pub(super) const WITHOUT: Without = Without {
    name: "without-deadline",
    defence: &Defence {
        id: "deadline",
        instead: "It accepts every wait within its other limits, even if the wait ends after the \
                  caller's deadline. The service cannot observe that, so no rule is broken.",
        file: "client/src/retry/decision.rs",
        breaks: &[],
        shows_in: &["deadline"],
    },
    jitter: reliable::FULL_JITTER,
    allowed: |policy| ScenarioPolicy {
        deadline: None,
        ..policy
    },
    connect: |connection| Ok(Box::new(reliable::client(connection, |builder| builder)?)),
};
