//! Phrases about a run that all renderings share.

use render::Sheet;

use crate::{Answer, Pace, ScenarioRun};

/// The phrase for a cancelled run, instead of a verdict.
pub(super) const NOT_JUDGED: &str = "cancelled, so nothing is judged";

/// The requests that the service saw, and the counts of the client.
pub(super) fn wire(run: &ScenarioRun) -> String {
    let requests = run.wire.total;
    let s = if requests == 1 { "" } else { "s" };
    let counted = run.counted();
    format!("the service saw {requests} request{s}; the client counted {counted}")
}

/// Says whether the waits were real.
pub(super) fn pace(pace: Pace) -> &'static str {
    match pace {
        Pace::Real => "real time",
        Pace::Virtual => "virtual time: waits are computed, not waited for",
    }
}

/// A prediction about the first of these runs with a mark for right or wrong, and the
/// answers.
pub(super) fn prediction(sheet: &mut Sheet<'_>, prediction: &Answer, runs: &[&ScenarioRun]) {
    let came_true = runs.first().and_then(|run| prediction.came_true(run));
    sheet.marked(came_true, "predicted: ", &prediction.verdict(runs));
}
