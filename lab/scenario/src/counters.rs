//! The counters of one run, as values.

use std::collections::BTreeMap;

use serde::Serialize;

/// Requests on the wire, by the reference client's count.
pub(crate) const ATTEMPTS: &str = "client_attempts_total";
/// Its retries.
pub(crate) const RETRIES: &str = "client_retries_total";
/// Its calls that gave up, with the reason.
pub(crate) const GIVE_UPS: &str = "client_give_ups_total";
/// Its listings that returned to an earlier page.
pub(crate) const CURSOR_LOOPS: &str = "client_cursor_loops_total";
/// Faults, by the service's count.
pub(crate) const FAULTS: &str = "service_faults_total";

/// One counter with its labels, and how much it rose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Counter {
    /// The name of the metric, as Prometheus shows it.
    pub name: String,
    /// The labels, sorted.
    pub labels: BTreeMap<String, String>,
    /// How much it rose in this run.
    pub value: u64,
}

/// The counters of a run that rose.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Counters(Vec<Counter>);

impl Counters {
    /// How much a counter rose, summed over its labels.
    #[must_use]
    pub fn total(&self, name: &str) -> u64 {
        let named = self.0.iter().filter(|counter| counter.name == name);
        named.map(|counter| counter.value).sum()
    }

    /// How much a counter rose for this value of this label.
    #[must_use]
    pub fn labelled(&self, name: &str, label: &str, value: &str) -> u64 {
        let is_asked_for = |counter: &&Counter| {
            counter.name == name && counter.labels.get(label).is_some_and(|is| is == value)
        };
        let asked_for = self.0.iter().filter(is_asked_for);
        asked_for.map(|counter| counter.value).sum()
    }

    /// The counters, sorted by name and labels.
    pub fn iter(&self) -> impl Iterator<Item = &Counter> {
        self.0.iter()
    }
}

/// How much a counter rose, as text.
#[must_use]
pub(crate) fn risen(by: u64) -> String {
    match by {
        0 => "0".to_owned(),
        by => format!("+{by}"),
    }
}

impl FromIterator<Counter> for Counters {
    fn from_iter<T: IntoIterator<Item = Counter>>(counters: T) -> Self {
        Self(counters.into_iter().collect())
    }
}
