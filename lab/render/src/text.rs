//! A run as text for a terminal: what was asked, what happened, what the wire
//! and the counters say, which expectations held, and why it matters.

use super::{
    Options, prediction,
    sheet::Sheet,
    waterfall,
    words::{NOT_JUDGED, pace, wire},
};
use evidence::{Check, Level, Prediction, Run, Words, risen};

/// Sets a run, and what it teaches, as text.
///
/// `prediction` is what the reader expected before looking, if anything.
#[must_use]
pub fn text(
    words: &Words,
    run: &Run,
    prediction: Option<&Prediction>,
    options: &Options,
) -> String {
    let mut sheet = Sheet::new(options);
    heading(&mut sheet, words, run);
    sheet.gap();
    sheet.block(&waterfall(&run.traces, options));
    sheet.gap();
    if let Some(predicted) = prediction {
        prediction::prediction(&mut sheet, predicted, run);
    }
    evidence(&mut sheet, run);
    sheet.gap();
    verdict(&mut sheet, run);
    sheet.gap();
    sheet.paragraph("Why it matters", &run.lesson.why.join(" "));
    if let Some(without) = &run.lesson.without {
        sheet.paragraph("Taken away", &sheet.plain(without));
    }
    sheet.paragraph("Does not solve", run.lesson.unsolved);
    sheet.command("Try next", &format!("{} {}", options.lab, run.lesson.next));
    sheet.into_text()
}

/// What was played, and how.
pub(super) fn heading(sheet: &mut Sheet<'_>, words: &Words, run: &Run) {
    let title = format!("{} {} {}", words.name, sheet.dash(), words.title);
    sheet.title(&title);
    sheet.joined(&run.terms);
    sheet.joined(&[format!("seed {}", run.seed), pace(run.pace).to_owned()]);
}

fn evidence(sheet: &mut Sheet<'_>, run: &Run) {
    sheet.paragraph("outcome", &sheet.plain(&run.outcome.text));
    sheet.paragraph("wire", &wire(run));
    let mut label = "counters";
    for counters in run.client.headlines.chunks(2) {
        let counters: Vec<String> = counters
            .iter()
            .map(|counter| {
                let name = run.client.counter(counter);
                format!("{name} {}", risen(run.counters.total(&name)))
            })
            .collect();
        sheet.paragraph(label, &counters.join("   "));
        label = "";
    }
}

fn verdict(sheet: &mut Sheet<'_>, run: &Run) {
    if run.is_cancelled() {
        sheet.finding(Level::Note, "", NOT_JUDGED);
    }
    for check in &run.verdict {
        self::check(sheet, check);
    }
}

/// A check, whose word it is, and what was found instead if it did not hold.
pub(super) fn check(sheet: &mut Sheet<'_>, check: &Check) {
    let text = match check.contradiction() {
        None => check.text.clone(),
        Some(found) => format!("{} {} {found}", check.text, sheet.dash()),
    };
    sheet.check(check.held, &format!("{:<8}", check.source), &text);
}
