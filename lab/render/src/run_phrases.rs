//! Phrases about a run that all renderings share.

use evidence::{Pace, Run};

/// The phrase for a cancelled run, instead of a verdict.
pub(super) const NOT_JUDGED: &str = "cancelled, so nothing is judged";

/// The headings of the two sides' counters.
pub(super) fn wire(run: &Run) -> String {
    format!(
        "the service saw {}; the client counted {}",
        requests(run.wire.total),
        run.counted()
    )
}

/// Says whether the waits were real.
pub(super) fn pace(pace: Pace) -> &'static str {
    match pace {
        Pace::Real => "real time",
        Pace::Virtual => "virtual time: waits are computed, not waited for",
    }
}

fn requests(number: u64) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} request{plural}")
}
