//! The verdict: expectations and rules, checked against the evidence of a run. Pure.
//!
//! Facts that the wire can show are judged from the [record of the wire](wire) alone:
//! requests, jobs, and waits from the arrivals. The client's outcome and its counters are
//! its own word; checks of them are marked so.
//!
//! In real time a machine may be arbitrarily slow. So the expectations are those that
//! slowness cannot break: that no request was early, and by what kind of failure an
//! attempt ended, but never that something happened in time.

mod check;
mod evidence;
mod expectation;

use judge::rules::{
    Case, RULES, Rule, Verdict, backoff_jitter, backoff_waits, finite_attempts, page_limit,
};

pub use check::Check;
pub(crate) use check::Source;
pub(crate) use evidence::Evidence;
pub(crate) use evidence::responded;
pub(crate) use expectation::Expectation;

/// Checks the expectations, in their order, and then the rules of the wire. The list is the
/// same for every client; of it, the verdict has those that the run exercised.
#[must_use]
pub(crate) fn judge(expectations: Vec<Expectation>, evidence: Evidence<'_>) -> Vec<Check> {
    let check = |expectation: Expectation| {
        let found = expectation.check(evidence)?.err();
        Some(Check {
            source: expectation.source,
            rule: None,
            text: expectation.text,
            held: found.is_none(),
            found,
            requests: Vec::new(),
            is_rejection: expectation.is_rejection,
        })
    };
    let rules = judged_rules().filter(|_| evidence.is_one_call);
    let run = [Case::of(evidence.wire)];
    let rules = rules.filter_map(|rule| ruled(rule, &run));
    expectations
        .into_iter()
        .filter_map(check)
        .chain(rules)
        .collect()
}

/// All rules about this service except those that count attempts or pages, which a reader can
/// change by options, and those about the lengths of waits, for which one run has too few
/// retries.
fn judged_rules() -> impl Iterator<Item = &'static Rule> {
    let left_out = [
        finite_attempts::RULE.id,
        page_limit::RULE.id,
        backoff_waits::RULE.id,
        backoff_jitter::RULE.id,
    ];
    let rules = RULES.iter().copied();
    rules.filter(move |rule| rule.is_judged_by_cases() && !left_out.contains(&rule.id))
}

/// Whether a rule was kept or broken; none if neither.
fn ruled(rule: &Rule, cases: &[Case<'_>]) -> Option<Check> {
    let judgement = rule.judge(cases);
    let held = match judgement.verdict {
        Verdict::Kept => true,
        Verdict::Broken => false,
        Verdict::Skipped | Verdict::NotExercised | Verdict::CannotTell => return None,
    };
    Some(Check {
        source: Source::Wire,
        rule: Some(rule.id),
        text: rule.text.to_owned(),
        held,
        found: judgement.found.filter(|_| !held),
        requests: judgement
            .requests
            .iter()
            .map(|request| request.seq)
            .collect(),
        is_rejection: false,
    })
}

#[cfg(test)]
mod slow_machine;
#[cfg(test)]
mod tests;
