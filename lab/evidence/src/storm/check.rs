//! Figures of the storm, compared with published ones or with the results of a formula.
//!
//! A model that is checked against nothing can show anything. These figures say how far
//! it can be trusted.

mod prediction;
mod retries;

use schemars::JsonSchema;
use serde::Serialize;

pub use prediction::prediction;
pub use retries::Retries;

/// The version of the JSON format of [`Figures`]. It rises when a member is removed, or
/// changes its name, its type or its meaning.
pub const FIGURES_VERSION: u32 = 1;

/// The simulated models, and the comparison.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Figures {
    /// The version of the JSON format.
    pub schema_version: u32,
    /// The seed of all models.
    pub seed: u64,
    /// The random generator that uses the seed.
    pub generator: &'static str,
    /// The requests that the clients sent, in all runs together.
    pub requests: u64,
    /// Whether it was cancelled before all figures were computed.
    pub cancelled: bool,
    /// The models, in order.
    pub models: Vec<Model>,
}

/// One model, and the figures that it is checked against.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Model {
    /// What is modelled, in a phrase.
    pub name: &'static str,
    /// How it is modelled, in a few sentences.
    pub about: &'static str,
    /// The source of the other figures.
    pub source: &'static str,
    /// The figures.
    pub figures: Vec<Figure>,
}

/// One of our figures compared with theirs.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Figure {
    /// The settings, in a phrase.
    pub setting: String,
    /// What is counted or measured, with its unit.
    pub quantity: &'static str,
    /// The two figures.
    pub compared: Compared,
    /// Whether ours is close enough to theirs.
    pub held: bool,
}

/// Two figures, and how close they must be.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Compared {
    /// Two numbers, which differ by no more than the tolerance.
    Numbers {
        /// The simulated number.
        ours: f64,
        /// The published number, or the result of the formula.
        theirs: f64,
        /// The largest allowed difference.
        tolerance: f64,
    },
    /// The number of runs with a certain end: theirs must be in the range that ours
    /// predicts.
    Counts {
        /// The simulated count.
        ours: Count,
        /// The published count.
        theirs: Count,
        /// The lowest predicted count, for as many runs as theirs.
        from: u32,
        /// The highest predicted count.
        to: u32,
    },
}

/// A number of runs out of all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Count {
    /// The runs with a certain end.
    pub count: u32,
    /// All runs.
    pub runs: u32,
}

impl Figures {
    /// Whether all figures were computed and every one held.
    #[must_use]
    pub fn held(&self) -> bool {
        !self.cancelled && self.all().all(|figure| figure.held)
    }

    /// The figures of all models.
    pub fn all(&self) -> impl Iterator<Item = &Figure> {
        self.models.iter().flat_map(|model| &model.figures)
    }
}

impl Figure {
    /// Two numbers that may differ by at most the tolerance. NaN does not hold.
    #[must_use]
    pub fn of_numbers(
        setting: String,
        quantity: &'static str,
        ours: f64,
        theirs: f64,
        tolerance: f64,
    ) -> Self {
        Self {
            setting,
            quantity,
            compared: Compared::Numbers {
                ours,
                theirs,
                tolerance,
            },
            held: (ours - theirs).abs() <= tolerance,
        }
    }

    /// Two counts: theirs must be in the [`prediction`] from ours.
    #[must_use]
    pub fn of_counts(setting: String, quantity: &'static str, ours: Count, theirs: Count) -> Self {
        let expected = prediction(ours, theirs.runs);
        Self {
            setting,
            quantity,
            compared: Compared::Counts {
                ours,
                theirs,
                from: *expected.start(),
                to: *expected.end(),
            },
            held: expected.contains(&theirs.count),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_numbers(ours: f64) -> Figure {
        Figure::of_numbers(String::new(), "seconds", ours, 2.0, 0.5)
    }

    fn of_counts(count: u32) -> Figure {
        let [ours, theirs] = [(100, 200), (count, 20)].map(|(count, runs)| Count { count, runs });
        Figure::of_counts(String::new(), "stuck", ours, theirs)
    }

    #[test]
    fn a_number_holds_up_to_its_tolerance_and_no_further() {
        let held = [1.4, 1.5, 2.0, 2.5, 2.6, f64::NAN].map(|ours| of_numbers(ours).held);

        assert_eq!(held, [false, true, true, true, false, false]);
    }

    #[test]
    fn a_count_holds_if_it_is_in_the_range_that_ours_predicts() {
        let held: Vec<_> = (0..=20).filter(|count| of_counts(*count).held).collect();

        assert_eq!(held, (4..=16).collect::<Vec<_>>());
    }

    #[test]
    fn a_failed_or_missing_figure_makes_the_check_fail() {
        let figures = |ours: &[f64], cancelled| Figures {
            schema_version: FIGURES_VERSION,
            seed: 1,
            generator: "chacha12",
            requests: 1,
            cancelled,
            models: vec![Model {
                name: "a model",
                about: "",
                source: "",
                figures: ours.iter().copied().map(of_numbers).collect(),
            }],
        };

        assert!(figures(&[2.0, 2.1], false).held());
        assert!(!figures(&[2.0, 9.0], false).held());
        assert!(!figures(&[2.0], true).held());
    }
}
