//! No deadline for a call.

use evidence::{Defence, Policy};

use super::{super::reliable, Without};

pub(super) const WITHOUT: Without = Without {
    name: "without-deadline",
    defence: &Defence {
        id: "deadline",
        instead: "It waits for as long as each wait may be, however little time its caller has. No \
                  rule of the wire breaks: a deadline is a promise to the caller.",
        file: "client/src/retry/decision.rs",
        breaks: &[],
        shows_in: &["deadline"],
    },
    allowed: |policy| Policy {
        deadline: None,
        ..policy
    },
    connect: |connection| Ok(Box::new(reliable::client(connection, |builder| builder)?)),
};
