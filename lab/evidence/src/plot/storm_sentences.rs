//! What is said beside the pictures of a storm: how it was set up, in what policies
//! differ, how each ended, what it shows, and the figures.

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
    /// The same in words.
    pub label: String,
}

/// Whether a service was back at the end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Ending {
    /// Open while it is not known.
    pub mark: Mark,
    /// The same in words.
    pub words: String,
}

/// How a storm is set up, in a few words each.
#[must_use]
pub fn storm_terms(settings: &Settings) -> Vec<String> {
    let load = match settings.load {
        Load::Open => format!("{} calls/s", settings.calls_per_second),
        Load::Closed => format!(
            "{} callers, who think for {}",
            settings.callers,
            duration(settings.think)
        ),
    };
    let incident = match settings.incident {
        Incident::None => None,
        Incident::Spike => Some(format!("{} times as many", settings.spike)),
        Incident::Cut => Some(format!(
            "{} of {} workers left",
            settings.workers_left, settings.workers
        )),
        Incident::Pause => Some("nothing is worked on".to_owned()),
        Incident::Refusal => Some(
            match settings.retry_after {
                RetryAfter::None => "only 503",
                RetryAfter::Seconds => "only 503, with a Retry-After in seconds",
                RetryAfter::Date => "only 503, with a date as Retry-After",
            }
            .to_owned(),
        ),
    };
    let [began, ended] = [settings.incident_starts, settings.incident_ends()].map(duration);
    let incident = incident.map(|what| format!("{what} from {began} to {ended}"));
    let service = format!(
        "the service can do {:.0} requests/s, and {} may wait",
        settings.capacity_per_second(),
        settings.queue
    );
    let clients = format!(
        "{} clients, which wait {} for a response",
        settings.clients,
        duration(settings.timeout)
    );
    [Some(load), incident, Some(service), Some(clients)]
        .into_iter()
        .flatten()
        .collect()
}

/// The most requests for each call, on average: attempts, or what a budget pays for.
fn most_requests(setup: &Setup) -> f64 {
    let attempts = f64::from(setup.attempts);
    match setup.budget {
        0 => attempts,
        _ => attempts.min(1.0 + 1.0 / f64::from(setup.calls_per_retry)),
    }
}

/// The load at which load × requests for each call = capacity. Above it a service that
/// is down gets more requests than it can work on, and so stays down.
pub(super) fn break_even(settings: &Settings, policy: &Policy) -> Option<Level> {
    let most = most_requests(&policy.setup);
    let rate = settings.capacity_per_second() / most;
    (most > 1.0).then(|| Level {
        rate,
        label: format!("break-even, {rate:.0} calls/s"),
    })
}

/// What the load is to the service under this policy.
pub(super) fn remark(settings: &Settings, policy: &Policy) -> String {
    let (load, capacity) = (settings.usual_load(), settings.capacity_per_second());
    let most = most_requests(&policy.setup);
    let rounded = (most * 10.0).round() / 10.0;
    let requests = match most {
        ..=1.0 => "1 request".to_owned(),
        _ => format!("at most {rounded} requests"),
    };
    let verdict = match load * most > capacity {
        true => "more than it can do, so it may stay down",
        false => "the service can do that",
    };
    format!(
        "{load:.0} calls/s × {requests} = {:.0}/s: {verdict}.",
        load * most
    )
}

/// In what a policy differs from the one before it that is most like it.
pub(super) fn changed(before: &[Policy], policy: &Policy) -> Option<String> {
    let differing = |other: &Policy| {
        let differs = |knob: &&Knob<Setup>| knob.value(&other.setup) != knob.value(&policy.setup);
        Setup::KNOBS.iter().filter(differs).collect::<Vec<_>>()
    };
    // Of several that are as like, the last.
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
    Some(format!("as “{}”, but {knobs}", nearest.name))
}

/// Whether a service was back, and since when.
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

/// Why a run was cut short, if the lab did that.
fn cut_short(run: &PolicyRun) -> Option<&'static str> {
    match run.cut? {
        Cut::Cancelled => None,
        Cut::Requests => Some("it came to a million requests, and the lab simulates no more"),
        Cut::InFlight => Some("5000 calls were under way, and the lab simulates no more at once"),
    }
}

/// What the calls of a run came to, in a few figures.
pub(super) fn brief(run: &PolicyRun) -> String {
    let totals = run.totals;
    let calls = match storm_success(run) {
        None => "no calls".to_owned(),
        Some(share) => format!("{share} of {} calls succeeded", totals.calls),
    };
    let requests = format!("{:.2} requests each", run.amplification);
    let latency = totals.latency.map(|latency| {
        let [median, p99] = [latency.median, latency.p99].map(duration);
        format!("half in {median}, 99 % in {p99}")
    });
    let cut = cut_short(run).map(|why| format!("cut short: {why}"));
    let parts = [cut, Some(calls), Some(requests), latency];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

/// How many services recovered.
#[must_use]
pub fn storm_result(storm: &Storm) -> String {
    let endings = storm.policies.iter().map(|run| ending(run).mark);
    let back = endings.filter(|mark| *mark == Mark::Ok).count();
    format!("{back} of {} services recovered", storm.policies.len())
}

/// What there is to learn from a storm: headings, each with a text.
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

/// The story's answer if the storm shows it, and if it does not, why it is not told; none
/// if the story has none for this incident.
fn answer(storm: &Storm) -> Option<String> {
    let answer = storm.story.answer?;
    let answer = match storm.shows_the_answer {
        Some(true) => answer,
        Some(false) => "Set up like this, the storm does not show what the story says of it.",
        None => {
            "The story's answer is about policies that were not all simulated to their end here."
        }
    };
    Some(answer.to_owned())
}

/// What became of the services, as far as it is not plain from the pictures.
fn happened(storm: &Storm) -> String {
    let cut = storm.policies.iter().find_map(|run| {
        let why = cut_short(run)?;
        Some(format!("\"{}\" was cut short: {why}.", run.policy.name))
    });
    let sentences = [cut, who_lost_calls(storm), what_keeps_it_down(storm)];
    sentences
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(" ")
}

/// Where all services are back, what differs is the calls that were lost.
fn who_lost_calls(storm: &Storm) -> Option<String> {
    let runs = &storm.policies;
    let least = runs.iter().min_by_key(|run| run.lost())?;
    let most = runs.iter().max_by_key(|run| run.lost())?;
    let is_back = |run: &PolicyRun| run.back_after.is_some();
    (runs.iter().all(is_back) && least.lost() < most.lost()).then(|| {
        let of = |run: &PolicyRun| format!("{} of {}", run.lost(), run.totals.calls);
        format!(
            "Every service is back. The fewest calls were lost under \"{}\" ({}), the most under \
             \"{}\" ({}).",
            least.policy.name,
            of(least),
            most.policy.name,
            of(most),
        )
    })
}

/// For whom a service works that stays down because its queue takes longer than anyone
/// waits.
fn what_keeps_it_down(storm: &Storm) -> Option<String> {
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

/// A figure: its column, what it is called where there is little room, if it is shown
/// there, and how its cell is made.
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
        number("requests for each call"),
        Some(["requests", "a call"]),
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
        number("half of the calls took at most"),
        Some(["half", "took"]),
        |run| Some(duration(run.totals.latency?.median)),
    ),
    (number("99 of 100 at most"), Some(["99 %", "took"]), |run| {
        Some(duration(run.totals.latency?.p99))
    }),
    (number("requests/s at the end"), None, |run| {
        let requests = per_second(run.at_end(), |step| step.requests);
        Some(format!("{requests:.0}"))
    }),
    (
        number("calls/s that succeed at the end"),
        Some(["calls/s", "ok"]),
        |run| {
            let goodput = per_second(run.at_end(), |step| step.goodput);
            Some(format!("{goodput:.0}"))
        },
    ),
    (
        number("requests that wait at the end"),
        Some(["requests", "wait"]),
        |run| Some(format!("{:.0}", waiting(run))),
    ),
    (
        optional(number("tokens of a client at the end")),
        Some(["tokens", "left"]),
        |run| Some(format!("{:.1}", run.steps.last()?.tokens?)),
    ),
    (
        optional(number(
            "attempts that a client may have in flight at the end",
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

/// The figures of a storm that the lines of a terminal do not show: what stands above
/// each column, in two lines, and the cells of each policy.
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

/// The requests that wait, on average over the last quarter.
fn waiting(run: &PolicyRun) -> f64 {
    per_second(run.at_end(), |step| step.waiting) * STEP.as_secs_f64()
}

/// A share in per cent, rounded down: nothing is all of it but all of it.
fn percent(part: u64, of: u64) -> String {
    format!("{} %", 100 * part / of.max(1))
}

/// The share of the calls that succeeded, in per cent; none without a call. Where calls
/// were lost it is not all of them, and where none was, it is if nearly all have ended.
#[must_use]
pub fn storm_success(run: &PolicyRun) -> Option<String> {
    let totals = run.totals;
    let rounded = (200 * totals.succeeded + totals.calls) / (2 * totals.calls.max(1));
    let most = if totals.failed > 0 { 99 } else { 100 };
    (totals.calls > 0).then(|| format!("{} %", rounded.min(most)))
}
