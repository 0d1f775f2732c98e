//! The texts of a scenario.

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
