//! What can be counted on a run.

use super::Aspect;
use crate::{outcome::Fact, run::Run, ties::Ties};

/// Something that can be counted on a run.
pub(super) struct Measure {
    pub(super) aspect: Aspect,
    pub(super) label: &'static str,
    /// Whether it is shown even if there was none.
    pub(super) always: bool,
    pub(super) of: fn(&Run) -> u64,
}

/// All that is counted, in the order of what it cost the service first.
pub(super) const MEASURES: &[Measure] = &[
    Measure {
        aspect: Aspect::Requests,
        label: "requests that the service bore",
        always: true,
        of: |run| run.wire.total,
    },
    Measure {
        aspect: Aspect::EarlyRequests,
        label: "requests before its Retry-After",
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
        label: "attempts that never reached it",
        always: false,
        of: |run| run.counted().saturating_sub(run.wire.total),
    },
    Measure {
        aspect: Aspect::JobsCreated,
        label: "jobs that it created",
        always: false,
        of: |run| run.wire.jobs_created(),
    },
    Measure {
        aspect: Aspect::RecordsDelivered,
        label: "records, duplicates included",
        always: false,
        of: |run| number(run, "delivered").max(number(run, "items")),
    },
    Measure {
        aspect: Aspect::CallsSucceeded,
        label: "calls that succeeded",
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
