//! Many runs as a table, one line each, and the failed checks below it.

use render::Options;

use crate::{ScenarioRun, counters::RETRIES};

/// Renders runs as a table with a heading and a final line of counts.
#[must_use]
pub fn table(runs: &[ScenarioRun], options: &Options) -> String {
    let (held, broken) = (options.or_ascii("✓", "ok"), options.or_ascii("✗", "FAIL"));
    let dash = options.or_ascii("—", "-");
    let name = runs.iter().map(|run| run.scenario.len()).max().unwrap_or(0);
    let mut out = format!(
        "{:name$}  requests  retries  {:<20}  held\n",
        "scenario", "ended with"
    );
    for run in runs {
        let ending = run.outcome.ending.to_string();
        out.push_str(&format!(
            "{:name$}  {:>8}  {:>7}  {ending:<20}  {}\n",
            run.scenario,
            run.wire.total,
            run.counters.total(RETRIES),
            if run.is_cancelled() {
                dash
            } else if run.passed() {
                held
            } else {
                broken
            },
        ));
    }

    let passed = runs.iter().filter(|run| run.passed()).count();
    out.push_str(&format!(
        "\n{} run with seed {}, {passed} as expected{}\n",
        match runs.len() {
            1 => "1 scenario".to_owned(),
            number => format!("{number} scenarios"),
        },
        runs.first().map_or(0, |run| run.seed),
        match runs.iter().filter(|run| run.is_cancelled()).count() {
            0 => "",
            _ => "; the last was cancelled, and no other ran after it",
        },
    ));
    for run in runs {
        for check in run.verdict.iter().filter(|check| !check.held) {
            let found = check.contradiction().unwrap_or_default();
            out.push_str(&format!(
                "{broken} {}: {} {dash} {found}\n",
                run.scenario, check.text
            ));
        }
    }
    out
}
