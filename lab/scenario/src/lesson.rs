//! The texts of a scenario, and the lesson that they make of a run.

use serde::Serialize;

use crate::question::Question;

/// The texts of a scenario, before and after a run.
///
/// Title, question, hint, `why` and unsolved problem are shown with every run, so they must be
/// true under all settings and for every client. `reliable` and `naive` are shown with the runs
/// of these clients under the scenario's own settings, whatever the seed and the pace. With
/// other settings the run alone shows what happened.
#[derive(Clone, Copy, Debug)]
pub struct ScenarioWords {
    /// Its name on the command line.
    pub name: &'static str,
    /// The behaviour of the service, in a few words.
    pub title: &'static str,
    /// The request that the client makes.
    pub request: &'static str,
    /// The question to answer before a run.
    pub question: Question,
    /// A hint for the question.
    pub hint: &'static str,
    /// Why it matters.
    pub why: &'static str,
    /// What the reliable client did.
    pub reliable: &'static str,
    /// What the naive client did.
    pub naive: &'static str,
    /// The problem that remains even with a good client.
    pub unsolved: &'static str,
}

/// The lesson of one run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Lesson {
    /// Why it matters, and what the client did under the scenario's own settings.
    pub why: Vec<&'static str>,
    /// A sentence about the missing defence, if the client is the reference client
    /// without one.
    pub without: Option<String>,
    /// The problem that remains even with a good client.
    pub unsolved: &'static str,
    /// The next command to try, as arguments of `lab`.
    pub next: String,
    /// What that command shows, if it carries a setting: a run with such a setting has no
    /// sentence about its client.
    pub next_shows: Option<&'static str>,
}

impl Lesson {
    /// Why it matters as one paragraph, with the remark on a missing defence.
    #[must_use]
    pub fn paragraph(&self) -> String {
        let why = self.why.iter().copied();
        let sentences: Vec<_> = why.chain(self.without.as_deref()).collect();
        sentences.join(" ")
    }
}
