//! A run as text for a terminal: the question, the events, the wire and the counters, the
//! expectations, and the lesson.

mod comparison;
mod exchange;
mod table;
mod waterfall;

use render::{Options, Sheet, fit};

use crate::{
    Answer, Check, ScenarioRun, ScenarioWords, chart::LimitLine, counters::risen, run::NOT_JUDGED,
    wire_facts::wire_facts,
};

pub use comparison::comparison;
pub use table::table;
pub use waterfall::{waterfall, waterfalls};

/// Renders a run and its lesson as text.
///
/// `prediction` is what the reader expected before the run, if anything. Counts go above
/// the picture: on a low terminal they scroll away first.
#[must_use]
pub fn text(
    words: &ScenarioWords,
    run: &ScenarioRun,
    prediction: Option<&Answer>,
    options: &Options,
) -> String {
    Sheet::filled(options, |sheet| {
        heading(sheet, words, run);
        counts(sheet, run);
        sheet.gap();
        sheet.block(&waterfall(&run.trace, options));
        sheet.gap();
        if let Some(predicted) = prediction {
            self::prediction(sheet, predicted, &[run]);
        }
        sheet.paragraph("outcome", &run.outcome.text);
        verdict(sheet, run);
        if options.exchanges {
            exchange::exchanges(sheet, &run.wire);
        }
        lesson(sheet, run);
    })
}

fn lesson(sheet: &mut Sheet<'_>, run: &ScenarioRun) {
    let lab = sheet.options.lab;
    sheet.gap();
    sheet.paragraph("Why it matters", &run.lesson.why.join(" "));
    if let Some(without) = &run.lesson.without {
        sheet.paragraph("Removed defence", without);
    }
    sheet.paragraph("Does not solve", run.lesson.unsolved);
    sheet.command("Try next", &format!("{lab} {}", run.lesson.next));
    if let Some(shows) = run.lesson.next_shows {
        sheet.beside(&" ".repeat(16), shows);
    }
}

/// A prediction about the first of these runs with a mark for right or wrong, and the
/// answers.
fn prediction(sheet: &mut Sheet<'_>, prediction: &Answer, runs: &[&ScenarioRun]) {
    let came_true = runs.first().and_then(|run| prediction.came_true(run));
    sheet.marked(came_true, "predicted: ", &prediction.verdict(runs));
}

/// The scenario, the client and the settings of a run.
pub(super) fn heading(sheet: &mut Sheet<'_>, words: &ScenarioWords, run: &ScenarioRun) {
    let title = format!("{} {} {}", words.name, sheet.dash(), words.title);
    sheet.title(&title);
    sheet.joined(&run.terms);
    sheet.joined(&[format!("seed {}", run.seed), run.pace.phrase().to_owned()]);
}

fn counts(sheet: &mut Sheet<'_>, run: &ScenarioRun) {
    sheet.gap();
    sheet.paragraph("wire", &run.requests());
    for fact in wire_facts(&run.wire) {
        sheet.beside_foreign(
            &" ".repeat(10),
            &fit(&fact, usize::MAX, sheet.options.ascii),
        );
    }
    if let Some(limit) = LimitLine::of(&run.trace) {
        sheet.paragraph("limit", &fit(&limit.text, usize::MAX, sheet.options.ascii));
    }
    let mut label = "counters";
    let in_a_line = if sheet.is_narrow() { 1 } else { 2 };
    for counters in run.client.headlines.chunks(in_a_line) {
        let counters = counters
            .iter()
            .map(|name| format!("{name} {}", risen(run.counters.total(name))));
        let counters: Vec<_> = counters.collect();
        sheet.paragraph(label, &counters.join("   "));
        label = "";
    }
}

fn verdict(sheet: &mut Sheet<'_>, run: &ScenarioRun) {
    if run.is_cancelled() {
        sheet.marked(None, "", NOT_JUDGED);
    }
    for check in &run.verdict {
        self::check(sheet, check);
    }
}

/// A check, its source, and the finding if it did not hold.
pub(super) fn check(sheet: &mut Sheet<'_>, check: &Check) {
    let text = match check.contradiction() {
        None => check.text.clone(),
        Some(found) => format!("{} {} {found}", check.text, sheet.dash()),
    };
    sheet.check(check.held, &format!("{:<8}", check.source), &text);
}
