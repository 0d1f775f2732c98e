//! Figures of the storm, each beside the one that somebody published or that follows
//! from a formula.
//!
//! A model that is only shown can show anything. These say how far it is to be trusted.

mod prediction;
mod retries;

use schemars::JsonSchema;
use serde::Serialize;

pub use prediction::prediction;
pub use retries::Retries;

/// The version of the shape of [`Figures`] as JSON. It rises when a member goes, or
/// changes its name, its type or its meaning.
pub const FIGURES_VERSION: u32 = 1;

/// What was simulated, and how it compares.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Figures {
    /// The version of this shape.
    pub schema_version: u32,
    /// What it was drawn from.
    pub seed: u64,
    /// The random generator that draws from the seed.
    pub generator: &'static str,
    /// Requests that the clients sent, in all runs together.
    pub requests: u64,
    /// Whether it was ended before all figures were there.
    pub cancelled: bool,
    /// What was modelled, one after the other.
    pub models: Vec<Model>,
}

/// One model, and the figures that it is held to.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Model {
    /// What is modelled, in a few words.
    pub name: &'static str,
    /// How, in a few sentences.
    pub about: &'static str,
    /// Whose the other figures are.
    pub source: &'static str,
    /// The figures.
    pub figures: Vec<Figure>,
}

/// A figure of ours beside theirs.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Figure {
    /// Under which settings, in a few words.
    pub setting: String,
    /// What is counted or measured, with its unit.
    pub quantity: &'static str,
    /// The two figures.
    pub compared: Compared,
    /// Whether ours is as close to theirs as it has to be.
    pub held: bool,
}

/// Two figures, and how close they have to be.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Compared {
    /// Two numbers, which differ by no more than the tolerance.
    Numbers {
        /// What was simulated here.
        ours: f64,
        /// What was published, or what the formula says.
        theirs: f64,
        /// The largest difference that holds.
        tolerance: f64,
    },
    /// How many runs ended in a certain way: theirs has to be one of the counts that
    /// ours lets expect.
    Counts {
        /// What was simulated here.
        ours: Count,
        /// What was published.
        theirs: Count,
        /// The lowest count that ours lets expect of as many runs as theirs.
        from: u32,
        /// The highest.
        to: u32,
    },
}

/// So many of so many runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Count {
    /// The runs that ended in a certain way.
    pub count: u32,
    /// All of them.
    pub runs: u32,
}

impl Figures {
    /// Whether all figures are there, and every one held.
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
    /// Two numbers that may differ by no more than the tolerance. What is no number
    /// does not hold.
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

    /// Two counts, of which theirs has to lie in the [`prediction`] from ours.
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
    fn a_count_holds_where_ours_lets_expect_it() {
        let held: Vec<_> = (0..=20).filter(|count| of_counts(*count).held).collect();

        assert_eq!(held, (4..=16).collect::<Vec<_>>());
    }

    #[test]
    fn one_figure_that_does_not_hold_is_enough_and_so_is_one_that_is_missing() {
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
