//! The results of a load so far, as numbers.

use std::{collections::BTreeMap, time::Duration};

use serde::{Deserialize, Serialize};

use crate::{
    counters::{GIVE_UPS, RETRIES},
    run::Run,
    trace::{Span, SpanName},
};

/// The settings of a load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Load {
    /// For how long runs are started, in whole seconds.
    pub seconds: u64,
    /// How many runs are started per second; at least one.
    pub rate: u64,
    /// The seed of the choice of scenarios, and of every run.
    pub seed: u64,
    /// Text that the names of the scenarios must contain.
    pub filter: String,
}

/// The most failures that are described; the others are only counted.
const TOLD: usize = 5;

/// The progress of a load, as the server sends it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// The total number of runs.
    pub length: u64,
    /// For how long runs have been started, in milliseconds.
    pub asking_ms: u64,
    /// Whether no run goes on and none will start.
    pub finished: bool,
    /// The results so far.
    pub tally: Tally,
}

/// The results of the runs that were due. Each run is in exactly one of `going_on`,
/// `completed`, `failed`, `refused` and `cut`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Runs that were due.
    pub asked: u64,
    /// Runs that have begun and not ended.
    pub going_on: u64,
    /// Runs that ran to the end.
    pub completed: u64,
    /// Runs that could not be executed, which says nothing about the client.
    pub failed: u64,
    /// Runs that were not started, since too many were going on.
    pub refused: u64,
    /// Runs that were stopped before the end.
    pub cut: u64,
    /// Runs that could not be sent to the configured address.
    pub unsent: u64,
    /// Calls of the client's methods.
    pub calls: u64,
    /// The requests in them, by the client's count.
    pub attempts: u64,
    /// Its retries.
    pub retries: u64,
    /// Its calls that gave up.
    pub give_ups: u64,
    /// The requests that the services saw.
    pub requests: u64,
    /// Of these, the requests that got a response.
    pub responses: u64,
    /// The results by the name of the scenario.
    pub scenarios: BTreeMap<String, Row>,
    /// Descriptions of the first few problems.
    pub told: Vec<String>,
}

/// The results of one scenario's runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// Runs that ran to the end.
    pub completed: u64,
    /// Of these, the runs that did not end as expected.
    pub missed: u64,
    /// The requests in them, by the client's count.
    pub attempts: u64,
}

impl Progress {
    /// Completed runs per second, over the time in which runs were started.
    #[must_use]
    pub fn rate(&self) -> f64 {
        let asking = Duration::from_millis(self.asking_ms.max(1));
        self.tally.completed as f64 / asking.as_secs_f64()
    }
}

impl Tally {
    /// Counts a run that is due and starts.
    pub fn begin(&mut self) {
        self.asked += 1;
        self.going_on += 1;
    }

    /// Counts a run that is due and does not start.
    pub fn refuse(&mut self) {
        self.asked += 1;
        self.refused += 1;
    }

    /// Counts a run that ran to its end.
    pub fn completed(&mut self, run: &Run) {
        self.going_on -= 1;
        self.completed += 1;
        self.calls += spans(run, SpanName::Operation);
        self.attempts += run.counted();
        self.retries += run.counters.total(RETRIES);
        self.give_ups += run.counters.total(GIVE_UPS);
        self.requests += run.wire.total;
        let routes = run.wire.routes.values();
        self.responses += routes.map(|route| route.responses).sum::<u64>();
        let row = self.scenarios.entry(run.scenario.to_owned()).or_default();
        row.completed += 1;
        row.attempts += run.counted();
        row.missed += u64::from(!run.passed());
        for check in run.verdict.iter().filter(|check| !check.held) {
            let found = check.contradiction().unwrap_or_default();
            self.tell(format!(
                "{} with seed {}: {}; {found}",
                run.scenario, run.seed, check.text
            ));
        }
    }

    /// Counts a run that could not be executed.
    pub fn failed(&mut self, scenario: &str, why: &str) {
        self.going_on -= 1;
        self.failed += 1;
        self.tell(format!("{scenario} could not be completed: {why}"));
    }

    /// Counts all runs that go on as stopped.
    pub fn cut(&mut self) {
        let cut = std::mem::take(&mut self.going_on);
        self.cut = self.cut.saturating_add(cut);
    }

    /// The number of runs that did not end as expected.
    #[must_use]
    pub fn missed(&self) -> u64 {
        // It may come from the network with arbitrary values.
        let missed = self.scenarios.values().map(|row| row.missed);
        missed.fold(0, u64::saturating_add)
    }

    fn tell(&mut self, words: String) {
        if self.told.len() < TOLD {
            self.told.push(words);
        }
    }
}

fn spans(run: &Run, name: SpanName) -> u64 {
    let spans = run.traces.iter().flat_map(|trace| &trace.spans);
    spans.filter(|span: &&Span| span.name == name).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arbitrary_numbers_from_the_network_are_added_without_overflow() {
        let most = u64::MAX;
        let row = Row {
            missed: most,
            ..Row::default()
        };
        let rows = ["a", "b"].map(|name| (name.to_owned(), row));
        let tally = Tally {
            going_on: most,
            cut: most,
            scenarios: BTreeMap::from(rows),
            ..Tally::default()
        };
        let line = serde_json::to_string(&tally).expect("JSON");
        let mut tally: Tally = serde_json::from_str(&line).expect("a tally");

        tally.cut();

        assert_eq!((tally.missed(), tally.cut), (most, most));
    }
}
