//! Which rules of the wire two clients broke, in several runs each.

use std::num::NonZeroU64;

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    rules::{self, Case, Verdict},
    run::Run,
    wire::WireRecord,
};

/// What the wire saw of several runs of each client, with one seed after the other: some
/// rules are about many retries, and one run has a few.
#[derive(Clone, Debug, Default)]
pub struct Sample(pub [Vec<WireRecord>; 2]);

/// A rule that was broken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BrokenRule {
    /// The id of the [rule](crate::rules).
    pub id: &'static str,
    /// What a client does that keeps it.
    pub text: &'static str,
    /// What was found instead.
    pub found: Option<String>,
}

impl Sample {
    /// How many runs it takes: as many as the rule about jitter asks for.
    pub const RUNS: NonZeroU64 = NonZeroU64::new(8).unwrap();

    /// How many runs there are of each client.
    pub(super) fn runs(&self) -> usize {
        self.0[0].len().min(self.0[1].len())
    }

    /// The rules that each client broke in its runs, or in the run that is shown.
    pub(super) fn broken(&self, runs: [&Run; 2]) -> [Vec<BrokenRule>; 2] {
        let mut samples = self.0.iter();
        runs.map(|run| broken(run, samples.next().map_or(&[], Vec::as_slice)))
    }
}

fn broken(run: &Run, records: &[WireRecord]) -> Vec<BrokenRule> {
    let cases: Vec<_> = records.iter().map(Case::of).collect();
    let broken = rules::of_scenarios().filter_map(|rule| {
        let judgement = (rule.judge)(&cases);
        let found = match judgement.verdict {
            Verdict::Broken => judgement.found,
            _ => {
                let checks = run.verdict.iter();
                let mut broken = checks.filter(|it| it.rule == Some(rule.id) && !it.held);
                broken.next()?.found.clone()
            }
        };
        Some(BrokenRule {
            id: rule.id,
            text: rule.text,
            found,
        })
    });
    broken.collect()
}
