//! The table that is printed.

use std::fmt::Write as _;

use crate::spread::Spread;

/// A row of the table: a label, the unit of its figure, and the bound that the figure has.
#[derive(Clone, Copy)]
pub(crate) struct Row(
    pub(crate) &'static str,
    pub(crate) &'static str,
    pub(crate) Bound,
);

/// A row with its figure, or with the reason why it has none.
pub(crate) struct Line(Row, Result<Spread, &'static str>);

/// The bound of a figure.
#[derive(Clone, Copy)]
pub(crate) enum Bound {
    AtMost(f64),
    AtLeast(f64),
    /// It is shown for comparison.
    None,
}

impl Row {
    /// The line with this figure.
    pub(crate) fn measured(self, figure: Spread) -> Line {
        Line(self, Ok(figure))
    }

    /// The line of a figure that was not measured.
    pub(crate) fn missing(self, why: &'static str) -> Line {
        Line(self, Err(why))
    }
}

/// Formats the lines, at most 80 columns wide.
pub(crate) fn table(lines: &[Line]) -> String {
    let mut text = String::from("\n");
    let mut line = |label: &str, median: &str, spread: &str, bound: &str, end: &str| {
        let row = format!("{label:<46} {median:>7} {spread:>11}  {bound:<7} {end}");
        writeln!(text, "{}", row.trim_end()).expect("text takes text");
    };
    line("", "median", "spread", "bound", "");
    for Line(Row(label, unit, bound), figure) in lines {
        let limit = match bound {
            Bound::AtMost(most) => format!("<= {}", short(*most)),
            Bound::AtLeast(least) => format!(">= {}", short(*least)),
            Bound::None => String::new(),
        };
        match figure {
            Ok(Spread { low, median, high }) => {
                let held = match bound {
                    Bound::None => "",
                    Bound::AtMost(most) if median > most => "MISSED",
                    Bound::AtLeast(least) if median < least => "MISSED",
                    Bound::AtMost(_) | Bound::AtLeast(_) => "held",
                };
                let range = match low < high {
                    true => format!("{}-{}", short(*low), short(*high)),
                    false => String::new(),
                };
                line(
                    label,
                    &format!("{}{unit}", short(*median)),
                    &range,
                    &limit,
                    held,
                );
            }
            Err(why) => line(label, "-", why, &limit, ""),
        }
    }
    text
}

/// Three digits, and no decimals from 100 on.
fn short(value: f64) -> String {
    match value.abs() {
        ..10.0 => format!("{value:.3}"),
        ..100.0 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}
