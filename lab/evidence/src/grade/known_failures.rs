//! Rules that a client is known to break, so that it fails only on others.

use super::{Card, RuleGrade, TaskGrade};
use crate::rules::Verdict;

/// A rule that a client is known to break.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownFailure {
    /// The task in which it is broken; none for every task that judges it.
    pub task: Option<&'static str>,
    /// The id of the rule.
    pub rule: &'static str,
}

/// The rules that a client is known to break. A rule on this list that is kept is an
/// error too: otherwise the list would only grow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownFailures(Vec<KnownFailure>);

impl KnownFailure {
    fn covers(&self, task: &str, rule: &str) -> bool {
        self.rule == rule && self.task.is_none_or(|named| named == task)
    }

    /// Whether the card shows the rule kept in at least one task and broken in none.
    fn was_kept(&self, card: &Card) -> bool {
        let is_found = |verdict| {
            card.tasks.iter().any(|task| {
                let mut rules = task.with_verdict(verdict);
                rules.any(|rule| self.covers(task.task, rule.id))
            })
        };
        is_found(Verdict::Kept) && !is_found(Verdict::Broken)
    }
}

impl KnownFailures {
    /// Whether this rule is known to be broken in this task.
    #[must_use]
    pub fn cover(&self, task: &TaskGrade, rule: &RuleGrade) -> bool {
        self.0.iter().any(|known| known.covers(task.task, rule.id))
    }

    /// The entries that the card shows to be wrong.
    pub fn kept<'a>(&'a self, card: &'a Card) -> impl Iterator<Item = &'a KnownFailure> {
        self.0.iter().filter(|known| known.was_kept(card))
    }

    /// Whether this rule was kept in this task although it is known to be broken.
    #[must_use]
    pub fn are_kept_by(&self, card: &Card, task: &TaskGrade, rule: &RuleGrade) -> bool {
        let mut kept = self.kept(card);
        rule.judgement.verdict == Verdict::Kept
            && kept.any(|known| known.covers(task.task, rule.id))
    }
}

impl FromIterator<KnownFailure> for KnownFailures {
    fn from_iter<I: IntoIterator<Item = KnownFailure>>(failures: I) -> Self {
        Self(failures.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        grade::GoalResult,
        rules::{Judgement, Level},
    };

    fn card(verdicts: &[(&'static str, Verdict)]) -> Card {
        let mut card = Card::new(Vec::new(), 1, "");
        card.tasks = verdicts
            .iter()
            .map(|&(task, verdict)| TaskGrade {
                task,
                goal: GoalResult::of_all(&[]),
                rules: vec![RuleGrade {
                    id: "retry-503",
                    level: Level::Standard,
                    source: "",
                    judgement: Judgement {
                        verdict,
                        requests: Vec::new(),
                        found: None,
                    },
                }],
                cases: Vec::new(),
            })
            .collect();
        card
    }

    #[test]
    fn an_entry_is_wrong_only_if_the_rule_is_broken_in_no_task() {
        use Verdict::{Broken, Kept, Skipped};
        let everywhere = KnownFailure {
            task: None,
            rule: "retry-503",
        };
        let in_flaky = KnownFailure {
            task: Some("flaky"),
            ..everywhere
        };
        for (verdicts, known, kept) in [
            (&[("flaky", Kept), ("down", Broken)][..], everywhere, false),
            (&[("flaky", Kept), ("down", Broken)], in_flaky, true),
            (&[("flaky", Kept), ("down", Skipped)], everywhere, true),
            (&[("flaky", Skipped)], in_flaky, false),
            (&[("down", Kept)], in_flaky, false),
        ] {
            let known = KnownFailures::from_iter([known]);

            let found = known.kept(&card(verdicts)).count();

            assert_eq!(found > 0, kept, "{verdicts:?} {known:?}");
        }
    }

    #[test]
    fn a_task_is_done_despite_a_known_failure() {
        let known = KnownFailures::from_iter([KnownFailure {
            task: Some("flaky"),
            rule: "retry-503",
        }]);
        for (task, done) in [("flaky", true), ("down", false)] {
            let card = card(&[(task, Verdict::Broken)]);

            assert!(!card.tasks[0].is_done());
            assert_eq!(card.tasks[0].is_done_but_for(&known), done, "{task}");
        }
    }

    #[test]
    fn only_a_known_failure_can_be_kept_unexpectedly() {
        use Verdict::{Kept, Skipped};
        let known = |task| {
            KnownFailures::from_iter([KnownFailure {
                task,
                rule: "retry-503",
            }])
        };
        for (verdicts, known, expected) in [
            ([Kept, Kept], known(None), [true, true]),
            ([Kept, Skipped], known(None), [true, false]),
            ([Kept, Kept], known(Some("down")), [false, true]),
            ([Kept, Kept], KnownFailures::default(), [false, false]),
        ] {
            let [flaky, down] = verdicts;
            let card = card(&[("flaky", flaky), ("down", down)]);

            let kept = card.tasks.iter();
            let kept = kept.map(|task| known.are_kept_by(&card, task, &task.rules[0]));
            assert_eq!(kept.collect::<Vec<_>>(), expected, "{verdicts:?} {known:?}");
        }
    }
}
