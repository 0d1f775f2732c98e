//! The loads of a table: numbers and ranges of calls per second.

use std::str::FromStr;

use crate::{OptionError, options::checked_load};

/// The most runs of one table: policies × loads × seeds.
const MOST_RUNS: usize = 200;

/// Loads in calls per second, in the order in which they are shown.
///
/// As text they are numbers and ranges with a step, such as `40,60,80` or `40..100:10`.
#[derive(Clone, Debug, PartialEq)]
pub struct Loads(pub(crate) Vec<f64>);

/// Why a text is no list of loads.
#[derive(Debug, thiserror::Error)]
pub enum LoadsError {
    /// A part of it is neither a number nor a range.
    #[error("write numbers and ranges with a step, such as 40,60,80 or 40..100:10")]
    Form,
    /// A range has no load, or more than a table has room for.
    #[error("a range must have from 1 to {MOST_RUNS} loads")]
    Range,
    /// A load is outside its bounds.
    #[error(transparent)]
    OutOfBounds(#[from] OptionError),
}

/// A table has too many runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{policies} policies, {loads} loads and {seeds} seeds make {} runs, but at most {MOST_RUNS} \
     are simulated; {}",
    self.runs(),
    self.advice()
)]
pub struct TooManyRuns {
    policies: usize,
    loads: usize,
    seeds: usize,
}

impl TooManyRuns {
    fn runs(&self) -> usize {
        self.policies * self.loads * self.seeds
    }

    /// How to ask for less.
    fn advice(&self) -> String {
        let fewer = "name fewer loads, or fewer policies with --policy";
        match MOST_RUNS / (self.policies * self.loads) {
            0 => fewer.to_owned(),
            seeds => format!("add --seeds {seeds}, or {fewer}"),
        }
    }
}

impl Loads {
    /// The number of the runs of a table with so many policies, and so many seeds of each cell.
    pub(crate) fn runs(&self, policies: usize, seeds: u32) -> Result<u32, TooManyRuns> {
        let too_many = TooManyRuns {
            policies,
            loads: self.0.len(),
            seeds: seeds as usize,
        };
        let runs = too_many.runs();
        if runs > MOST_RUNS {
            return Err(too_many);
        }
        Ok(u32::try_from(runs).unwrap_or(u32::MAX))
    }
}

impl FromStr for Loads {
    type Err = LoadsError;

    fn from_str(text: &str) -> Result<Self, LoadsError> {
        let parts = text.split(',').map(|part| match part.split_once("..") {
            None => Ok(vec![load(part)?]),
            Some((from, rest)) => {
                let (to, step) = rest.split_once(':').ok_or(LoadsError::Form)?;
                range(load(from)?, load(to)?, number(step)?)
            }
        });
        let parts: Vec<_> = parts.collect::<Result<_, LoadsError>>()?;
        Ok(Self(parts.concat()))
    }
}

fn number(text: &str) -> Result<f64, LoadsError> {
    text.trim().parse().map_err(|_| LoadsError::Form)
}

fn load(text: &str) -> Result<f64, LoadsError> {
    Ok(checked_load(number(text)?)?)
}

/// The loads from the first to the last, both included.
fn range(from: f64, to: f64, step: f64) -> Result<Vec<f64>, LoadsError> {
    let steps = (to - from) / step;
    // A step of zero or less leads to no such number, and neither does NaN.
    if !(0.0..MOST_RUNS as f64).contains(&steps) || step <= 0.0 {
        return Err(LoadsError::Range);
    }
    // Sums of such numbers as 0.1 are not exact.
    let last = (steps + 1e-9) as usize;
    let loads = (0..=last).map(|number| {
        let load = from + step * number as f64;
        (load * 1e6).round() / 1e6
    });
    Ok(loads.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loads_are_numbers_and_ranges_with_both_ends() {
        for (text, loads) in [
            ("40,60,80", &[40.0, 60.0, 80.0][..]),
            ("40..100:20", &[40.0, 60.0, 80.0, 100.0]),
            ("40..99:20", &[40.0, 60.0, 80.0]),
            ("0.1..0.4:0.1", &[0.1, 0.2, 0.3, 0.4]),
            ("7, 20..30:10", &[7.0, 20.0, 30.0]),
            ("60..60:1", &[60.0]),
        ] {
            assert_eq!(text.parse::<Loads>().expect("loads").0, loads, "{text}");
        }
    }

    #[test]
    fn any_other_text_is_refused_with_a_reason() {
        let form = "write numbers and ranges with a step, such as 40,60,80 or 40..100:10";
        let range = "a range must have from 1 to 200 loads";
        let bounds = "the number of calls per second must be a number from 0.1 to 1000, got ";
        for (text, reason) in [
            ("", form),
            ("40,", form),
            ("40..100", form),
            ("40-100", form),
            ("40..100:x", form),
            ("100..40:10", range),
            ("40..100:0", range),
            ("40..100:-10", range),
            ("40..100:NaN", range),
            ("40..40:0", range),
            ("1..1000:0.1", range),
            ("0", bounds),
            ("inf", bounds),
            ("10..2000:500", bounds),
        ] {
            let error = text.parse::<Loads>().expect_err(text).to_string();
            assert!(error.starts_with(reason), "{text}: {error}");
        }
    }

    #[test]
    fn a_table_with_too_many_runs_says_how_to_ask_for_less() {
        let runs = |policies, loads, seeds| Loads(vec![60.0; loads]).runs(policies, seeds);
        let error = |policies, loads, seeds| {
            runs(policies, loads, seeds)
                .expect_err("too many")
                .to_string()
        };

        assert_eq!(runs(4, 5, 10), Ok(200));
        assert_eq!(
            error(4, 7, 10),
            "4 policies, 7 loads and 10 seeds make 280 runs, but at most 200 are simulated; add \
             --seeds 7, or name fewer loads, or fewer policies with --policy"
        );
        assert!(
            error(4, 51, 1)
                .ends_with("simulated; name fewer loads, or fewer policies with --policy")
        );
    }
}
