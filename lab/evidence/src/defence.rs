//! A defence of the reference client, and what shows where it is taken away.

use schemars::JsonSchema;
use serde::Serialize;

/// A defence of the reference client that a player of the lab has not.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Defence {
    /// What it is called: the id of the [rule](crate::rules) that it keeps, if it keeps
    /// one.
    pub id: &'static str,
    /// What the client does without it, as a sentence.
    pub instead: &'static str,
    /// The file that is the defence, from the root of the repository.
    pub file: &'static str,
    /// The rules of the wire that break without it where it shows first; none of a
    /// promise to the caller, which the wire knows nothing of.
    pub breaks: &'static [&'static str],
    /// The scenarios in which it has something to do, as they are by themselves. In the
    /// first it shows best.
    pub shows_in: &'static [&'static str],
}

impl Defence {
    /// Whether it has something to do in a scenario.
    #[must_use]
    pub fn shows_in(&self, scenario: &str) -> bool {
        self.shows_in.contains(&scenario)
    }

    /// The scenario in which it shows best.
    #[must_use]
    #[expect(clippy::indexing_slicing, reason = "every defence shows somewhere")]
    pub fn shows_best_in(&self) -> &'static str {
        self.shows_in[0]
    }

    /// What is to be said of a run without it.
    #[must_use]
    pub fn remark(&self, scenario: &str) -> String {
        let Self { id, file, .. } = self;
        match self.shows_in(scenario) {
            true => format!("{} The defence is {file}.", self.instead),
            false => format!(
                "{id} has nothing to do in this scenario, so nothing is missed. It shows in {}.",
                self.shows_in.join(", ")
            ),
        }
    }
}
