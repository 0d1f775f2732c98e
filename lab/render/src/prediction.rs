//! A reader's prediction, and whether it was right.

use evidence::{Answer, Level, Run};

use super::sheet::Sheet;

/// The prediction about the first of these runs with a mark for right or wrong, and the
/// answers.
pub(super) fn prediction(sheet: &mut Sheet<'_>, prediction: &Answer, runs: &[&Run]) {
    let level = match runs.first().and_then(|run| prediction.came_true(run)) {
        Some(true) => Level::Ok,
        Some(false) => Level::Problem,
        None => Level::Note,
    };
    let verdict = sheet.plain(&prediction.verdict(runs));
    sheet.finding(level, "predicted: ", &verdict);
}
