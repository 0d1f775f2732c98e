//! The picture of a policy: a column for each stretch of time, with the calls that started, the
//! calls that succeeded, and the requests that the service completed. Some of these requests
//! were useless: their attempts had timed out. All pictures of a storm have the same axes.

use std::{fmt::Write, time::Duration};

use maud::{Markup, html as markup};
use render::{
    Axis,
    page::{ValueAxis, short},
    round,
};

use crate::{
    Incident, Settings, Setup, Step,
    results::{
        STEP,
        figures::{moment, rate},
    },
};

/// The most columns of a picture.
const COLUMNS: usize = 80;

/// The most that an axis of rates shows, as a multiple of the usual load or the limit:
/// beyond that, a spike would flatten everything else.
const HIGHEST: f64 = 2.5;

/// The leading digits of a round number of steps, in tenths.
const STEPS: [u64; 4] = [10, 20, 50, 100];

/// The axes of the pictures of a storm, and everything else that they share.
pub(super) struct Frame {
    /// The axis of time.
    axis: Axis,
    columns: usize,
    steps_per_column: usize,
    /// The axis of rates, in calls or requests per second.
    rates: ValueAxis,
    /// The requests per second beyond which some fail.
    pub(super) limit: f64,
    /// What sets this limit.
    pub(super) limit_kind: &'static str,
    /// The highest load, if it is above the axis.
    beyond: Option<f64>,
    pub(super) incident: Option<Interval>,
}

/// The time of an incident, with a label at its end.
pub(super) struct Interval {
    starts: Duration,
    ends: Duration,
    label: String,
    /// The side of the label that lies at the end: the side with more room.
    anchor: &'static str,
}

impl Frame {
    /// The axes for these settings.
    pub(super) fn of(settings: &Settings) -> Self {
        let (steps_per_column, columns) = columns(settings);
        let (limit, limit_kind) = settings.limit_per_second();
        let most = settings.highest_load();
        let shown = most
            .max(limit)
            .min(HIGHEST * limit.max(settings.calls_per_second));
        // Arrivals vary around this average.
        let rates = ValueAxis::including(1.1 * shown);
        Self {
            axis: Axis::of_length(settings.length),
            columns,
            steps_per_column,
            limit,
            limit_kind,
            beyond: (most > rates.top).then_some(most),
            rates,
            incident: (settings.incident != Incident::None).then(|| incident(settings)),
        }
    }

    /// What the axes mean.
    pub(super) fn remark(&self) -> String {
        let column = moment(STEP * u32::try_from(self.steps_per_column).unwrap_or(u32::MAX));
        let beyond = self.beyond.map(|load| {
            let load = rate(load);
            format!(" The load of {load} calls/s is above the axis.")
        });
        format!(
            "Calls and requests per second, over the time since the start. Each column is {column} \
             of time.{}",
            beyond.unwrap_or_default()
        )
    }

    /// The drawing of these steps. `title` and `text` are the ids of its name and description.
    pub(super) fn plot(&self, setup: &Setup, steps: &[Step], text: &Markup, ids: &str) -> Markup {
        markup! {
            svg.plot role="img" aria-labelledby=(ids) {
                (text)
                (self.ground())
                (self.curves(setup, steps))
                (self.marks(setup))
            }
        }
    }

    /// The layer below the curves: the incident, and the grid lines of the rates.
    fn ground(&self) -> Markup {
        markup! {
            @if let Some(Interval { starts, ends, .. }) = &self.incident {
                rect.incident x={ (self.across(*starts)) "%" } width={ (self.across(*ends - *starts)) "%" }
                    height="100%" {}
            }
            (self.rates.grid(|rate| format!("{rate:.0}")))
        }
    }

    /// The curves, in a nested picture: one unit is one column, or one call or request per
    /// second.
    fn curves(&self, setup: &Setup, steps: &[Step]) -> Markup {
        let rates = |count: fn(&Step) -> u32| -> Vec<f64> {
            let columns = steps.chunks(self.steps_per_column);
            columns.map(|column| per_second(column, count)).collect()
        };
        let goodput = rates(|step| step.goodput);
        let worked = rates(|step| step.worked);
        let most = f64::from(setup.concurrency.max(1));
        let limits = steps.chunks(self.steps_per_column).filter_map(limit);
        // The whole height is the client's maximum.
        let limits: Vec<_> = limits.map(|limit| self.rates.top * limit / most).collect();
        let view = format!("0 0 {} {}", self.columns, short(self.rates.top));
        markup! {
            svg viewBox=(view) preserveAspectRatio="none" width="100%" height="100%" {
                path.goodput d=(area(&goodput, &self.rates)) {}
                path.wasted d=(stripes(&goodput, &worked, &self.rates)) {}
                path.load d=(line(&rates(|step| step.calls), &self.rates)) {}
                @if !limits.is_empty() { path.limit d=(line(&limits, &self.rates)) {} }
            }
        }
    }

    /// The layer above the curves: the limit, the break-even, and the end of the incident.
    fn marks(&self, setup: &Setup) -> Markup {
        markup! {
            (self.rates.level("capacity", self.limit))
            @if let Some(load) = break_even(self.limit, setup) { (self.rates.level("break-even", load)) }
            @if let Some(Interval { ends, label, anchor, .. }) = &self.incident {
                @let ends = self.across(*ends);
                line.ended x1={ (ends) "%" } x2={ (ends) "%" } y2="100%" {}
                text.ended x={ (ends) "%" } y="-.4em" dx=(if *anchor == "start" { ".2em" } else { "-.2em" })
                    text-anchor=(anchor) { (label) }
            }
            @for tick in &self.axis.ticks {
                text x={ (self.across(tick.at)) "%" } y="100%" dy="1.25em" text-anchor="middle" { (moment(tick.at)) }
            }
        }
    }

    /// The horizontal position of a moment, in percent of the width.
    fn across(&self, moment: Duration) -> f64 {
        100.0 * moment.as_secs_f64() / self.axis.length.as_secs_f64()
    }
}

/// The load at which load × requests per call = limit; none if it is the limit. Above it,
/// an overloaded service can get more requests than it can process for as long as its clients
/// retry.
pub(super) fn break_even(limit: f64, setup: &Setup) -> Option<f64> {
    let most = setup.most_requests();
    (most > 1.0).then_some(limit / most)
}

/// The number of steps in a column, a round number, and the number of columns.
fn columns(settings: &Settings) -> (usize, usize) {
    let steps = settings.steps().max(1);
    let tenths = 10 * steps.div_ceil(COLUMNS) as u64;
    let steps_per_column = (round(tenths, &STEPS) / 10) as usize;
    (steps_per_column, steps.div_ceil(steps_per_column))
}

/// The incident, with a label on the side of its end that has more room.
fn incident(settings: &Settings) -> Interval {
    let ends = settings.incident_ends();
    let words = format!("ends at {}", moment(ends));
    let is_late = ends * 2 > settings.length;
    let (label, anchor) = if is_late {
        (format!("{words} ▲"), "end")
    } else {
        (format!("▲ {words}"), "start")
    };
    Interval {
        starts: settings.incident_starts,
        ends,
        label,
        anchor,
    }
}

/// The average count per second over these steps.
fn per_second(steps: &[Step], count: fn(&Step) -> u32) -> f64 {
    let seconds = STEP.as_secs_f64() * steps.len().max(1) as f64;
    steps.iter().map(|step| f64::from(count(step))).sum::<f64>() / seconds
}

/// The attempts in flight that a client allowed itself in these steps, on average; none
/// without a limit.
fn limit(steps: &[Step]) -> Option<f64> {
    let sum: Option<f64> = steps.iter().map(|step| step.limit).sum();
    sum.map(|sum| sum / steps.len().max(1) as f64)
}

/// Adjacent columns from the ground up to each rate.
fn area(rates: &[f64], axis: &ValueAxis) -> String {
    let mut path = format!("M0 {}", short(axis.top));
    for rate in rates {
        let _ = write!(path, "V{}h1", axis.below_top(*rate));
    }
    path + "V" + &short(axis.top) + "z"
}

/// A narrow stripe in each column, from the first rate to the second. Stripes and filled
/// areas differ even without colour.
fn stripes(from: &[f64], to: &[f64], axis: &ValueAxis) -> String {
    let mut path = String::new();
    for (column, (from, to)) in from.iter().zip(to).enumerate() {
        if to > from {
            let [from, to] = [from, to].map(|rate| axis.below_top(*rate));
            let _ = write!(path, "M{column}.2 {from}V{to}h.6V{from}z");
        }
    }
    path
}

/// A line with a step for each column.
fn line(rates: &[f64], axis: &ValueAxis) -> String {
    let columns = rates.iter().enumerate();
    let points = columns.map(|(column, rate)| (column as f64, Some(*rate)));
    axis.steps(points, rates.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten seconds with an incident from the second to the fourth.
    const SETTINGS: Settings = Settings {
        incident_starts: Duration::from_secs(2),
        incident_lasts: Duration::from_secs(2),
        length: Duration::from_secs(10),
        ..Settings::DEFAULT
    };

    #[test]
    fn a_column_is_a_round_time_and_there_are_at_most_eighty() {
        let frame = |seconds| {
            columns(&Settings {
                length: Duration::from_secs(seconds),
                ..SETTINGS
            })
        };

        let frames = [8, 10, 60, 80, 81, 600].map(frame);

        let expected = [(1, 80), (2, 50), (10, 60), (10, 80), (20, 41), (100, 60)];
        assert_eq!(frames, expected);
    }

    #[test]
    fn a_column_shows_counts_per_second() {
        let step = Step {
            calls: 6,
            goodput: 5,
            worked: 10,
            ..Step::default()
        };

        let curves = Frame::of(&SETTINGS)
            .curves(&Setup::DEFAULT, &[step; 4])
            .into_string();

        // The axis reaches up to 300 calls or requests per second.
        assert!(curves.contains(r#"d="M0 240H2""#), "{curves}");
        assert!(
            curves.contains(r#"d="M0 300V250h1V250h1V300z""#),
            "{curves}"
        );
        assert!(curves.contains("M0.2 250V200h.6V250z"), "{curves}");
        assert!(!curves.contains("limit"), "the client has none");
    }

    #[test]
    fn the_break_even_is_the_capacity_divided_by_the_requests_per_call() {
        let of = |attempts, budget| {
            let setup = Setup {
                attempts,
                budget,
                ..Setup::DEFAULT
            };
            break_even(100.0, &setup).map(f64::round)
        };

        assert_eq!(of(1, 0), None, "it is the capacity");
        assert_eq!(of(3, 0), Some(33.0));
        assert_eq!(of(3, 10), Some(91.0));
    }

    #[test]
    fn the_label_of_the_incident_lies_where_there_is_room_for_it() {
        let of = |starts| {
            let settings = Settings {
                incident_starts: Duration::from_secs(starts),
                ..SETTINGS
            };
            let interval = incident(&settings);
            (interval.anchor, interval.label)
        };

        assert_eq!(of(2), ("start", "▲ ends at 4 s".to_owned()));
        assert_eq!(of(6), ("end", "ends at 8 s ▲".to_owned()));
    }

    #[test]
    fn the_axis_of_rates_extends_beyond_a_spike_unless_it_would_flatten_the_rest() {
        let frame = |spike| Frame::of(&Settings { spike, ..SETTINGS });

        let usual = frame(3.5);
        assert_eq!(usual.beyond, None);
        assert_eq!(usual.rates.labelled, [0.0, 100.0, 200.0]);
        let high = frame(100.0);
        assert_eq!([usual.rates.top, high.rates.top], [300.0, 300.0]);
        let said = "The load of 6000 calls/s is above the axis.";
        assert!(high.remark().ends_with(said), "{}", high.remark());
    }
}
