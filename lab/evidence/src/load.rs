//! What has come of a load so far, in numbers.

use std::{collections::BTreeMap, time::Duration};

use serde::{Deserialize, Serialize};

use crate::{
    counters::{GIVE_UPS, RETRIES},
    run::Run,
    trace::{Span, SpanName},
};

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Load {
    /// For how long runs are started; whole seconds.
    pub seconds: u64,
    /// How many are started in a second; at least one.
    pub rate: u64,
    /// What the choice of scenarios, and every run, is drawn from.
    pub seed: u64,
    /// What the names of the scenarios have to contain.
    pub filter: String,
}

/// How many failures are told in words; the others are counted.
const TOLD: usize = 5;

/// How far a load has come, as it travels from the server to whoever asked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// How many runs there will be in all.
    pub length: u64,
    /// For how long runs have been started, in milliseconds.
    pub asking_ms: u64,
    /// Whether nothing goes on any more, and nothing will.
    pub finished: bool,
    /// What came of them so far.
    pub tally: Tally,
}

/// What became of the runs that were due. Each is in exactly one of
/// `going_on`, `run`, `failed`, `refused` and `cut`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Were due.
    pub asked: u64,
    /// Have begun and not ended.
    pub going_on: u64,
    /// Ran to the end.
    pub completed: u64,
    /// Could not be run, which says nothing about the client.
    pub failed: u64,
    /// Not begun, since too many went on.
    pub refused: u64,
    /// Begun, and stopped before the end.
    pub cut: u64,
    /// Ran, and not sent on although there is an address to send to.
    pub unsent: u64,
    /// Calls of the client's methods.
    pub calls: u64,
    /// The requests that the client counted in them.
    pub attempts: u64,
    /// Its retries.
    pub retries: u64,
    /// Its calls that were not tried again.
    pub give_ups: u64,
    /// The requests that the services saw.
    pub requests: u64,
    /// Of these, the ones that got a response.
    pub responses: u64,
    /// By the name of the scenario.
    pub scenarios: BTreeMap<String, Row>,
    /// The first few things that went wrong, in words.
    pub told: Vec<String>,
}

/// What became of one scenario's runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// Ran to the end.
    pub completed: u64,
    /// Of these, how many did not end as expected.
    pub missed: u64,
    /// The requests that the client counted in them.
    pub attempts: u64,
}

impl Progress {
    /// Runs that were run in a second, over the time in which they were
    /// started.
    #[must_use]
    pub fn rate(&self) -> f64 {
        let asking = Duration::from_millis(self.asking_ms.max(1));
        self.tally.completed as f64 / asking.as_secs_f64()
    }
}

impl Tally {
    /// Counts a run that is due and begins.
    pub fn begin(&mut self) {
        self.asked += 1;
        self.going_on += 1;
    }

    /// Counts a run that is due and does not begin.
    pub fn refuse(&mut self) {
        self.asked += 1;
        self.refused += 1;
    }

    /// Counts a run that was run to its end.
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

    /// Counts a run that could not be run.
    pub fn failed(&mut self, scenario: &str, why: &str) {
        self.going_on -= 1;
        self.failed += 1;
        self.tell(format!("{scenario} could not be completed: {why}"));
    }

    /// Counts what goes on as stopped before its end.
    pub fn cut(&mut self) {
        let cut = std::mem::take(&mut self.going_on);
        self.cut = self.cut.saturating_add(cut);
    }

    /// How many runs did not end as expected.
    #[must_use]
    pub fn missed(&self) -> u64 {
        // It may have come over the wire, and say anything.
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
    fn what_came_over_the_wire_is_added_up_whatever_it_says() {
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
