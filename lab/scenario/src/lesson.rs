//! The lesson of a run.

use serde::Serialize;

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
