//! Words about a run that every rendering uses alike.

use evidence::{Pace, Run};

/// What stands instead of the verdict on a run that was cancelled.
pub(super) const NOT_JUDGED: &str = "cancelled before its end, so nothing is judged";

/// What each side counted.
pub(super) fn wire(run: &Run) -> String {
    format!(
        "the service saw {}; the client counted {}",
        requests(run.wire.total),
        run.counted()
    )
}

/// Whether the waits were real.
pub(super) fn pace(pace: Pace) -> &'static str {
    match pace {
        Pace::Real => "real time",
        Pace::Virtual => "virtual time: the waits are drawn, not waited for",
    }
}

fn requests(number: u64) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} request{plural}")
}
