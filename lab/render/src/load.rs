//! The result of a load: one line for each scenario, and the totals below.

use super::{Options, paint::fit, sheet::Sheet};
use evidence::load::{Load, Progress, Row, Tally};

/// The maximum width of one failure, in columns.
const LONGEST: usize = 400;

/// Renders the summary of a load. Its rows are in the order of the `course`, the names of
/// all scenarios.
#[must_use]
pub fn load(load: &Load, progress: &Progress, course: &[&str], options: &Options) -> String {
    let tally = &progress.tally;
    let mut sheet = Sheet::new(options);
    sheet.block(&rows(tally, course, options));
    sheet.gap();
    let (asked, completed) = (tally.asked, tally.completed);
    let held = completed.saturating_sub(tally.missed());
    sheet.paragraph(
        "runs",
        &format!("{asked} asked for, {completed} completed, {held} as expected"),
    );
    for (number, words) in [
        (
            tally.refused,
            "refused, because too many runs were going on",
        ),
        (tally.failed, "could not be completed"),
        (tally.cut, "cut short"),
        (tally.unsent, "not exported to the receiver of traces"),
    ] {
        if number > 0 {
            sheet.paragraph("", &format!("{number} {words}"));
        }
    }
    let (rate, achieved) = (load.rate, progress.rate());
    let rate = format!("{rate} a second asked for, {achieved:.1} completed");
    sheet.paragraph("rate", &rate);
    let client = format!(
        "{} calls, {} attempts, {} retries, {} give-ups",
        tally.calls, tally.attempts, tally.retries, tally.give_ups
    );
    sheet.paragraph("client", &client);
    let wire = format!("{} requests, {} responses", tally.requests, tally.responses);
    sheet.paragraph("wire", &wire);
    sheet.paragraph("seed", &load.seed.to_string());
    if !tally.told.is_empty() {
        sheet.gap();
    }
    for words in &tally.told {
        sheet.check(false, "", &fit(words, LONGEST, options.ascii));
    }
    sheet.into_text()
}

fn rows(tally: &Tally, course: &[&str], options: &Options) -> String {
    let names = tally.scenarios.keys().map(|name| name.chars().count());
    let width = names.max().unwrap_or(0).clamp("scenario".len(), 40);
    let mut out = format!("{:width$}  runs  attempts  as expected\n", "scenario");
    // In the order of the course; unknown scenarios go first.
    let mut rows: Vec<_> = tally.scenarios.iter().collect();
    rows.sort_by_key(|(name, _)| course.iter().position(|known| known == name));
    for (name, row) in rows {
        let name = fit(name, width, options.ascii);
        let Row {
            completed,
            attempts,
            ..
        } = row;
        let held = held(row, options);
        out.push_str(&format!(
            "{name:width$}  {completed:>4}  {attempts:>8}  {held}\n"
        ));
    }
    out
}

fn held(row: &Row, options: &Options) -> String {
    match row.missed {
        0 => options.or_ascii("✓", "ok").to_owned(),
        missed => format!("{} {missed} not", options.or_ascii("✗", "FAIL")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked() -> Load {
        Load {
            seconds: 2,
            rate: 10,
            seed: 7,
            filter: String::new(),
        }
    }

    fn progress() -> Progress {
        let row = |completed, missed, attempts| Row {
            completed,
            missed,
            attempts,
        };
        let scenarios = [("flaky", row(4, 0, 12)), ("items", row(14, 1, 28))];
        Progress {
            length: 20,
            asking_ms: 2_000,
            finished: true,
            tally: Tally {
                asked: 20,
                completed: 18,
                refused: 2,
                calls: 32,
                attempts: 40,
                retries: 8,
                requests: 39,
                responses: 37,
                scenarios: scenarios.map(|(name, row)| (name.to_owned(), row)).into(),
                told: vec!["items with seed 3: all items arrived; 2".to_owned()],
                ..Tally::default()
            },
        }
    }

    #[test]
    fn the_summary_counts_completed_and_missing_runs() {
        insta::assert_snapshot!(load(&asked(), &progress(), &["items", "flaky"], &Options::default()), @"
        scenario  runs  attempts  as expected
        items       14        28  ✗ 1 not
        flaky        4        12  ✓

        runs      20 asked for, 18 completed, 17 as expected
                  2 refused, because too many runs were going on
        rate      10 a second asked for, 9.0 completed
        client    32 calls, 40 attempts, 8 retries, 0 give-ups
        wire      39 requests, 37 responses
        seed      7

        ✗ items with seed 3: all items arrived; 2
        ");
    }

    #[test]
    fn a_summary_in_ascii_has_no_control_characters() {
        let mut hostile = progress();
        let row = Row::default();
        let scenarios = &mut hostile.tally.scenarios;
        scenarios.insert(format!("\u{1b}[2J{}", "é".repeat(200)), row);
        hostile.tally.told.push("\u{202e}\n\u{7} ".repeat(200));
        let ascii = Options {
            ascii: true,
            ..Options::default()
        };

        let text = load(&asked(), &hostile, &[], &ascii);

        assert!(text.chars().all(|sign| sign == '\n' || !sign.is_control()));
        assert!(text.is_ascii(), "{text}");
        assert!(text.lines().all(|line| line.len() <= 80), "{text}");
    }
}
