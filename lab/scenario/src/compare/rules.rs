//! The rules of the wire that two clients broke, in several runs each.

use std::num::NonZeroU64;

use judge::rules::{self, Case, Verdict};
use serde::Serialize;
use wire::WireRecord;

use crate::{counters::GIVE_UPS, judged_rules::judged_rules, outcome::Ending, run::ScenarioRun};

/// The records of several runs of each client, with consecutive seeds: some rules need many
/// retries, and one run has only a few.
#[derive(Clone, Debug, Default)]
pub struct Sample(pub [Vec<WireRecord>; 2]);

/// A rule that was broken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BrokenRule {
    /// The id of the [rule](judge::rules).
    pub id: &'static str,
    /// The duty of a client.
    pub text: &'static str,
    /// The finding instead.
    pub found: Option<String>,
}

impl Sample {
    /// The number of runs of each client: as many as the rule about jitter needs.
    pub const RUNS: NonZeroU64 = NonZeroU64::new(8).unwrap();

    /// The number of runs of each client.
    pub(super) fn runs(&self) -> usize {
        self.0[0].len().min(self.0[1].len())
    }

    /// The rules that each client broke in its sampled runs or in the run that is shown.
    pub(super) fn broken(&self, runs: [&ScenarioRun; 2]) -> [Vec<BrokenRule>; 2] {
        let mut samples = self.0.iter();
        runs.map(|run| broken(run, samples.next().map_or(&[], Vec::as_slice)))
    }
}

fn broken(run: &ScenarioRun, records: &[WireRecord]) -> Vec<BrokenRule> {
    let cases: Vec<_> = records.iter().map(Case::of).collect();
    let broken = judged_rules().filter_map(|rule| {
        let judgement = rule.judge(&cases);
        let found = match judgement.verdict {
            Verdict::Broken => judgement.found,
            _ => {
                let checks = run.verdict.iter();
                let mut broken = checks.filter(|check| check.rule == Some(rule.id) && !check.held);
                broken.next()?.found.clone()
            }
        };
        Some((rule, found))
    });
    // A client that gives up has a limit of pages; another one reads for ever.
    let gives_up = run.client.headlines.contains(&GIVE_UPS);
    let is_stopped = run.outcome.ending == Ending::Stopped && !gives_up;
    let endless = is_stopped.then(|| rules::without_page_limit(&run.wire));
    let endless = endless.flatten().into_iter();
    let broken = broken.chain(endless.map(|(rule, it)| (rule, it.found)));
    broken
        .map(|(rule, found)| BrokenRule {
            id: rule.id,
            text: rule.text,
            found,
        })
        .collect()
}
