//! A metric: its name, and the question that it answers.

use serde::Serialize;

/// A metric of a client or of the service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Metric {
    /// Its name at `/metrics`.
    pub name: &'static str,
    /// `counter`, `gauge` or `histogram`.
    pub kind: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// The names of its labels.
    pub labels: &'static [&'static str],
    /// The question that it answers, which is also its help text.
    pub question: &'static str,
}
