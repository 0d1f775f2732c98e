//! An axis of values for a picture, and lines with steps on it.

use std::fmt::Write;

use maud::{Markup, html as markup};

use crate::axis::round;

/// The leading digits of a round step between two labelled values, in tenths.
const STEPS: [u64; 4] = [10, 20, 50, 100];

/// An axis of values, from zero at the bottom.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueAxis {
    /// Its end.
    pub top: f64,
    /// The labelled values.
    pub labelled: Vec<f64>,
}

impl ValueAxis {
    /// The axis that includes a value, with round whole values below its end.
    #[must_use]
    pub fn including(most: f64) -> Self {
        let tenths = (most * 10.0).ceil() as u64;
        let step = round((tenths / 4).max(10), &STEPS).div_ceil(10) as f64;
        let top = (most / step).ceil().max(1.0) * step;
        let labelled = (0..).map(|tick| f64::from(tick) * step);
        Self {
            top,
            labelled: labelled.take_while(|value| *value < top).collect(),
        }
    }

    /// The vertical position of a value, in percent of the height from the top.
    #[must_use]
    pub fn down(&self, value: f64) -> f64 {
        100.0 * (1.0 - value / self.top)
    }

    /// A line across the picture at a value.
    #[must_use]
    pub fn level(&self, class: &str, value: f64) -> Markup {
        let y = self.down(value);
        markup! { line class=(class) x2="100%" y1={ (y) "%" } y2={ (y) "%" } {} }
    }

    /// A line at each labelled value, with its label before the picture.
    #[must_use]
    pub fn grid(&self, label: impl Fn(f64) -> String) -> Markup {
        markup! {
            @for value in &self.labelled {
                (self.level("rule", *value))
                text.rate x="-.5em" y={ (self.down(*value)) "%" } dy=".35em" text-anchor="end" {
                    (label(*value))
                }
            }
        }
    }

    /// The distance of a value from the top, in values. A value beyond the axis is at its end.
    #[must_use]
    pub fn below_top(&self, value: f64) -> String {
        short(self.top - value.min(self.top))
    }

    /// A line that keeps the value of each point until the next one, and that of the last until
    /// the end. A point without a value begins a gap.
    #[must_use]
    pub fn steps(&self, points: impl IntoIterator<Item = (f64, Option<f64>)>, end: f64) -> String {
        let mut path = String::new();
        let mut last = None;
        for (x, value) in points {
            let y = value.map(|value| self.below_top(value));
            if y == last {
                continue;
            }
            let x = short(x);
            // Writing to a text cannot fail.
            let _ = match (&last, &y) {
                (None, Some(y)) => write!(path, "M{x} {y}"),
                (Some(_), Some(y)) => write!(path, "H{x}V{y}"),
                (_, None) => write!(path, "H{x}"),
            };
            last = y;
        }
        if last.is_some() {
            let _ = write!(path, "H{}", short(end));
        }
        path
    }
}

/// A number with one decimal, unless it is whole.
#[must_use]
pub fn short(number: f64) -> String {
    let tenths = (number * 10.0).round() / 10.0;
    tenths.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_includes_its_value_and_labels_a_few_round_ones() {
        for most in 0..3_000_u32 {
            let axis = ValueAxis::including(f64::from(most));

            assert!(axis.top >= f64::from(most), "{most}: {axis:?}");
            assert!((1..=5).contains(&axis.labelled.len()), "{most}: {axis:?}");
            assert!(axis.labelled.iter().all(|value| value.fract() == 0.0));
        }
    }

    #[test]
    fn a_line_changes_at_its_points_only_and_has_a_gap_without_a_value() {
        let axis = ValueAxis {
            top: 10.0,
            labelled: Vec::new(),
        };
        let points = [
            (0.0, Some(1.0)),
            (1.0, Some(1.0)),
            (2.0, Some(4.0)),
            (3.0, None),
            (4.0, None),
            (5.0, Some(12.0)),
        ];

        assert_eq!(axis.steps(points, 9.0), "M0 9H2V6H3M5 0H9");
        assert_eq!(axis.steps([(0.0, None)], 9.0), "");
    }
}
