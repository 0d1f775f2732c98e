//! The texts of a scenario.

use crate::{
    lesson::{Lesson, Sentence},
    question::Question,
    verdict::Evidence,
};

/// The texts of a scenario, before and after a run.
///
/// Title, question, hint and unsolved problem are shown with every run, so they must be
/// true under all settings and for every client. Texts about a run are [`Sentence`]s, each
/// with the runs that it is true of.
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
    /// Why it matters: each sentence with the runs that it is true of.
    pub lessons: &'static [Sentence],
    /// The problem that remains even with a good client.
    pub unsolved: &'static str,
}

impl ScenarioWords {
    /// The lesson of the run with this evidence; `next` is the command to try after it.
    #[must_use]
    pub fn lesson(&self, evidence: Evidence<'_>, next: String) -> Lesson {
        let true_of_it = self
            .lessons
            .iter()
            .filter(|sentence| sentence.is_true_of(evidence));
        Lesson {
            why: true_of_it.map(|sentence| sentence.text).collect(),
            without: evidence
                .client
                .without
                .map(|without| without.remark(self.name)),
            unsolved: self.unsolved,
            next,
        }
    }

    /// The sentences that are true of every run.
    pub fn always(&self) -> impl Iterator<Item = &'static str> {
        let sentences = self.lessons.iter();
        let general = sentences.filter(|sentence| sentence.client.is_none());
        general.map(|sentence| sentence.text)
    }
}
