//! Two runs side by side: both waterfalls on one axis, both sides of every
//! counter, and in words what the difference cost.

use std::collections::BTreeMap;

use evidence::{
    Comparison, Counter, Run, Words,
    counters::{ATTEMPTS, RETRIES},
    risen,
};

use super::{
    Options,
    sheet::Sheet,
    text::{self, heading},
    waterfall::waterfalls,
};

/// The most rows of each chart, so that both can be seen together.
const ROWS: usize = 24;

/// The columns of a number.
const NUMBER: usize = 10;

/// Sets a comparison, and what its runs teach, as text.
#[must_use]
pub fn comparison(words: &Words, comparison: &Comparison, options: &Options) -> String {
    let Comparison {
        reliable,
        naive,
        differences,
        next,
    } = comparison;
    let options = Options {
        rows: options.rows.min(ROWS),
        ..*options
    };
    let [reliable_chart, naive_chart] = waterfalls([&reliable.traces, &naive.traces], &options);

    let mut sheet = Sheet::new(&options);
    heading(&mut sheet, words, reliable);
    sheet.gap();
    sheet.title("The reliable client");
    sheet.block(&reliable_chart);
    sheet.gap();
    sheet.title(&format!(
        "The naive client, {}",
        naive.terms[1..].join(", ")
    ));
    sheet.block(&naive_chart);
    sheet.gap();
    for run in [reliable, naive] {
        sheet.paragraph(run.client.name, &sheet.plain(&run.outcome.text));
    }
    sheet.gap();
    table(&mut sheet, [reliable, naive]);
    sheet.gap();
    if differences.is_empty() {
        sheet.line("The two came to the same.");
    } else {
        sheet.title("The naive client");
    }
    for difference in differences {
        sheet.entry(&difference.text);
    }
    sheet.gap();
    verdict(&mut sheet, reliable);
    for check in reliable.verdict.iter().filter(|check| !check.held) {
        text::check(&mut sheet, check);
    }
    verdict(&mut sheet, naive);
    sheet.gap();
    sheet.paragraph("Why it matters", &comparison.why().join(" "));
    sheet.paragraph("Does not solve", words.unsolved);
    sheet.command("Try next", &format!("{} {next}", options.lab));
    sheet.into_text()
}

/// What was counted, a line each: the clients' own series, then the service's.
fn table(sheet: &mut Sheet<'_>, runs: [&Run; 2]) {
    let mut rows = vec![(
        "requests that the service saw".to_owned(),
        runs.map(|run| run.wire.total.to_string()),
    )];
    for metric in [ATTEMPTS, RETRIES] {
        let names = runs.map(|run| run.client.counter(metric));
        let values = runs.map(|run| risen(run.counters.total(&run.client.counter(metric))));
        rows.push((names.join(", "), values));
    }
    rows.extend(of_the_service(runs));

    let widest = rows.iter().map(|(label, _)| label.len()).max().unwrap_or(0);
    sheet.line(&format!(
        "{:widest$}{:>NUMBER$}{:>NUMBER$}",
        "", "reliable", "naive"
    ));
    for (label, [reliable, naive]) in rows {
        sheet.line(&format!(
            "{label:widest$}{reliable:>NUMBER$}{naive:>NUMBER$}"
        ));
    }
}

/// The series of the service that moved in one of the runs, with both values.
fn of_the_service(runs: [&Run; 2]) -> impl Iterator<Item = (String, [String; 2])> {
    let mut moved: BTreeMap<String, [u64; 2]> = BTreeMap::new();
    for (side, run) in runs.into_iter().enumerate() {
        let counters = run.counters.iter();
        for counter in counters.filter(|counter| counter.name.starts_with("service_")) {
            moved.entry(series(counter)).or_default()[side] = counter.value;
        }
    }
    moved
        .into_iter()
        .map(|(series, values)| (series, values.map(risen)))
}

/// A series as Prometheus writes it.
fn series(counter: &Counter) -> String {
    let labels: Vec<_> = counter
        .labels
        .iter()
        .map(|(label, value)| format!("{label}=\"{value}\""))
        .collect();
    format!("{}{{{}}}", counter.name, labels.join(","))
}

/// How many expectations held; the exit code hangs on those of the reliable
/// client, so what did not hold of them is named.
fn verdict(sheet: &mut Sheet<'_>, run: &Run) {
    let held = run.verdict.iter().filter(|check| check.held).count();
    let of = run.verdict.len();
    let client = run.client.name;
    sheet.check(
        run.passed(),
        "",
        &format!("the {client} client: {held} of {of} expectations held"),
    );
}
