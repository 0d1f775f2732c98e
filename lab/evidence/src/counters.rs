//! The counters of one run, as values.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

/// Requests on the wire, as the reference client counts them.
pub const ATTEMPTS: &str = "client_attempts_total";
/// Its retries.
pub const RETRIES: &str = "client_retries_total";
/// Its calls that were not tried again, with the reason.
pub const GIVE_UPS: &str = "client_give_ups_total";
/// Its listings that came back to a page.
pub const CURSOR_LOOPS: &str = "client_cursor_loops_total";
/// Faults, as the service counts them.
pub const FAULTS: &str = "service_faults_total";

/// One counter with its labels, and by how much it rose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Counter {
    /// The name of the metric, as Prometheus shows it.
    pub name: String,
    /// The labels, in their order.
    pub labels: BTreeMap<String, String>,
    /// By how much it rose in this run.
    pub value: u64,
}

/// The counters of a run, those that did not move left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct Counters(Vec<Counter>);

impl Counters {
    /// By how much a counter rose, all its labels together.
    #[must_use]
    pub fn total(&self, name: &str) -> u64 {
        let named = self.0.iter().filter(|counter| counter.name == name);
        named.map(|counter| counter.value).sum()
    }

    /// By how much a counter rose where this label has this value.
    #[must_use]
    pub fn labelled(&self, name: &str, label: &str, value: &str) -> u64 {
        let is_asked_for = |counter: &&Counter| {
            counter.name == name && counter.labels.get(label).is_some_and(|is| is == value)
        };
        let asked_for = self.0.iter().filter(is_asked_for);
        asked_for.map(|counter| counter.value).sum()
    }

    /// The counters in the order of names and labels.
    pub fn iter(&self) -> impl Iterator<Item = &Counter> {
        self.0.iter()
    }
}

impl FromIterator<Counter> for Counters {
    fn from_iter<T: IntoIterator<Item = Counter>>(counters: T) -> Self {
        Self(counters.into_iter().collect())
    }
}
