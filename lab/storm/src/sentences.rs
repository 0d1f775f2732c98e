//! The texts of a storm: its setup, the differences between policies, how each ended,
//! the conclusions, and the figures.

use std::time::Duration;

use render::{Column, Mark, Table, TableRow, number, optional, words};
use serde::Serialize;
use wire::duration;

use crate::{
    Cut, Incident, Lead, Load, Parameter, Parameters, PolicyRun, Recovery, RetryAfter, STEP,
    STORIES, Settings, Setup, Storm, StormPolicy, percent, rate,
    readout::{down_at, moment},
    service::ceiling,
    shared_terms::shared_terms,
    story,
};

/// A rate that is marked in a picture.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MarkedRate {
    /// Calls or requests per second.
    pub rate: f64,
    /// The same as text.
    pub label: String,
}

/// Whether the service had recovered at the end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Ending {
    /// Open until that is known.
    pub mark: Mark,
    /// The same as text.
    pub words: String,
}

/// The setup of a storm with these policies, one phrase each: the load and its clients, the
/// incident, the service, the timeout of an attempt, and the settings that the policies share.
#[must_use]
pub fn storm_terms<'a>(
    settings: &Settings,
    policies: impl IntoIterator<Item = &'a StormPolicy>,
) -> Vec<String> {
    let policies: Vec<_> = policies.into_iter().collect();
    let setups: Vec<_> = policies.iter().map(|policy| &policy.setup).collect();
    let usual = rate(settings.usual_load(), 0.0);
    let spike = settings.usual_load() * settings.spike;
    let load = match settings.load {
        Load::Open => format!("{usual} calls/s"),
        Load::Closed => format!("{} callers", settings.callers),
    };
    let load = if setups.iter().any(|setup| setup.clients > 0) {
        load
    } else {
        let clients = settings.clients;
        let plural = if clients == 1 { "" } else { "s" };
        format!("{load} from {clients} client{plural}")
    };
    let incident = match settings.incident {
        Incident::None => None,
        Incident::Spike if settings.load == Load::Closed => {
            Some(format!("{} callers", settings.most_callers()))
        }
        Incident::Spike => Some(format!("{}/s", rate(spike, 0.0))),
        Incident::Cut => {
            let Settings {
                workers,
                workers_left,
                ..
            } = settings;
            Some(format!("{workers_left} of {workers} workers"))
        }
        Incident::Pause => Some("the service hangs".to_owned()),
        Incident::Refusal => Some("only 503s".to_owned()),
    };
    let [began, ended] = [settings.incident_starts, settings.incident_ends()].map(moment);
    let retry_after = match (settings.incident, settings.retry_after) {
        (Incident::None, _) | (_, RetryAfter::None) => String::new(),
        (_, RetryAfter::Seconds) => {
            format!(", each 503 with the seconds until {ended} as Retry-After")
        }
        (_, RetryAfter::Date) => {
            let date = moment(Duration::from_secs(ceiling(settings.incident_ends())));
            format!(", each 503 with the date of {date} as Retry-After")
        }
    };
    let incident = incident.map(|what| format!("{what} from {began} to {ended}{retry_after}"));
    let (workers, queue) = (settings.workers, settings.queue);
    let capacity = rate(settings.capacity_per_second(), 0.0);
    let workers = match workers {
        1 => "1 worker handles".to_owned(),
        _ => format!("{workers} workers handle"),
    };
    let service = format!("{workers} {capacity}/s, the queue holds {queue}");
    let timeout = format!("an attempt times out after {}", moment(settings.timeout));
    let terms = [Some(load), incident, Some(service), Some(timeout)];
    let terms = terms.into_iter().flatten();
    let with_names = policies.iter().filter(|policy| is_of_a_story(policy));
    let mut with_names: Vec<_> = with_names.map(|policy| &policy.setup).collect();
    if with_names.is_empty() {
        with_names = setups;
    }
    terms.chain(shared_terms(settings, &with_names)).collect()
}

/// Whether the name of a policy tells its difference from the others: those of users are
/// names only.
fn is_of_a_story(policy: &StormPolicy) -> bool {
    let of_stories = STORIES.iter().flat_map(|story| story.policies);
    of_stories.into_iter().any(|known| known == policy)
}

/// The setup of each policy whose name does not tell it, as a sentence, unless it is the only
/// one.
pub(super) fn unnamed_setups(policies: &[StormPolicy]) -> Vec<String> {
    let described = policies.iter().enumerate().filter_map(|(number, policy)| {
        let before = policies.get(..number)?;
        let difference = changed(before, policy).filter(|_| !is_of_a_story(policy))?;
        Some(format!("\"{}\" is {difference}.", policy.name))
    });
    described.collect()
}

/// The load at which load × requests per call = capacity. Above it, an overloaded service
/// can get more requests than it can process for as long as its clients retry.
#[must_use]
pub fn break_even(settings: &Settings, policy: &StormPolicy) -> Option<MarkedRate> {
    let most = policy.setup.most_requests();
    let load = settings.capacity_per_second() / most;
    (most > 1.0).then(|| MarkedRate {
        rate: load,
        label: format!("break-even, {} calls/s", rate(load, settings.usual_load())),
    })
}

/// The load compared with the capacity under this policy.
pub(super) fn remark(settings: &Settings, policy: &StormPolicy) -> String {
    let (load, capacity) = (settings.usual_load(), settings.capacity_per_second());
    let most = policy.setup.most_requests();
    let rounded = (most * 10.0).round() / 10.0;
    let requests = match most {
        ..=1.0 => "1 request".to_owned(),
        _ => format!("at most {rounded} requests"),
    };
    let verdict = if load * most > capacity {
        "more than the service can do, so it may stay down"
    } else {
        "the service can do this"
    };
    format!(
        "{} calls/s × {requests} = {}/s: {verdict}.",
        rate(load, 0.0),
        rate(load * most, capacity)
    )
}

/// The difference from the most similar of the earlier policies.
pub(super) fn changed(before: &[StormPolicy], policy: &StormPolicy) -> Option<String> {
    let differing = |other: &StormPolicy| {
        let differs = |parameter: &&Parameter<Setup>| {
            parameter.value(&other.setup) != parameter.value(&policy.setup)
        };
        Setup::PARAMETERS.iter().filter(differs).collect::<Vec<_>>()
    };
    // Of equally similar ones, the last.
    let nearest = before.iter().rev();
    let nearest = nearest.min_by_key(|other| differing(other).len())?;
    let parameters = differing(nearest).into_iter().map(|parameter| {
        let name = parameter
            .name
            .trim_end_matches("_seconds")
            .replace('_', " ");
        let unit = parameter.unit();
        let space = if unit.is_empty() { "" } else { " " };
        format!("{name} {}{space}{unit}", parameter.value(&policy.setup))
    });
    let parameters = parameters.collect::<Vec<_>>().join(", ");
    Some(if parameters.is_empty() {
        format!("like \"{}\"", nearest.name)
    } else {
        format!("like \"{}\", but {parameters}", nearest.name)
    })
}

/// How a policy ended: with the figure that the story is about, unless the service did not
/// recover.
#[must_use]
pub fn ending(lead: Lead, run: &PolicyRun) -> Ending {
    let (mark, words) = match (run.cut, run.recovery) {
        (Some(Cut::Cancelled), _) => (Mark::Open, "cancelled".to_owned()),
        (Some(Cut::Requests | Cut::InFlight), _) => (Mark::Failed, "cut short".to_owned()),
        (None, Recovery::Down) => (Mark::Failed, down_at(run)),
        (None, Recovery::NotUpBefore) => (Mark::Open, "not up before".to_owned()),
        (None, Recovery::Unknown) => (Mark::Open, "not known".to_owned()),
        (None, Recovery::NoIncident) => lost_calls(run),
        (None, Recovery::Recovered { after }) => match lead {
            Lead::Recovery if after.is_zero() => (Mark::Ok, "back at once".to_owned()),
            Lead::Recovery => (Mark::Ok, format!("back after {}", duration(after))),
            Lead::LostCalls => lost_calls(run),
            Lead::RetryPeak => (Mark::Open, format!("{} retries", run.retry_peak())),
        },
    };
    Ending { mark, words }
}

/// The lost calls, a figure that is neither good nor bad by itself unless it is none.
fn lost_calls(run: &PolicyRun) -> (Mark, String) {
    match run.lost() {
        0 => (Mark::Ok, "no call lost".to_owned()),
        lost => (Mark::Open, format!("{lost} lost")),
    }
}

/// The heading of the figure that each row starts with.
#[must_use]
pub fn lead_title(lead: Lead) -> &'static str {
    match lead {
        Lead::Recovery => "recovery",
        Lead::LostCalls => "calls",
        Lead::RetryPeak => "most in 0.1 s",
    }
}

/// The results of a run's calls in a few figures.
pub(super) fn brief(run: &PolicyRun) -> String {
    let totals = run.totals;
    let calls = match run.success() {
        None => "no calls".to_owned(),
        Some(share) => format!("{share} % of {} calls succeeded", totals.calls),
    };
    let open = (totals.in_flight > 0).then(|| format!("{} had not ended", totals.in_flight));
    let requests = format!("{:.2} requests per call", run.amplification);
    let latency = totals.latency.map(|latency| {
        let [median, p99] = [latency.median, latency.p99].map(duration);
        format!("median {median}, p99 {p99}")
    });
    let cut = run.cut.and_then(Cut::why);
    let cut = cut.map(|why| format!("cut short: {why}"));
    let parts = [cut, Some(calls), open, Some(requests), latency];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

/// The conclusions of a storm: headings, each with a text. A storm that does not show the
/// story's answer does not show its lesson either.
#[must_use]
pub fn storm_learnt(storm: &Storm) -> Vec<(&'static str, String)> {
    let some = |text: &str| Some(text.to_owned());
    let happened = Some(storm.happened()).filter(|text| !text.is_empty());
    let shows_the_answer = storm.shows_the_answer == Some(true);
    let lesson = shows_the_answer.then_some(storm.story.lesson);
    let parts = [
        ("The answer", answer(storm)),
        ("What happened", happened),
        ("The lesson", lesson.map(str::to_owned)),
        ("The model leaves out", some(storm.story.left_out)),
        ("The source", some(storm.story.source)),
    ];
    let parts = parts.into_iter();
    parts
        .filter_map(|(title, text)| Some((title, text?)))
        .collect()
}

/// The story's answer if the storm shows it, and if not, why it is withheld; none if the
/// story has no answer for this incident, or has other settings: the answer holds numbers of
/// its own.
fn answer(storm: &Storm) -> Option<String> {
    let answer = storm.story.answer?;
    let answer = match storm.shows_the_answer {
        Some(true) => {
            let own = story(storm.story.name).ok()?.settings;
            Some(answer).filter(|_| own == storm.settings)?
        }
        Some(false) => "With these settings, the storm does not show the story's answer.",
        None => {
            "The story's answer is about policies that were not all simulated to their end here."
        }
    };
    Some(answer.to_owned())
}

/// A figure: its column, and the function for its cell.
type Figure = (Column, fn(&Settings, &PolicyRun) -> Option<String>);

const FIGURES: [Figure; 16] = [
    (words("policy"), |_, run| Some(run.policy.name.to_string())),
    (words("service"), |_, run| {
        Some(ending(Lead::Recovery, run).words)
    }),
    (number("% of the calls succeeded"), |_, run| run.success()),
    (number("calls lost"), |_, run| Some(run.lost().to_string())),
    (number("calls not ended"), |_, run| {
        Some(run.totals.in_flight.to_string())
    }),
    (number("requests refused"), |_, run| {
        Some(run.totals.rejected.to_string())
    }),
    (number("most retries in 0.1 s"), |_, run| {
        Some(run.retry_peak().to_string())
    }),
    (number("requests per call"), |_, run| {
        Some(format!("{:.2}", run.amplification))
    }),
    (
        number("% of the work for attempts that had timed out"),
        |_, run| {
            let worked = run.totals.useful + run.totals.abandoned;
            (worked > 0).then(|| percent(run.totals.abandoned, worked))
        },
    ),
    (number("median latency"), |_, run| {
        Some(duration(run.totals.latency?.median))
    }),
    (number("99th percentile latency"), |_, run| {
        Some(duration(run.totals.latency?.p99))
    }),
    (number("requests/s at the end"), |settings, run| {
        run.at_end_rate(settings, |step| step.requests)
    }),
    (number("successful calls/s at the end"), |settings, run| {
        run.at_end_rate(settings, |step| step.goodput)
    }),
    (number("queued requests at the end"), |settings, run| {
        let waiting = run.at_end_per_second(settings, |step| step.waiting)?;
        let waiting = waiting * STEP.as_secs_f64();
        Some(rate(waiting, waiting))
    }),
    (
        optional(number("tokens of a client at the end")),
        |_, run| Some(format!("{:.1}", run.steps.last()?.tokens?)),
    ),
    (
        optional(number(
            "attempts in flight that a client allows itself at the end",
        )),
        |_, run| Some(format!("{:.1}", run.steps.last()?.limit?)),
    ),
];

/// The figures of a storm: a row for each policy.
#[must_use]
pub fn storm_figures(storm: &Storm) -> Table {
    let row = |run| {
        let cells = FIGURES.iter().map(|(_, cell)| cell(&storm.settings, run));
        TableRow {
            cells: cells.collect(),
            failed: ending(Lead::Recovery, run).mark == Mark::Failed,
        }
    };
    let columns = FIGURES.iter().map(|(column, _)| *column);
    let table = Table {
        columns: columns.collect(),
        rows: storm.policies.iter().map(row).collect(),
    };
    table.without_empty_columns()
}
