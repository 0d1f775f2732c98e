//! A defence of the reference client, and the text for a run without it.

use serde::Serialize;

/// A defence of the reference client, which another client of the lab lacks.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Defence {
    /// Its name: the id of the [rule](judge::rules) that it keeps, if it keeps one.
    pub id: &'static str,
    /// The behaviour of the client without it, as a sentence.
    pub instead: &'static str,
    /// The file of the defence, relative to the root of the repository.
    pub file: &'static str,
    /// The rules of the wire that break without it in the first of `shows_in`; empty for a
    /// promise to the caller that the wire cannot show.
    pub breaks: &'static [&'static str],
    /// The scenarios in which it matters, with their own settings. It is most visible in the
    /// first.
    pub shows_in: &'static [&'static str],
}

impl Defence {
    /// Whether it matters in a scenario.
    #[must_use]
    pub fn shows_in(&self, scenario: &str) -> bool {
        self.shows_in.contains(&scenario)
    }

    /// The scenario in which it is most visible.
    #[must_use]
    #[expect(clippy::indexing_slicing, reason = "every defence has a scenario")]
    pub fn shows_best_in(&self) -> &'static str {
        self.shows_in[0]
    }

    /// The text for a run without it.
    #[must_use]
    pub fn remark(&self, scenario: &str) -> String {
        let Self { id, file, .. } = self;
        if self.shows_in(scenario) {
            format!("{} The defence is {file}.", self.instead)
        } else {
            format!(
                "Without {id}, the results of this scenario are the same. They differ in {}.",
                self.shows_in.join(", ")
            )
        }
    }
}
