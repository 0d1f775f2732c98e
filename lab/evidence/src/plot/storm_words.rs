//! What is said beside the pictures of a storm: how it was set up, in what policies
//! differ, how each ended, and the figures.

use super::{
    Ending, Level, Mark,
    storm::{at_end, per_second, usual_load},
    table::{Column, Table, TableRow, number, words},
};
use crate::{
    duration::duration,
    storm::{
        Cut, Knob, Knobs, Load, Policy, PolicyRun, RetryAfter, Settings, Setup, Storm, Trouble,
        Words,
    },
};

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
    let trouble = match settings.trouble {
        Trouble::None => None,
        Trouble::Spike => Some(format!("{} times as many", settings.spike)),
        Trouble::Cut => Some(format!(
            "{} of {} places left",
            settings.places_left, settings.places
        )),
        Trouble::Pause => Some("nothing is worked on".to_owned()),
        Trouble::Refusal => Some(
            match settings.retry_after {
                RetryAfter::None => "only 503",
                RetryAfter::Seconds => "only 503, with a Retry-After in seconds",
                RetryAfter::Date => "only 503, with a date as Retry-After",
            }
            .to_owned(),
        ),
    };
    let [began, ended] = [settings.trouble_begins, settings.trouble_ends()].map(duration);
    let trouble = trouble.map(|what| format!("{what} from {began} to {ended}"));
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
    [Some(load), trouble, Some(service), Some(clients)]
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
    let (load, capacity) = (usual_load(settings), settings.capacity_per_second());
    let most = most_requests(&policy.setup);
    let rounded = (most * 10.0).round() / 10.0;
    let requests = match most {
        ..=1.0 => "1 request".to_owned(),
        _ => format!("at most {rounded} requests"),
    };
    let verdict = match load * most > capacity {
        true => "more than the service can do, so that it can stay down",
        false => "no more than the service can do",
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
pub(super) fn ending(storm: &Storm, run: &PolicyRun) -> Ending {
    let (mark, words) = match (run.cut, storm.back_after(run)) {
        (Some(Cut::Cancelled), _) => (Mark::Open, "cancelled".to_owned()),
        (Some(Cut::Requests), _) => (Mark::Failed, "stopped: too many requests".to_owned()),
        (Some(Cut::InFlight), _) => (Mark::Failed, "stopped: too many calls at once".to_owned()),
        (None, Some(after)) if after.is_zero() => (Mark::Ok, "never down".to_owned()),
        (None, Some(after)) => (Mark::Ok, format!("back after {}", duration(after))),
        (None, None) => (Mark::Failed, "still down".to_owned()),
    };
    Ending { mark, words }
}

/// How many services recovered.
#[must_use]
pub fn storm_result(storm: &Storm) -> String {
    let endings = storm.policies.iter().map(|run| ending(storm, run).mark);
    let back = endings.filter(|mark| *mark == Mark::Ok).count();
    format!("{back} of {} services recovered", storm.policies.len())
}

/// What there is to learn from a storm: headings, each with a text.
#[must_use]
pub fn storm_learnt(storm: &Storm) -> Vec<(&'static str, String)> {
    let Words {
        answer,
        lesson,
        left_out,
        ..
    } = storm.story;
    let answer = match storm.shows_the_answer {
        Some(true) => answer.to_owned(),
        Some(false) => format!("{answer} Set up like this, it does not show."),
        None => format!("{answer} This storm was not played to its end."),
    };
    vec![
        ("The answer", answer),
        ("What to take away", lesson.to_owned()),
        ("What the model leaves out", left_out.to_owned()),
    ]
}

/// A column of the figures, and how its cell is made.
type Figure = (Column, fn(&Storm, &PolicyRun) -> Option<String>);

const FIGURES: [Figure; 9] = [
    (words("policy"), |_, run| Some(run.policy.name.to_string())),
    (words("service"), |storm, run| {
        Some(ending(storm, run).words)
    }),
    (number("calls that succeeded"), |_, run| {
        share(run.totals.succeeded, run.totals.calls)
    }),
    (number("requests for each call"), |_, run| {
        Some(format!("{:.2}", run.amplification()))
    }),
    (number("work for callers who had left"), |_, run| {
        let worked = run.totals.useful + run.totals.abandoned;
        share(run.totals.abandoned, worked)
    }),
    (number("half of the calls took at most"), |_, run| {
        Some(duration(run.totals.latency?.median))
    }),
    (number("99 of 100 at most"), |_, run| {
        Some(duration(run.totals.latency?.p99))
    }),
    (number("requests/s at the end"), |_, run| {
        Some(format!(
            "{:.0}",
            per_second(at_end(run), |step| step.requests)
        ))
    }),
    (number("calls/s that succeed at the end"), |_, run| {
        Some(format!(
            "{:.0}",
            per_second(at_end(run), |step| step.goodput)
        ))
    }),
];

/// The figures of a storm: a row for each policy.
#[must_use]
pub fn storm_figures(storm: &Storm) -> Table {
    let row = |run| TableRow {
        cells: FIGURES.map(|(_, cell)| cell(storm, run)).into(),
        failed: ending(storm, run).mark == Mark::Failed,
    };
    Table {
        columns: FIGURES.map(|(column, _)| column).into(),
        rows: storm.policies.iter().map(row).collect(),
    }
}

fn share(part: u64, of: u64) -> Option<String> {
    (of > 0).then(|| format!("{:.0} %", 100.0 * part as f64 / of as f64))
}
