//! The texts of a storm: its setup, the differences between policies, how each ended,
//! the conclusions, and the figures.

use schemars::JsonSchema;
use serde::Serialize;

use super::{
    Mark,
    table::{Column, Table, TableRow, number, optional, words},
};
use crate::{
    duration::duration,
    storm::{
        Cut, Incident, Knob, Knobs, Load, Policy, PolicyRun, RetryAfter, STEP, Settings, Setup,
        Storm, per_second,
    },
};

/// A rate that is marked in a picture.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Level {
    /// Calls or requests per second.
    pub rate: f64,
    /// The same as text.
    pub label: String,
}

/// Whether the service had recovered at the end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Ending {
    /// Open until that is known.
    pub mark: Mark,
    /// The same as text.
    pub words: String,
}

/// The setup of a storm, one phrase each.
#[must_use]
pub fn storm_terms(settings: &Settings) -> Vec<String> {
    let load = match settings.load {
        Load::Open => format!("{} calls/s", settings.calls_per_second),
        Load::Closed => format!(
            "{} callers, with {} between their calls",
            settings.callers,
            duration(settings.think)
        ),
    };
    let incident = match settings.incident {
        Incident::None => None,
        Incident::Spike => Some(format!("{} times the load", settings.spike)),
        Incident::Cut => Some(format!(
            "{} of {} workers left",
            settings.workers_left, settings.workers
        )),
        Incident::Pause => Some("no work is done".to_owned()),
        Incident::Refusal => Some(
            match settings.retry_after {
                RetryAfter::None => "only 503s",
                RetryAfter::Seconds => "only 503s, with a Retry-After in seconds",
                RetryAfter::Date => "only 503s, with a date as Retry-After",
            }
            .to_owned(),
        ),
    };
    let [began, ended] = [settings.incident_starts, settings.incident_ends()].map(duration);
    let incident = incident.map(|what| format!("{what} from {began} to {ended}"));
    let service = format!(
        "the service can do {:.0} requests/s, and queues up to {}",
        settings.capacity_per_second(),
        settings.queue
    );
    let clients = format!(
        "{} clients, with a timeout of {}",
        settings.clients,
        duration(settings.timeout)
    );
    [Some(load), incident, Some(service), Some(clients)]
        .into_iter()
        .flatten()
        .collect()
}

/// The most requests per call, on average: the attempts, or fewer if a budget limits them.
fn most_requests(setup: &Setup) -> f64 {
    let attempts = f64::from(setup.attempts);
    match setup.budget {
        0 => attempts,
        _ => attempts.min(1.0 + 1.0 / f64::from(setup.calls_per_retry)),
    }
}

/// The load at which load × requests per call = capacity. Above it, an overloaded service
/// gets more requests than it can process, and so stays down.
pub(super) fn break_even(settings: &Settings, policy: &Policy) -> Option<Level> {
    let most = most_requests(&policy.setup);
    let rate = settings.capacity_per_second() / most;
    (most > 1.0).then(|| Level {
        rate,
        label: format!("break-even, {rate:.0} calls/s"),
    })
}

/// The load compared with the capacity under this policy.
pub(super) fn remark(settings: &Settings, policy: &Policy) -> String {
    let (load, capacity) = (settings.usual_load(), settings.capacity_per_second());
    let most = most_requests(&policy.setup);
    let rounded = (most * 10.0).round() / 10.0;
    let requests = match most {
        ..=1.0 => "1 request".to_owned(),
        _ => format!("at most {rounded} requests"),
    };
    let verdict = match load * most > capacity {
        true => "more than the service can do, so it may stay down",
        false => "the service can do this",
    };
    format!(
        "{load:.0} calls/s × {requests} = {:.0}/s: {verdict}.",
        load * most
    )
}

/// The difference from the most similar of the earlier policies.
pub(super) fn changed(before: &[Policy], policy: &Policy) -> Option<String> {
    let differing = |other: &Policy| {
        let differs = |knob: &&Knob<Setup>| knob.value(&other.setup) != knob.value(&policy.setup);
        Setup::KNOBS.iter().filter(differs).collect::<Vec<_>>()
    };
    // Of equally similar ones, the last.
    let nearest = before
        .iter()
        .rev()
        .min_by_key(|other| differing(other).len())?;
    let knobs = differing(nearest).into_iter().map(|knob| {
        let name = knob.name.trim_end_matches("_seconds").replace('_', " ");
        let unit = knob.unit();
        let space = if unit.is_empty() { "" } else { " " };
        format!("{name} {}{space}{unit}", knob.value(&policy.setup))
    });
    let knobs = knobs.collect::<Vec<_>>().join(", ");
    Some(format!("like “{}”, but {knobs}", nearest.name))
}

/// Whether the service recovered, and when.
#[must_use]
pub fn ending(run: &PolicyRun) -> Ending {
    let (mark, words) = match (run.cut, run.back_after) {
        (Some(Cut::Cancelled), _) => (Mark::Open, "cancelled".to_owned()),
        (Some(Cut::Requests | Cut::InFlight), _) => (Mark::Failed, "cut short".to_owned()),
        (None, Some(_)) if run.lost() == 0 => (Mark::Ok, "never down".to_owned()),
        (None, Some(after)) if after.is_zero() => (Mark::Ok, "back at once".to_owned()),
        (None, Some(after)) => (Mark::Ok, format!("back after {}", duration(after))),
        (None, None) => (Mark::Failed, "still down".to_owned()),
    };
    Ending { mark, words }
}

/// Why the lab cut a run short, if it did.
fn cut_short(run: &PolicyRun) -> Option<&'static str> {
    match run.cut? {
        Cut::Cancelled => None,
        Cut::Requests => Some("it reached a million requests, the most that the lab simulates"),
        Cut::InFlight => Some("5000 calls were in flight, the most that the lab simulates"),
    }
}

/// The results of a run's calls in a few figures.
pub(super) fn brief(run: &PolicyRun) -> String {
    let totals = run.totals;
    let calls = match storm_success(run) {
        None => "no calls".to_owned(),
        Some(share) => format!("{share} of {} calls succeeded", totals.calls),
    };
    let requests = format!("{:.2} requests each", run.amplification);
    let latency = totals.latency.map(|latency| {
        let [median, p99] = [latency.median, latency.p99].map(duration);
        format!("median {median}, p99 {p99}")
    });
    let cut = cut_short(run).map(|why| format!("cut short: {why}"));
    let parts = [cut, Some(calls), Some(requests), latency];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

/// The number of services that recovered.
#[must_use]
pub fn storm_result(storm: &Storm) -> String {
    let endings = storm.policies.iter().map(|run| ending(run).mark);
    let back = endings.filter(|mark| *mark == Mark::Ok).count();
    format!("{back} of {} services recovered", storm.policies.len())
}

/// The conclusions of a storm: headings, each with a text.
#[must_use]
pub fn storm_learnt(storm: &Storm) -> Vec<(&'static str, String)> {
    let parts = [
        (
            "What happened",
            Some(happened(storm)).filter(|it| !it.is_empty()),
        ),
        ("The answer", answer(storm)),
        ("The lesson", Some(storm.story.lesson.to_owned())),
        (
            "The model leaves out",
            Some(storm.story.left_out.to_owned()),
        ),
    ];
    let parts = parts.into_iter();
    parts
        .filter_map(|(title, text)| Some((title, text?)))
        .collect()
}

/// The story's answer if the storm shows it, and if not, why it is withheld; none if the
/// story has no answer for this incident.
fn answer(storm: &Storm) -> Option<String> {
    let answer = storm.story.answer?;
    let answer = match storm.shows_the_answer {
        Some(true) => answer,
        Some(false) => "With these settings, the storm does not show the story's answer.",
        None => {
            "The story's answer is about policies that were not all simulated to their end here."
        }
    };
    Some(answer.to_owned())
}

/// The results that the pictures do not show clearly.
fn happened(storm: &Storm) -> String {
    let cut = storm.policies.iter().find_map(|run| {
        let why = cut_short(run)?;
        Some(format!("\"{}\" was cut short: {why}.", run.policy.name))
    });
    let sentences = [cut, fewest_and_most_lost(storm), wasted_work(storm)];
    sentences
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(" ")
}

/// The policies with the fewest and the most lost calls, if the service recovered under every policy.
fn fewest_and_most_lost(storm: &Storm) -> Option<String> {
    let runs = &storm.policies;
    let least = runs.iter().min_by_key(|run| run.lost())?;
    let most = runs.iter().max_by_key(|run| run.lost())?;
    let is_back = |run: &PolicyRun| run.back_after.is_some();
    (runs.iter().all(is_back) && least.lost() < most.lost()).then(|| {
        let of = |run: &PolicyRun| format!("{} of {}", run.lost(), run.totals.calls);
        format!(
            "The service recovered under every policy. The fewest calls were lost under \"{}\" \
             ({}), the most under \"{}\" ({}).",
            least.policy.name,
            of(least),
            most.policy.name,
            of(most),
        )
    })
}

/// The share of wasted work of the services that stayed down, if their queue takes longer
/// than the timeout.
fn wasted_work(storm: &Storm) -> Option<String> {
    let down = || storm.policies.iter().filter(|run| run.stayed_down());
    let worst = down().next()?;
    let names: Vec<_> = down()
        .map(|run| format!("\"{}\"", run.policy.name))
        .collect();
    if waiting(worst) < storm.capacity_per_second * storm.settings.timeout.as_secs_f64() {
        return None;
    }
    let worked = per_second(worst.at_end(), |step| step.worked);
    let useful = per_second(worst.at_end(), |step| step.goodput);
    let wasted = 100.0 * (1.0 - useful / worked.max(1.0)).max(0.0);
    Some(format!(
        "Callers wait {} for a response, and the queue takes longer: under {}, {wasted:.0} % of \
         the work is for callers who have left.",
        duration(storm.settings.timeout),
        names.join(" and "),
    ))
}

/// A figure: its column, its short heading (none if the terminal does not show it), and
/// the function for its cell.
type Figure = (
    Column,
    Option<[&'static str; 2]>,
    fn(&PolicyRun) -> Option<String>,
);

const FIGURES: [Figure; 13] = [
    (words("policy"), Some(["", "policy"]), |run| {
        Some(run.policy.name.to_string())
    }),
    (words("service"), None, |run| Some(ending(run).words)),
    (number("calls that succeeded"), None, |run| {
        storm_success(run)
    }),
    (number("calls lost"), None, |run| {
        Some(run.lost().to_string())
    }),
    (
        number("requests per call"),
        Some(["requests", "per call"]),
        |run| Some(format!("{:.2}", run.amplification)),
    ),
    (
        number("work for callers who had left"),
        Some(["work", "wasted"]),
        |run| {
            let worked = run.totals.useful + run.totals.abandoned;
            (worked > 0).then(|| percent(run.totals.abandoned, worked))
        },
    ),
    (
        number("median latency"),
        Some(["median", "latency"]),
        |run| Some(duration(run.totals.latency?.median)),
    ),
    (
        number("99th percentile latency"),
        Some(["p99", "latency"]),
        |run| Some(duration(run.totals.latency?.p99)),
    ),
    (number("requests/s at the end"), None, |run| {
        let requests = per_second(run.at_end(), |step| step.requests);
        Some(format!("{requests:.0}"))
    }),
    (
        number("successful calls/s at the end"),
        Some(["calls/s", "ok"]),
        |run| {
            let goodput = per_second(run.at_end(), |step| step.goodput);
            Some(format!("{goodput:.0}"))
        },
    ),
    (
        number("queued requests at the end"),
        Some(["requests", "queued"]),
        |run| Some(format!("{:.0}", waiting(run))),
    ),
    (
        optional(number("tokens of a client at the end")),
        Some(["tokens", "left"]),
        |run| Some(format!("{:.1}", run.steps.last()?.tokens?)),
    ),
    (
        optional(number(
            "attempts in flight that a client allows itself at the end",
        )),
        Some(["limit", ""]),
        |run| Some(format!("{:.1}", run.steps.last()?.limit?)),
    ),
];

/// The figures of a storm: a row for each policy.
#[must_use]
pub fn storm_figures(storm: &Storm) -> Table {
    let row = |run| TableRow {
        cells: FIGURES.map(|(.., cell)| cell(run)).into(),
        failed: ending(run).mark == Mark::Failed,
    };
    Table {
        columns: FIGURES.map(|(column, ..)| column).into(),
        rows: storm.policies.iter().map(row).collect(),
    }
    .without_empty_columns()
}

/// The figures of a storm that the lines of a terminal do not show: the heading of each
/// column, in two lines, and the cells of each policy.
#[must_use]
pub fn storm_figures_in_short(storm: &Storm) -> (Vec<[&'static str; 2]>, Vec<Vec<Option<String>>>) {
    let is_shown = |(column, _, cell): &&Figure| {
        !column.optional || storm.policies.iter().any(|run| cell(run).is_some())
    };
    let shown = || {
        let figures = FIGURES.iter().filter(is_shown);
        figures.filter_map(|(_, short, cell)| Some((short.as_ref()?, cell)))
    };
    let cells = |run| shown().map(|(_, cell)| cell(run)).collect();
    (
        shown().map(|(short, _)| *short).collect(),
        storm.policies.iter().map(cells).collect(),
    )
}

/// The average number of queued requests in the last quarter.
fn waiting(run: &PolicyRun) -> f64 {
    per_second(run.at_end(), |step| step.waiting) * STEP.as_secs_f64()
}

/// A share in per cent, rounded down: 100 % means all.
fn percent(part: u64, of: u64) -> String {
    format!("{} %", 100 * part / of.max(1))
}

/// The share of the calls that succeeded, in per cent; none without a call. It is below
/// 100 % if calls were lost; calls still in flight can leave it at 100 %.
#[must_use]
pub fn storm_success(run: &PolicyRun) -> Option<String> {
    let totals = run.totals;
    let rounded = (200 * totals.succeeded + totals.calls) / (2 * totals.calls.max(1));
    let most = if totals.failed > 0 { 99 } else { 100 };
    (totals.calls > 0).then(|| format!("{} %", rounded.min(most)))
}
