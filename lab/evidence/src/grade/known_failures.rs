//! Rules and goals that a client is known to fail, so that it fails only on others.

use super::{Card, GoalVerdict, RuleGrade, TaskGrade};
use crate::rules::Verdict;

/// A rule or a goal that a client is known to fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KnownFailure {
    /// A rule that it breaks.
    Rule {
        /// The task in which it is broken; none for every task that judges it.
        task: Option<&'static str>,
        /// The id of the rule.
        rule: &'static str,
    },
    /// The goal of a task, which it misses, or on the way to which it crashes.
    Goal {
        /// The name of the task.
        task: &'static str,
    },
}

/// The rules and goals that a client is known to fail. A rule on this list that is kept, or
/// a goal that is reached, is an error too: otherwise the list would only grow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownFailures(Vec<KnownFailure>);

impl KnownFailure {
    fn covers(&self, task: &str, id: &str) -> bool {
        match self {
            Self::Rule { task: named, rule } => {
                *rule == id && named.is_none_or(|named| named == task)
            }
            Self::Goal { .. } => false,
        }
    }

    fn covers_goal(&self, task: &str) -> bool {
        matches!(self, Self::Goal { task: named } if *named == task)
    }

    /// Whether the card shows the rule kept in at least one task and broken in none, or the
    /// goal reached.
    fn has_passed(&self, card: &Card) -> bool {
        let is_found = |verdict| {
            card.tasks.iter().any(|task| {
                let mut rules = task.with_verdict(verdict);
                rules.any(|rule| self.covers(task.task, rule.id))
            })
        };
        let mut tasks = card.tasks.iter();
        let is_reached = tasks
            .any(|task| self.covers_goal(task.task) && task.goal.verdict == GoalVerdict::Reached);
        is_reached || is_found(Verdict::Kept) && !is_found(Verdict::Broken)
    }
}

impl KnownFailures {
    /// Whether this rule is known to be broken in this task.
    #[must_use]
    pub fn cover(&self, task: &TaskGrade, rule: &RuleGrade) -> bool {
        self.0.iter().any(|known| known.covers(task.task, rule.id))
    }

    /// Whether the goal of this task is known to be missed.
    #[must_use]
    pub fn cover_goal(&self, task: &TaskGrade) -> bool {
        self.0.iter().any(|known| known.covers_goal(task.task))
    }

    /// The entries that the card shows to be wrong.
    pub fn passed<'a>(&'a self, card: &'a Card) -> impl Iterator<Item = &'a KnownFailure> {
        self.0.iter().filter(|known| known.has_passed(card))
    }

    /// Whether this rule was kept in this task although it is known to be broken.
    #[must_use]
    pub fn are_kept_by(&self, card: &Card, task: &TaskGrade, rule: &RuleGrade) -> bool {
        let mut passed = self.passed(card);
        rule.judgement.verdict == Verdict::Kept
            && passed.any(|known| known.covers(task.task, rule.id))
    }
}

impl FromIterator<KnownFailure> for KnownFailures {
    fn from_iter<I: IntoIterator<Item = KnownFailure>>(failures: I) -> Self {
        Self(failures.into_iter().collect())
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::{
        grade::GoalResult,
        rules::{Judgement, Level},
    };

    pub(in crate::grade) fn card(verdicts: &[(&'static str, Verdict)]) -> Card {
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

    fn rule(task: Option<&'static str>) -> KnownFailure {
        let rule = "retry-503";
        KnownFailure::Rule { task, rule }
    }

    #[test]
    fn an_entry_is_wrong_only_if_the_rule_is_broken_in_no_task() {
        use Verdict::{Broken, Kept, Skipped};
        let (everywhere, in_flaky) = (rule(None), rule(Some("flaky")));
        for (verdicts, known, kept) in [
            (&[("flaky", Kept), ("down", Broken)][..], everywhere, false),
            (&[("flaky", Kept), ("down", Broken)], in_flaky, true),
            (&[("flaky", Kept), ("down", Skipped)], everywhere, true),
            (&[("flaky", Skipped)], in_flaky, false),
            (&[("down", Kept)], in_flaky, false),
        ] {
            let known = KnownFailures::from_iter([known]);

            let found = known.passed(&card(verdicts)).count();

            assert_eq!(found > 0, kept, "{verdicts:?} {known:?}");
        }
    }

    #[test]
    fn a_task_is_done_despite_a_known_failure() {
        let known = KnownFailures::from_iter([rule(Some("flaky"))]);
        for (task, done) in [("flaky", true), ("down", false)] {
            let card = card(&[(task, Verdict::Broken)]);

            assert!(!card.tasks[0].is_done());
            assert_eq!(card.tasks[0].is_done_but_for(&known), done, "{task}");
        }
    }

    #[test]
    fn only_a_known_failure_can_be_kept_unexpectedly() {
        use Verdict::{Kept, Skipped};
        let known = |task| KnownFailures::from_iter([rule(task)]);
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

    #[test]
    fn a_known_goal_may_be_missed_and_must_not_be_reached() {
        use GoalVerdict::{Crashed, Missed, NotJudged, Reached, Skipped};
        let known = KnownFailures::from_iter([KnownFailure::Goal { task: "flaky" }]);
        for (verdict, done, passed) in [
            (Missed, true, false),
            (Crashed, true, false),
            (NotJudged, true, false),
            (Skipped, false, false),
            (Reached, true, true),
        ] {
            let mut card = card(&[("flaky", Verdict::Kept), ("down", Verdict::Kept)]);
            for task in &mut card.tasks {
                task.goal.verdict = verdict;
            }

            let [flaky, down] = &card.tasks[..] else {
                panic!("two tasks");
            };
            assert_eq!(flaky.is_done_but_for(&known), done, "{verdict:?}");
            assert_eq!(down.is_done_but_for(&known), down.is_done(), "{verdict:?}");
            assert_eq!(known.passed(&card).count() > 0, passed, "{verdict:?}");
        }
    }
}
