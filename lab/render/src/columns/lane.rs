//! Stacked columns, with a line and levels on the same scale.

use std::fmt::Write;

use maud::{Markup, html};

use super::{Fill, Ground, percent};
use crate::page::short;

/// The share of the height that the highest column takes, if nothing else sets the scale.
const HIGHEST: f64 = 0.92;

/// The share of a column that is drawn if there are gaps.
const WITH_GAP: f64 = 0.78;

/// A label of a peak stands to the left of it, unless it is this near to the left edge, in
/// percent.
const NEAR_EDGE: f64 = 12.0;

/// The label of a level above this height stands below it, in percent.
const HIGH: f64 = 60.0;

/// Stacked columns over time, with a line and levels on the same scale.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Columns {
    /// What is shown, for a screen reader.
    pub title: String,
    /// What is stacked. [`Fill`] has the order of the stack.
    pub series: Vec<Series>,
    /// A line with a step for each column, which is not part of the stack.
    pub line: Option<Vec<f64>>,
    /// Values with a line through the whole picture.
    pub levels: Vec<Level>,
    /// The value at the top of a scale that several pictures share. What is higher is cut, and
    /// the highest value is printed where it is. Without it the scale is that of this picture,
    /// and its highest value is printed at the left edge.
    pub top: Option<f64>,
    /// What follows a printed value, as in `/s`.
    pub unit: &'static str,
}

/// A series of a stack.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Its look, and with it its place in the stack.
    pub fill: Fill,
    /// Its value in each column from the left. There may be fewer than the axis has columns: the
    /// others are not known yet.
    pub values: Vec<f64>,
}

/// A value with a line through the whole picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Level {
    /// The value.
    pub value: f64,
    /// What it is; empty if the legend says so.
    pub label: String,
}

/// A part of a column, in percent of the height from the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Part {
    pub(super) fill: Fill,
    pub(super) column: usize,
    pub(super) from: f64,
    pub(super) to: f64,
}

impl Columns {
    /// The picture for a cell of a table, with its values in words.
    #[must_use]
    pub fn draw(&self, ground: &Ground) -> Markup {
        html! {
            svg.cols role="img" aria-label=(self.title) {
                (ground.behind())
                (self.stack(ground))
                (self.drawn_line(ground))
                @for level in &self.levels { (self.level(level)) }
                (self.highest_label(ground))
            }
        }
    }

    /// A small picture without words: the columns alone, with what happened behind them.
    #[must_use]
    pub fn small(&self, ground: &Ground) -> Markup {
        html! {
            svg.cols.small aria-hidden="true" {
                (ground.drawn_bands())
                (self.stack(ground))
                line.flat x2="100%" y1="100%" y2="100%" {}
            }
        }
    }

    /// The highest value of the columns and of the line, with the column that has it first; none
    /// if all are zero.
    #[must_use]
    pub fn highest(&self) -> Option<(usize, f64)> {
        let line = self.line.iter().flatten().copied().enumerate();
        let values = self.sums().into_iter().enumerate().chain(line);
        let positive = values.filter(|(_, value)| *value > 0.0);
        positive.reduce(|highest, next| if next.1 > highest.1 { next } else { highest })
    }

    /// The sum of each column.
    fn sums(&self) -> Vec<f64> {
        let columns = self.series.iter().map(|series| series.values.len()).max();
        let value = |series: &Series, column| series.values.get(column).copied().unwrap_or(0.0);
        (0..columns.unwrap_or(0))
            .map(|column| self.series.iter().map(|series| value(series, column)).sum())
            .collect()
    }

    /// The value at the top of the picture.
    fn scale(&self) -> f64 {
        let own = || self.highest().map_or(1.0, |(_, highest)| highest / HIGHEST);
        self.top.filter(|top| *top > 0.0).unwrap_or_else(own)
    }

    /// The parts of the stacked columns, in the order of their looks.
    pub(super) fn parts(&self) -> Vec<Part> {
        let mut series: Vec<_> = self.series.iter().collect();
        series.sort_by_key(|series| series.fill);
        let scale = self.scale();
        let mut sums = vec![0.0; self.sums().len()];
        let mut parts = Vec::new();
        for series in series {
            for (column, (sum, value)) in sums.iter_mut().zip(&series.values).enumerate() {
                let from = height(*sum, scale);
                *sum += value;
                let to = height(*sum, scale);
                if to > from {
                    parts.push(Part {
                        fill: series.fill,
                        column,
                        from,
                        to,
                    });
                }
            }
        }
        parts
    }

    fn stack(&self, ground: &Ground) -> Markup {
        let share = if ground.has_gaps { WITH_GAP } else { 1.0 };
        let width = share * ground.across(ground.column);
        let indent = (ground.across(ground.column) - width) / 2.0;
        let mut parts = self.parts();
        parts.retain(|part| part.column < ground.columns());
        html! {
            @for parts in parts.chunk_by(|one, next| one.fill == next.fill) {
                g class=[parts.first().map(|part| part.fill.class())] { @for part in parts {
                    @let x = ground.across(ground.start(part.column)) + indent;
                    rect x=(percent(x)) width=(percent(width.min(100.0 - x)))
                        y=(percent(100.0 - part.to)) height=(percent(part.to - part.from)) {}
                } }
            }
        }
    }

    /// The line, in a nested picture whose unit is a column and a percent of the height. Nothing
    /// but this line is stretched, and its stroke is not.
    fn drawn_line(&self, ground: &Ground) -> Markup {
        let Some(values) = &self.line else {
            return Markup::default();
        };
        let scale = self.scale();
        let mut path = String::new();
        let columns = values.iter().take(ground.columns());
        for (column, value) in columns.enumerate() {
            let y = short(100.0 - height(*value, scale));
            // Writing to a text cannot fail.
            let _ = match column {
                0 => write!(path, "M0 {y}H1"),
                _ => write!(path, "V{y}H{}", column + 1),
            };
        }
        html! {
            svg viewBox={ "0 0 " (ground.columns()) " 100" } preserveAspectRatio="none" width="100%" height="100%" {
                path.line d=(path) {}
            }
        }
    }

    fn level(&self, level: &Level) -> Markup {
        let height = height(level.value, self.scale());
        let y = percent(100.0 - height);
        // Above a high level there is no room.
        let dy = if height > HIGH { "1.1em" } else { "-4" };
        html! {
            line.level x2="100%" y1=(y) y2=(y) {}
            @if !level.label.is_empty() {
                text.tick x="100%" dx="-4" y=(y) dy=(dy) text-anchor="end" { (level.label) }
            }
        }
    }

    /// The highest value: at the left edge, or where the shared scale cuts it.
    fn highest_label(&self, ground: &Ground) -> Markup {
        let Some((column, highest)) = self.highest() else {
            return Markup::default();
        };
        let words = format!("{highest:.0}{}", self.unit);
        let x = ground.across(ground.start(column));
        html! {
            @if self.top.is_none() {
                text.tick.peak x="0" dx="4" y="1em" { (words) }
            } @else if highest > self.scale() && x >= NEAR_EDGE {
                text.tick.peak x=(percent(x)) dx="-4" y="1em" text-anchor="end" { (words) }
            } @else if highest > self.scale() {
                text.tick.peak x=(percent(x + ground.across(ground.column))) dx="4" y="1em" { (words) }
            }
        }
    }
}

/// The height of a value in percent. One beyond the scale is at its end.
fn height(value: f64, scale: f64) -> f64 {
    100.0 * (value / scale).clamp(0.0, 1.0)
}
