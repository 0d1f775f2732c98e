//! The counts of a run.

use super::Aspect;
use crate::{outcome::Fact, run::Run, ties::Ties};

/// A count of a run.
pub(super) struct Measure {
    pub(super) aspect: Aspect,
    pub(super) label: &'static str,
    /// Whether it is shown even if it is zero.
    pub(super) always: bool,
    pub(super) of: fn(&Run) -> u64,
}

/// All counts; the load on the service comes first.
pub(super) const MEASURES: &[Measure] = &[
    Measure {
        aspect: Aspect::Requests,
        label: "requests at the service",
        always: true,
        of: |run| run.wire.total,
    },
    Measure {
        aspect: Aspect::EarlyRequests,
        label: "early requests",
        always: false,
        of: |run| Ties::of(&run.wire).early(),
    },
    Measure {
        aspect: Aspect::RefusedRequests,
        label: "requests refused with 429",
        always: false,
        of: |run| {
            let entries = run.wire.entries.iter();
            entries.filter(|entry| entry.status == Some(429)).count() as u64
        },
    },
    Measure {
        aspect: Aspect::UnseenAttempts,
        label: "attempts that never arrived",
        always: false,
        of: |run| run.counted().saturating_sub(run.wire.total),
    },
    Measure {
        aspect: Aspect::JobsCreated,
        label: "jobs created",
        always: false,
        of: |run| run.wire.jobs_created(),
    },
    Measure {
        aspect: Aspect::RecordsDelivered,
        label: "records, including duplicates",
        always: false,
        of: |run| number(run, "delivered").max(number(run, "items")),
    },
    Measure {
        aspect: Aspect::CallsSucceeded,
        label: "successful calls",
        always: false,
        of: |run| number(run, "succeeded"),
    },
];

fn number(run: &Run, name: &str) -> u64 {
    match run.outcome.fact(name) {
        Some(Fact::Number(number)) => *number,
        _ => 0,
    }
}
