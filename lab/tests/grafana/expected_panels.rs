//! The values of each panel after three events on a fresh lab, with seed 1: `flaky` (503,
//! 503, 200, with waits of 194 ms and 276 ms), `retry-later` (503, given up) and
//! `create-job` (201).

use std::collections::BTreeMap;

/// The title of a panel, and its series by their names in the legend, or that of the panel
/// if there is none. All others are 0, or NaN if they divide by it.
///
/// - `count`: this many events, or seconds of them, in the time shown.
/// - `whole`: exactly this many events in the time shown.
/// - `above`: at least this, and less than twice as much: it was waited for.
/// - `mean`: a share or a mean, which is exact.
/// - `under`: at least 0, and less than this: it depends on the speed of the machine.
const EXPECTED: &str = "\
Service | count 1
Calls that succeeded | mean 2/3
Attempts that succeeded | mean 2/5
Attempts per call | mean 5/3
Give-ups | whole 1
Early retries
Which faults are served? | flaky: count 2 | retry_later: count 1
How do attempts end? | 200: count 1 | 201: count 1 | 503: count 3
Why is there another attempt? | 503: count 2
Why are calls given up? | retry_after_over_budget: count 1
Succeeded only after a retry | whole 1
Waiting, for each call | above 0.470/3
How do calls end? | ok at once: count 1 | ok after a retry: count 1 | http_error: count 1
Do more calls succeed than attempts? | calls: mean 2/3 | attempts: mean 2/5
How long does a caller wait? | a call that succeeded: above 0.470/2 \
    | between attempts: above 0.470/3
How many requests does a call take? | 1: count 2 | 2: count 2 | 3: count 3 | 5: count 3 \
    | 10: count 3 | +Inf: count 3
Who chooses the wait? | backoff: count 2
How many calls wait at once? | backoff: above 0.470
How long is one wait? | 0.25: count 1 | 0.5: count 2 | 1: count 2 | 2.5: count 2 | 5: count 2 \
    | 10: count 2 | 30: count 2 | +Inf: count 2
How long is one wait, on average? | backoff: above 0.470/2
How long does a request take? | /flaky: under 1 | /jobs: under 1
How often is each endpoint asked? | flaky: count 3 | retry_later: count 1 | create_job: count 1
Which retries did the budget refuse?
What shrank the concurrency limit?
Which listings go round in circles?
Who comes back too early?
Requests | count 5
Server errors | mean 3/5
Mean time to respond | under 1
Active requests
Jobs created | whole 1
Which routes are asked? | /flaky: count 3 | /retry-later: count 1 | /jobs: count 1
With which status does the service respond? | 200: count 1 | 201: count 1 | 503: count 3
Which routes respond with errors? | /flaky: count 2 | /retry-later: count 1
How long do responses take? | /flaky: under 1 | /retry-later: under 1 | /jobs: under 1
How slow are the slowest responses? | half: under 1 | 90 %: under 5 | 99 %: under 5
What becomes of job submissions? | created: count 1
How many requests are active?
";

/// The number of panels.
pub(crate) fn panels() -> usize {
    EXPECTED.lines().count()
}

/// The expected series of a panel, by their names in the legend.
pub(crate) fn series(title: &str) -> BTreeMap<&str, &'static str> {
    let mut panels = EXPECTED.lines().map(|line| line.split(" | "));
    let panel = panels.find_map(|mut cells| (cells.next() == Some(title)).then_some(cells));
    let series = panel.unwrap_or_else(|| panic!("what does {title} show?"));
    let series = series.map(|cell| cell.split_once(": ").unwrap_or((title, cell)));
    series.collect()
}

/// Whether a value is the expected one; counts may be overstated by `tolerance`.
pub(crate) fn holds(expected: &str, value: f64, tolerance: f64) -> bool {
    let (kind, number) = expected.split_once(' ').expect("a kind and a number");
    let (number, divisor) = number.split_once('/').unwrap_or((number, "1"));
    let [number, divisor] = [number, divisor].map(|it| it.parse::<f64>().expect("a number"));
    let number = number / divisor;
    match kind {
        "count" => value >= number - 1e-6 && value <= number * (1.0 + tolerance) + 1e-6,
        "whole" => value == number,
        "above" => value >= number && value < 2.0 * number,
        "mean" => (value - number).abs() <= 0.02 * number,
        "under" => value >= 0.0 && value < number,
        _ => panic!("there is no kind {kind}"),
    }
}
