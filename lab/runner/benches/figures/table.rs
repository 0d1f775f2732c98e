//! The table that is printed.

use std::fmt::Write as _;

use crate::spread::Spread;

/// One line of the table.
pub(crate) struct Line {
    /// What was measured.
    pub(crate) what: String,
    /// What it came to.
    pub(crate) figure: Figure,
    /// What it may come to.
    pub(crate) bound: Bound,
}

/// What a measurement came to.
pub(crate) enum Figure {
    /// A number, which several rounds came to, with its unit.
    Measured(Spread, &'static str),
    /// It was not measured, and this is why.
    Missing(&'static str),
}

/// The bound of a figure.
#[derive(Clone, Copy)]
pub(crate) enum Bound {
    AtMost(f64),
    AtLeast(f64),
    /// It stands beside the others, for comparison.
    None,
}

impl Bound {
    fn holds(self, value: f64) -> Option<bool> {
        match self {
            Self::AtMost(most) => Some(value <= most),
            Self::AtLeast(least) => Some(value >= least),
            Self::None => None,
        }
    }
}

impl Line {
    pub(crate) fn measured(what: &str, spread: Spread, unit: &'static str, bound: Bound) -> Self {
        Self {
            what: what.to_owned(),
            figure: Figure::Measured(spread, unit),
            bound,
        }
    }

    pub(crate) fn missing(what: &str, why: &'static str, bound: Bound) -> Self {
        Self {
            what: what.to_owned(),
            figure: Figure::Missing(why),
            bound,
        }
    }
}

/// The lines one below the other, at most 80 columns wide.
pub(crate) fn table(lines: &[Line]) -> String {
    let mut text = String::from("\n");
    let mut line = |what: &str, median: &str, spread: &str, bound: &str, end: &str| {
        let row = format!("{what:<46} {median:>7} {spread:>11}  {bound:<7} {end}");
        writeln!(text, "{}", row.trim_end()).expect("text takes text");
    };
    line("", "median", "spread", "bound", "");
    for Line {
        what,
        figure,
        bound,
    } in lines
    {
        let limit = match bound {
            Bound::AtMost(most) => format!("<= {}", short(*most)),
            Bound::AtLeast(least) => format!(">= {}", short(*least)),
            Bound::None => String::new(),
        };
        match figure {
            Figure::Measured(spread, unit) => {
                let held = match bound.holds(spread.median) {
                    Some(true) => "held",
                    Some(false) => "MISSED",
                    None => "",
                };
                let median = format!("{}{unit}", short(spread.median));
                let range = match spread.low < spread.high {
                    true => format!("{}-{}", short(spread.low), short(spread.high)),
                    false => String::new(),
                };
                line(what, &median, &range, &limit, held);
            }
            Figure::Missing(why) => line(what, "-", why, &limit, ""),
        }
    }
    text
}

/// Three digits, of which none is behind the point of a large number.
fn short(value: f64) -> String {
    match value.abs() {
        ..10.0 => format!("{value:.3}"),
        ..100.0 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}
