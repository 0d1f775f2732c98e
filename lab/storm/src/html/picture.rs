//! The picture of a policy: a column for each stretch of time, with the calls that started, the
//! calls that succeeded, and the requests that the service completed. Some of these requests
//! were useless: their attempts had timed out. All pictures of a storm have the same axes.

use std::{fmt::Write, time::Duration};

use maud::{Markup, html as markup};
use render::{Axis, round};

use crate::{
    Incident, Settings, Setup, Step,
    results::{
        STEP,
        figures::{moment, rate},
    },
};

/// The most columns of a picture.
const COLUMNS: usize = 80;

/// The most that an axis of rates shows, as a multiple of the usual load or the capacity:
/// beyond that, a spike would flatten everything else.
const HIGHEST: f64 = 2.5;

/// The leading digits of a round number of steps, or of a round step between two rates,
/// in tenths.
const STEPS: [u64; 4] = [10, 20, 50, 100];

/// The axes of the pictures of a storm, and everything else that they share.
pub(super) struct Frame {
    /// The axis of time.
    axis: Axis,
    columns: usize,
    steps_per_column: usize,
    /// The end of the axis of rates, in calls or requests per second.
    top: f64,
    /// The labelled rates.
    rates: Vec<f64>,
    /// The requests that the service can process per second.
    pub(super) capacity: f64,
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
        let capacity = settings.capacity_per_second();
        let most = settings.highest_load();
        let shown = most
            .max(capacity)
            .min(HIGHEST * capacity.max(settings.calls_per_second));
        let (top, rates) = rates(shown);
        Self {
            axis: Axis::of_length(settings.length),
            columns,
            steps_per_column,
            top,
            rates,
            capacity,
            beyond: (most > top).then_some(most),
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
            @for rate in &self.rates {
                (self.level("rule", *rate))
                text.rate x="-.5em" y={ (self.down(*rate)) "%" } dy=".35em" text-anchor="end" {
                    (format!("{rate:.0}"))
                }
            }
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
        let limits: Vec<_> = limits.map(|limit| self.top * limit / most).collect();
        let view = format!("0 0 {} {}", self.columns, short(self.top));
        markup! {
            svg viewBox=(view) preserveAspectRatio="none" width="100%" height="100%" {
                path.goodput d=(area(&goodput, self.top)) {}
                path.wasted d=(stripes(&goodput, &worked, self.top)) {}
                path.load d=(line(&rates(|step| step.calls), self.top)) {}
                @if !limits.is_empty() { path.limit d=(line(&limits, self.top)) {} }
            }
        }
    }

    /// The layer above the curves: the capacity, the break-even, and the end of the incident.
    fn marks(&self, setup: &Setup) -> Markup {
        markup! {
            (self.level("capacity", self.capacity))
            @if let Some(load) = break_even(self.capacity, setup) { (self.level("break-even", load)) }
            @if let Some(Interval { ends, label, anchor, .. }) = &self.incident {
                @let ends = self.across(*ends);
                line.ended x1={ (ends) "%" } x2={ (ends) "%" } y2="100%" {}
                text.ended x={ (ends) "%" } y="-.4em" dx=(if *anchor == "start" { ".2em" } else { "-.2em" })
                    text-anchor=(anchor) { (label) }
            }
            @for tick in &self.axis.ticks {
                text x={ (self.across(tick.at)) "%" } y="100%" dy="1.25em" text-anchor="middle" { (tick.label) }
            }
        }
    }

    fn level(&self, class: &str, rate: f64) -> Markup {
        let y = self.down(rate);
        markup! { line class=(class) x2="100%" y1={ (y) "%" } y2={ (y) "%" } {} }
    }

    /// The horizontal position of a moment, in percent of the width.
    fn across(&self, moment: Duration) -> f64 {
        100.0 * moment.as_secs_f64() / self.axis.length.as_secs_f64()
    }

    /// The vertical position of a rate, in percent of the height from the top.
    fn down(&self, rate: f64) -> f64 {
        100.0 * (1.0 - rate / self.top)
    }
}

/// The load at which load × requests per call = capacity; none if it is the capacity. Above it,
/// an overloaded service can get more requests than it can process for as long as its clients
/// retry.
pub(super) fn break_even(capacity: f64, setup: &Setup) -> Option<f64> {
    let most = setup.most_requests();
    (most > 1.0).then_some(capacity / most)
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
    let words = format!("the incident ends at {}", moment(ends));
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

/// The end of an axis that includes this rate, and round rates below it.
fn rates(most: f64) -> (f64, Vec<f64>) {
    let tenths = (most * 10.0).ceil() as u64;
    let step = round((tenths / 4).max(10), &STEPS).div_ceil(10) as f64;
    // Arrivals vary around this average.
    let top = (1.1 * most / step).ceil().max(1.0) * step;
    let rates = (0..).map(|tick| f64::from(tick) * step);
    (top, rates.take_while(|rate| *rate < top).collect())
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
fn area(rates: &[f64], top: f64) -> String {
    let mut path = format!("M0 {}", short(top));
    for rate in rates {
        let _ = write!(path, "V{}h1", short(top - rate.min(top)));
    }
    path + "V" + &short(top) + "z"
}

/// A narrow stripe in each column, from the first rate to the second. Stripes and filled
/// areas differ even without colour.
fn stripes(from: &[f64], to: &[f64], top: f64) -> String {
    let mut path = String::new();
    for (column, (from, to)) in from.iter().zip(to).enumerate() {
        if to > from {
            let [from, to] = [from, to].map(|rate| short(top - rate.min(top)));
            let _ = write!(path, "M{column}.2 {from}V{to}h.6V{from}z");
        }
    }
    path
}

/// A line with a step for each column.
fn line(rates: &[f64], top: f64) -> String {
    let mut path = String::new();
    for (column, rate) in rates.iter().enumerate() {
        let start = if column == 0 { "M0 " } else { "V" };
        let _ = write!(path, "{start}{}h1", short(top - rate.min(top)));
    }
    path
}

/// A number with one decimal, unless it is whole.
fn short(number: f64) -> String {
    let tenths = (number * 10.0).round() / 10.0;
    tenths.to_string()
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
        assert!(curves.contains(r#"d="M0 240h1V240h1""#), "{curves}");
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

        assert_eq!(of(2), ("start", "▲ the incident ends at 4 s".to_owned()));
        assert_eq!(of(6), ("end", "the incident ends at 8 s ▲".to_owned()));
    }

    #[test]
    fn the_axis_of_rates_extends_beyond_a_spike_unless_it_would_flatten_the_rest() {
        let frame = |spike| Frame::of(&Settings { spike, ..SETTINGS });

        let usual = frame(3.5);
        assert_eq!(usual.beyond, None);
        assert_eq!((usual.rates, usual.top), (vec![0.0, 100.0, 200.0], 300.0));
        let high = frame(100.0);
        assert!((high.top - 300.0).abs() < 1e-9, "{}", high.top);
        let said = "The load of 6000 calls/s is above the axis.";
        assert!(high.remark().ends_with(said), "{}", high.remark());
    }
}
