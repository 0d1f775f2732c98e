//! A rule, with its texts and with how it is judged.

use std::time::Duration;

use serde::Serialize;

use super::{Case, Judgement, backoff::GapRule};

/// A rule.
#[derive(Debug)]
pub struct Rule {
    /// Its id, in words joined by hyphens.
    pub id: &'static str,
    /// Its authority.
    pub level: RuleLevel,
    /// The document that states it.
    pub source: &'static str,
    /// The behaviour of a client that keeps the rule.
    pub text: &'static str,
    /// The damage if it is broken.
    pub why: &'static str,
    /// How a client keeps it.
    pub hint: &'static str,
    /// How it is judged.
    pub judge: Judge,
}

/// How a rule is judged.
#[derive(Debug)]
pub enum Judge {
    /// Each case separately; the greatest verdict counts.
    Case(fn(&Case<'_>) -> Judgement),
    /// The same, of a rule that forbids a request: one more request could break it even
    /// after the client has its result. So a case is watched until the client has ended or
    /// the time of the case is over, and the rule is kept only by a client that was watched
    /// for that long.
    Forbids(fn(&Case<'_>) -> Judgement),
    /// All cases of a task together.
    Cases(fn(&[Case<'_>]) -> Judgement),
    /// The same, of a rule about the lengths of gaps: milliseconds count, so a case is not
    /// run beside others.
    Gaps(GapRule),
    /// Not from these records. The product that has another record of the requests judges it.
    Elsewhere,
}

impl Rule {
    /// Judges the records of one or more cases of a task.
    #[must_use]
    pub fn judge(&self, cases: &[Case<'_>]) -> Judgement {
        match &self.judge {
            Judge::Case(judge) => Judgement::of_each(cases, judge),
            Judge::Forbids(judge) => Judgement::of_each(cases, |case| judge(case).if_watched(case)),
            Judge::Cases(judge) => judge(cases),
            Judge::Gaps(gaps) => gaps.judge(cases),
            Judge::Elsewhere => Judgement::not_exercised(),
        }
    }

    /// The lengths of the gaps by which it judges these cases, in ascending order: first those
    /// before the first retries, then those before the second ones, and so on. Empty for a rule
    /// that is not about gaps.
    #[must_use]
    pub fn gap_lengths(&self, cases: &[Case<'_>]) -> Vec<Vec<Duration>> {
        match &self.judge {
            Judge::Gaps(gaps) => gaps.lengths(cases),
            _ => Vec::new(),
        }
    }

    /// Whether the records of cases show whether it is kept.
    #[must_use]
    pub fn is_judged_by_cases(&self) -> bool {
        !matches!(self.judge, Judge::Elsewhere)
    }

    /// Whether it forbids a request, so that its cases are watched until they are over.
    #[must_use]
    pub fn forbids_a_request(&self) -> bool {
        matches!(self.judge, Judge::Forbids(_))
    }

    /// Whether it is about gaps so short that a busy machine makes them.
    #[must_use]
    pub fn is_about_milliseconds(&self) -> bool {
        matches!(self.judge, Judge::Gaps(_))
    }
}

/// The authority of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleLevel {
    /// A standard requires it.
    Standard,
    /// Experienced operators of services recommend it.
    GoodPractice,
    /// This service requires it; others may not.
    Contract,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{CardCase, CardContext, CaseKind, find, testing::Script};

    #[test]
    fn the_lengths_of_gaps_are_those_by_which_a_rule_judges() {
        let with_503 = |gaps| Script::gaps(gaps, |script| script);
        let with_502 = |gaps| {
            Script::gaps(gaps, |script| {
                script.with(|request| request.status = Some(502))
            })
        };
        let wires = [with_503(&[30, 7]), with_503(&[20]), with_502(&[9])].map(Script::record);
        let kind = CaseKind::FailsAlike;
        let card: Vec<_> = wires.iter().map(|wire| CardCase { kind, wire }).collect();
        let context = CardContext::of(&card);
        // A task has the first of these cases alone.
        let cases = [Case::with(&wires[0], None, &context)];
        let lengths = |id: &str| {
            let lengths = find(id).expect("a rule").gap_lengths(&cases);
            let millis = lengths
                .iter()
                .map(|lengths| lengths.iter().map(Duration::as_millis).collect::<Vec<_>>());
            millis.collect::<Vec<_>>()
        };

        assert_eq!(lengths("backoff-jitter"), [vec![20, 30], vec![7]]);
        assert_eq!(lengths("backoff-waits"), lengths("backoff-jitter"));
        assert!(
            lengths("retry-after-unusable").is_empty(),
            "no value was unusable"
        );
        assert!(lengths("no-content").is_empty(), "it is not about gaps");
    }
}
