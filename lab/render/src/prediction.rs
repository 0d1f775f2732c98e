//! A reader's prediction, and whether it was right.

use evidence::{Level, Prediction, Run};

use super::sheet::Sheet;

/// The prediction with a mark for right or wrong, and the answer with its reason.
pub(super) fn prediction(sheet: &mut Sheet<'_>, prediction: &Prediction, run: &Run) {
    let level = match prediction.came_true(run) {
        Some(true) => Level::Ok,
        Some(false) => Level::Problem,
        None => Level::Note,
    };
    let verdict = sheet.plain(&prediction.verdict(run));
    sheet.finding(level, "predicted: ", &verdict);
}
