//! A run as text for a terminal: what was asked, what happened, what the wire
//! and the counters say, which expectations held, and why it matters.

use super::{
    Options,
    page::Page,
    paint::fit,
    waterfall,
    words::{NOT_JUDGED, pace, wire},
};
use evidence::{Level, Run, Words, risen};

/// Sets a run, and what it teaches, as text.
///
/// `prediction` is what the reader expected before looking, if anything.
#[must_use]
pub fn text(words: &Words, run: &Run, prediction: Option<&str>, options: &Options) -> String {
    let mut page = Page::new(options);
    heading(&mut page, words, run);
    page.gap();
    page.block(&waterfall(&run.traces, options));
    page.gap();
    if let Some(prediction) = prediction {
        page.paragraph("predicted", &fit(prediction, usize::MAX, options.ascii));
    }
    evidence(&mut page, run);
    page.gap();
    verdict(&mut page, run);
    page.gap();
    page.paragraph("Why it matters", &run.lesson.why.join(" "));
    page.paragraph("Does not solve", run.lesson.unsolved);
    page.command(
        "Try next",
        &format!("cargo run -p lab -- {}", run.lesson.next),
    );
    page.into_text()
}

/// What was played, and how.
pub(super) fn heading(page: &mut Page<'_>, words: &Words, run: &Run) {
    let title = format!("{} {} {}", words.name, page.dash(), words.title);
    page.title(&title);
    page.joined(&run.terms);
    page.joined(&[format!("seed {}", run.seed), pace(run.pace).to_owned()]);
}

fn evidence(page: &mut Page<'_>, run: &Run) {
    page.paragraph("outcome", &page.plain(&run.outcome.text));
    page.paragraph("wire", &wire(run));
    let mut label = "counters";
    for counters in run.client.headlines.chunks(2) {
        let counters: Vec<String> = counters
            .iter()
            .map(|counter| {
                let name = run.client.counter(counter);
                format!("{name} {}", risen(run.counters.total(&name)))
            })
            .collect();
        page.paragraph(label, &counters.join("   "));
        label = "";
    }
}

fn verdict(page: &mut Page<'_>, run: &Run) {
    if run.is_cancelled() {
        page.finding(Level::Note, "", NOT_JUDGED);
    }
    for check in &run.verdict {
        let text = match &check.found {
            None => check.text.clone(),
            Some(found) => format!("{} {} {found}", check.text, page.dash()),
        };
        let level = if check.held {
            Level::Ok
        } else {
            Level::Problem
        };
        page.finding(level, &format!("{:<8}", check.source), &text);
    }
}
