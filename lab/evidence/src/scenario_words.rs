//! The words of a scenario.

use crate::{
    lesson::{Lesson, Sentence},
    question::Question,
    verdict::Evidence,
};

/// What a scenario says, before and after it is run.
///
/// Title, question, hint and what is left unsolved are shown with every run, so
/// they hold under all settings and speak of no client in particular. What
/// speaks of a run is a [`Sentence`], and says of which runs it is true.
#[derive(Clone, Copy, Debug)]
pub struct ScenarioWords {
    /// What it is called on the command line.
    pub name: &'static str,
    /// What the service does, in a few words.
    pub title: &'static str,
    /// The request that the client makes.
    pub request: &'static str,
    /// What to ask oneself before looking.
    pub question: Question,
    /// Something to think about, for whoever is stuck.
    pub hint: &'static str,
    /// Why it matters: each sentence with the runs that it is true of.
    pub lessons: &'static [Sentence],
    /// What is still unsolved with a client that does well.
    pub unsolved: &'static str,
}

impl ScenarioWords {
    /// What a run teaches that left this behind; `next` is what to try after it.
    #[must_use]
    pub fn lesson(&self, evidence: Evidence<'_>, next: String) -> Lesson {
        let true_of_it = self
            .lessons
            .iter()
            .filter(|sentence| sentence.is_true_of(evidence));
        Lesson {
            why: true_of_it.map(|sentence| sentence.text).collect(),
            without: evidence.client.without.map(|it| it.remark(self.name)),
            unsolved: self.unsolved,
            next,
        }
    }

    /// The sentence that says best why a run came out as it did: one about this run, or
    /// else what is so whoever runs.
    #[must_use]
    pub fn reason(&self, evidence: Evidence<'_>) -> Option<&'static str> {
        if let Some(defence) = evidence.client.without {
            return Some(defence.instead);
        }
        let about_it = self
            .lessons
            .iter()
            .find(|sentence| sentence.client.is_some() && sentence.is_true_of(evidence));
        about_it
            .map(|sentence| sentence.text)
            .or_else(|| self.always().next())
    }

    /// What is so of it whoever runs.
    pub fn always(&self) -> impl Iterator<Item = &'static str> {
        let sentences = self.lessons.iter();
        let general = sentences.filter(|sentence| sentence.client.is_none());
        general.map(|sentence| sentence.text)
    }
}
