//! A storm as a page shows it: before it is simulated, while its rows come, and at its end.

use std::{collections::BTreeSet, ops::Range, time::Duration};

use render::{
    Axis, Tick,
    columns::{Columns, Fill, Ground, Level, Series, Span},
    round,
};

use crate::{
    Cut, Incident, Plan, PolicyRun, Progress, Settings, Step, Storm, StormPolicy,
    results::{
        STEP,
        figures::{Periods, moment, rate},
        word::{NoWord, Word},
    },
};

/// The most columns of a chart.
const COLUMNS: usize = 60;

/// The most that a chart shows, as a multiple of the usual load or the limit: beyond that, a
/// spike would flatten everything else.
const HIGHEST: f64 = 2.5;

/// Arrivals vary around their average by so much.
const ABOVE_AVERAGE: f64 = 1.25;

/// The leading digits of a round number, in tenths.
const ROUND: [u64; 4] = [10, 20, 50, 100];

/// The parts of the axis between two labels, about.
const PARTS: u32 = 6;

/// A label of the axis needs this share of its length.
const LABEL: f64 = 0.09;

/// A storm as a page shows it. It keeps what the page shows, and not the steps.
#[derive(Clone, Debug)]
pub struct StormPicture {
    pub(super) plan: Plan,
    pub(super) rows: Vec<Row>,
}

/// A row: a policy, with what is known of its run.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) policy: StormPolicy,
    counts: Counts,
    pub(super) ended: Option<Ended>,
}

/// Counts per second, one for each column so far.
#[derive(Clone, Debug, Default)]
struct Counts {
    /// Calls that succeeded, when they ended.
    good: Vec<f64>,
    /// Requests that the service completed for attempts that had timed out.
    wasted: Vec<f64>,
    /// Requests that arrived.
    arriving: Vec<f64>,
}

/// The run of a policy that has ended, without its steps.
#[derive(Clone, Debug)]
pub(super) struct Ended {
    pub(super) run: PolicyRun,
    /// The most retries in a tenth of a second.
    pub(super) retry_peak: u32,
    pub(super) last: Option<Step>,
}

impl StormPicture {
    /// A storm before it is simulated.
    #[must_use]
    pub fn begun(plan: Plan) -> Self {
        let row = |policy: &StormPolicy| Row {
            policy: policy.clone(),
            counts: Counts::default(),
            ended: None,
        };
        Self {
            rows: plan.policies.iter().map(row).collect(),
            plan,
        }
    }

    /// A storm that is over.
    #[must_use]
    pub fn of(storm: &Storm) -> Self {
        let policies = storm.policies.iter().map(|run| run.policy.clone());
        let mut picture = Self::begun(Plan {
            story: storm.story,
            settings: storm.settings,
            policies: policies.collect(),
            seed: storm.seed,
        });
        for (number, run) in storm.policies.iter().enumerate() {
            picture.add(&Progress::Ended(number, run));
        }
        picture
    }

    /// Adds the progress of its simulation.
    pub fn add(&mut self, progress: &Progress<'_>) {
        let (&number, steps) = match progress {
            Progress::Steps(number, steps) => (number, *steps),
            Progress::Ended(number, run) => (number, &*run.steps),
        };
        let per_column = steps_per_column(&self.plan.settings);
        let Some(row) = self.rows.get_mut(number) else {
            return;
        };
        let rates = |count: fn(&Step) -> u32| -> Vec<f64> {
            let columns = steps.chunks(per_column);
            columns.map(|column| per_second(column, count)).collect()
        };
        row.counts = Counts {
            good: rates(|step| step.goodput),
            wasted: rates(|step| step.abandoned),
            arriving: rates(|step| step.requests),
        };
        if let Progress::Ended(_, run) = progress {
            row.ended = Some(Ended {
                retry_peak: run.retry_peak(),
                last: run.steps.last().copied(),
                run: PolicyRun {
                    steps: Vec::new(),
                    ..(*run).clone()
                },
            });
        }
    }

    /// Its plan.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Whether every policy was simulated to its end, or to the most that the lab simulates.
    #[must_use]
    pub fn has_every_run(&self) -> bool {
        let is_cancelled = |ended: &Ended| ended.run.cut == Some(Cut::Cancelled);
        let mut rows = self.rows.iter().map(|row| row.ended.as_ref());
        rows.all(|ended| ended.is_some_and(|ended| !is_cancelled(ended)))
    }

    /// Whether every policy has ended, and none was cut short.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        let is_whole = |row: &Row| {
            row.ended
                .as_ref()
                .is_some_and(|ended| ended.run.cut.is_none())
        };
        self.rows.iter().all(is_whole)
    }

    /// The lesson of its story: none with other settings than the story's own, or before every
    /// policy has ended.
    #[must_use]
    pub fn lesson(&self) -> Option<&'static str> {
        self.plan.lesson().filter(|_| self.is_whole())
    }

    /// How each policy ended, in a phrase.
    #[must_use]
    pub fn result(&self) -> String {
        let phrases = self.runs().map(phrase);
        phrases.collect::<Vec<_>>().join("; ")
    }

    /// The runs that have ended.
    pub(super) fn runs(&self) -> impl Iterator<Item = &PolicyRun> + Clone {
        let ended = self.rows.iter().filter_map(|row| row.ended.as_ref());
        ended.map(|ended| &ended.run)
    }

    /// The words of the runs that have ended.
    pub(super) fn words(&self) -> impl Iterator<Item = Word> {
        self.runs().filter_map(|run| run.word)
    }

    /// Why a row has no word, for each reason.
    pub(super) fn missing_words(&self) -> BTreeSet<NoWord> {
        let without = self.runs().filter(|run| run.cut.is_none());
        let reasons = without.map(|run| NoWord::of(&self.plan.settings, &run.figures));
        reasons.flatten().collect()
    }

    /// What all charts share: the axis of time, and the incident.
    pub(super) fn ground(&self) -> Ground {
        let settings = &self.plan.settings;
        let steps = u32::try_from(steps_per_column(settings)).unwrap_or(u32::MAX);
        Ground {
            axis: Axis {
                length: settings.length,
                ticks: ticks(settings),
            },
            column: STEP * steps,
            bands: incident(settings).into_iter().collect(),
            ..Ground::default()
        }
    }

    /// The times of the shares *before* and *end*, if they are parts of the axis.
    pub(super) fn periods(&self) -> Vec<Span> {
        let settings = &self.plan.settings;
        let periods = Periods::of(settings);
        let named = [(periods.before, "before"), (periods.end, "end")];
        let spans = named.into_iter().map(|(time, name)| Span {
            time,
            name: name.to_owned(),
        });
        if settings.incident == Incident::None {
            Vec::new()
        } else {
            spans.collect()
        }
    }

    /// The chart of the calls that start, on average.
    pub(super) fn new_calls(&self) -> Columns {
        let settings = &self.plan.settings;
        let [usual, most] = [settings.calls_per_second, settings.highest_load()].map(rate);
        let spike = if settings.incident == Incident::Spike {
            format!(", in the spike {most}")
        } else {
            String::new()
        };
        let (limit, kind) = settings.limit_per_second();
        Columns {
            title: format!("new calls per second: {usual}{spike}"),
            line: Some(loads(settings, &self.ground())),
            levels: vec![Level {
                value: limit,
                label: format!("{kind} {}/s", rate(limit)),
            }],
            ..self.chart()
        }
    }

    /// The chart of a row, which may tell how it ended.
    pub(super) fn chart_of(&self, row: &Row, tells_ending: bool) -> Columns {
        let Counts {
            good,
            wasted,
            arriving,
        } = &row.counts;
        let series = |fill, values: &[f64]| Series {
            fill,
            values: values.to_vec(),
        };
        let ended = row.ended.as_ref().filter(|_| tells_ending);
        let title = ended.map_or_else(
            || format!("{}: calls and requests per second", row.policy.name),
            |ended| phrase(&ended.run),
        );
        Columns {
            title,
            series: vec![series(Fill::Good, good), series(Fill::Wasted, wasted)],
            line: Some(arriving.clone()),
            ..self.chart()
        }
    }

    /// An empty chart, with the limit and the scale that all share.
    pub(super) fn chart(&self) -> Columns {
        let (limit, _) = self.plan.settings.limit_per_second();
        Columns {
            title: "not simulated yet".to_owned(),
            levels: vec![Level {
                value: limit,
                label: String::new(),
            }],
            top: Some(top(&self.plan.settings)),
            unit: "/s",
            ..Columns::default()
        }
    }

    /// Which of the series of the charts occur.
    pub(super) fn occurs(&self, rows: usize) -> Occurs {
        let rows = || self.rows.iter().take(rows).map(|row| &row.counts);
        let any = |values: &[f64]| values.iter().any(|value| *value > 0.0);
        Occurs {
            good: rows().any(|counts| any(&counts.good)),
            wasted: rows().any(|counts| any(&counts.wasted)),
            arriving: rows().any(|counts| any(&counts.arriving)),
        }
    }
}

/// The series that occur in a chart.
pub(super) struct Occurs {
    pub(super) good: bool,
    pub(super) wasted: bool,
    pub(super) arriving: bool,
}

impl Row {
    /// Whether it has anything to show.
    pub(super) fn has_begun(&self) -> bool {
        self.ended.is_some() || !self.counts.arriving.is_empty()
    }
}

/// How a policy ended, or the calls that it lost.
fn phrase(run: &PolicyRun) -> String {
    let ending = match run.ending() {
        none if none.is_empty() => format!("{} calls lost", run.figures.lost),
        ending => ending,
    };
    format!("{}: {ending}", run.policy.name)
}

/// The load at which load × requests per call = limit; none if it is the limit. Above it, an
/// overloaded service can get more requests than it can process for as long as its clients retry.
pub(super) fn break_even(limit: f64, policy: &StormPolicy) -> Option<f64> {
    let most = policy.setup.most_requests();
    (most > 1.0).then_some(limit / most)
}

/// The value at the top of all charts.
fn top(settings: &Settings) -> f64 {
    let (limit, _) = settings.limit_per_second();
    let highest = settings.highest_load().max(limit);
    ABOVE_AVERAGE * highest.min(HIGHEST * limit.max(settings.calls_per_second))
}

/// The number of steps in a column: a round number.
fn steps_per_column(settings: &Settings) -> usize {
    let tenths = 10 * settings.steps().max(1).div_ceil(COLUMNS) as u64;
    (round(tenths, &ROUND) / 10) as usize
}

/// The time of the incident.
fn incident(settings: &Settings) -> Option<Range<Duration>> {
    let incident = settings.incident_starts..settings.incident_ends();
    (settings.incident != Incident::None).then_some(incident)
}

/// The labelled moments. The end of the incident has a mark, and takes the place of labels that
/// are too near.
fn ticks(settings: &Settings) -> Vec<Tick> {
    let millis = (settings.length / PARTS).as_millis();
    let step = round(u64::try_from(millis).unwrap_or(u64::MAX), &ROUND);
    let moments = (0..).map(|number| Duration::from_millis(number * step));
    let moments = moments.take_while(|at| *at <= settings.length);
    let mut ticks: Vec<_> = moments
        .map(|at| Tick {
            at,
            label: moment(at),
        })
        .collect();
    if let Some(incident) = incident(settings) {
        let near = settings.length.mul_f64(LABEL);
        ticks.retain(|tick| tick.at.abs_diff(incident.end) > near);
        ticks.push(Tick {
            at: incident.end,
            label: format!("▲ {}", moment(incident.end)),
        });
    }
    ticks
}

/// The calls that start per second, on average, in each column.
fn loads(settings: &Settings, ground: &Ground) -> Vec<f64> {
    let column = |number: usize| {
        let starts = ground.column * u32::try_from(number).unwrap_or(u32::MAX);
        let ends = (starts + ground.column).min(settings.length);
        let spike = incident(settings).map_or(Duration::ZERO, |incident| {
            let end = ends.min(incident.end);
            end.saturating_sub(starts.max(incident.start))
        });
        let share = spike.as_secs_f64() / (ends - starts).as_secs_f64();
        let usual = settings.calls_per_second;
        usual + (settings.highest_load() - usual) * share
    };
    (0..ground.columns()).map(column).collect()
}

/// The average count per second over these steps.
fn per_second(steps: &[Step], count: fn(&Step) -> u32) -> f64 {
    let seconds = STEP.as_secs_f64() * steps.len().max(1) as f64;
    steps.iter().map(|step| f64::from(count(step))).sum::<f64>() / seconds
}
