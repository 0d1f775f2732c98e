//! What changed between two cards of a client: after a save, whether the client got better.

use std::time::Duration;

use judge::rules::Verdict;

use crate::{Card, GoalVerdict, TaskGrade};

/// The differences between two cards, in the tasks that both have. What was lost comes first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// The rules that are broken now or were broken before, and not both. A rule that was broken
    /// and is not exercised now has not changed: its task may have crashed.
    pub rules: Vec<RuleChange>,
    /// The goals with another verdict.
    pub goals: Vec<GoalChange>,
}

/// A rule with another verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleChange {
    /// Its id.
    pub rule: &'static str,
    /// The tasks in which it changed like this.
    pub tasks: Vec<&'static str>,
    /// The verdict on the card before.
    pub before: Verdict,
    /// The verdict now.
    pub now: Verdict,
    /// The pauses before first retries on the card before and now, in ascending order; none if
    /// the rule is not about pauses, or there were none on one of the cards.
    pub pauses: Option<[Vec<Duration>; 2]>,
}

/// A goal with another verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GoalChange {
    /// The task.
    pub task: &'static str,
    /// The verdict on the card before.
    pub before: GoalVerdict,
    /// The verdict now.
    pub now: GoalVerdict,
}

impl Changes {
    /// The differences between the card before and the one now, which may not have all tasks yet.
    #[must_use]
    pub fn between(before: &Card, now: &Card) -> Self {
        let mut changes = Self::default();
        for grade in &now.tasks {
            let Some(was) = before.task(grade.task) else {
                continue;
            };
            if was.goal.verdict != grade.goal.verdict {
                changes.goals.push(GoalChange {
                    task: grade.task,
                    before: was.goal.verdict,
                    now: grade.goal.verdict,
                });
            }
            for (rule, [before_it, now_it]) in changed_rules(was, grade) {
                changes.add(rule, grade.task, before_it, now_it);
            }
        }
        for change in &mut changes.rules {
            change.pauses = change.pauses_on([before, now]);
        }
        // A rule that is exercised for the first time matters least.
        let order = |change: &RuleChange| (!change.is_lost(), change.now == Verdict::Broken);
        changes.rules.sort_by_key(order);
        changes.goals.sort_by_key(|change| !change.is_lost());
        changes
    }

    /// Whether both cards say the same.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty() && self.goals.is_empty()
    }

    /// Whether a goal was lost, or a rule is broken that was kept.
    #[must_use]
    pub fn has_lost(&self) -> bool {
        self.rules.iter().any(RuleChange::is_lost) || self.goals.iter().any(GoalChange::is_lost)
    }

    fn add(&mut self, rule: &'static str, task: &'static str, before: Verdict, now: Verdict) {
        let mut known = self.rules.iter_mut();
        let alike = |change: &&mut RuleChange| {
            (change.rule, change.before, change.now) == (rule, before, now)
        };
        match known.find(alike) {
            Some(change) => change.tasks.push(task),
            None => self.rules.push(RuleChange {
                rule,
                tasks: vec![task],
                before,
                now,
                pauses: None,
            }),
        }
    }
}

impl RuleChange {
    /// Whether it was kept and is broken now.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        self.before == Verdict::Kept && self.now == Verdict::Broken
    }

    fn pauses_on(&self, cards: [&Card; 2]) -> Option<[Vec<Duration>; 2]> {
        let task = self.tasks.first()?;
        let [before, now] = cards.map(|card| card.pauses(task, self.rule).into_iter().next());
        Some([before?, now?])
    }
}

impl GoalChange {
    /// Whether it was reached and is not reached now.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        self.before == GoalVerdict::Reached
    }
}

/// The rules of a task that are broken on one of two cards, with both verdicts.
fn changed_rules(
    before: &TaskGrade,
    now: &TaskGrade,
) -> impl Iterator<Item = (&'static str, [Verdict; 2])> {
    let verdicts = now.rules.iter().filter_map(|rule| {
        let mut known = before.rules.iter();
        let was = known.find(|known| known.id == rule.id)?;
        Some((rule.id, [was.judgement.verdict, rule.judgement.verdict]))
    });
    verdicts.filter(|(_, [was, now])| {
        let [was_broken, is_broken] = [was, now].map(|verdict| *verdict == Verdict::Broken);
        was_broken != is_broken && *now != Verdict::NotExercised
    })
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prelude::*, sample::select};
    use testkit::script::{Script, exits};

    use super::*;
    use crate::{CaseGrade, Goal, find};

    /// A task in which each case comes back after so many milliseconds, and reaches its goal or
    /// not.
    fn task(name: &str, gaps: &[u64], is_reached: bool) -> TaskGrade {
        let task = find(name).expect("a task");
        let goal = Goal::result(serde_json::json!({"value": 1}));
        let line = if is_reached { r#"{"value": 1}"# } else { "{}" };
        let cases = gaps.iter().map(|gap| {
            let script = Script::new().respond(0, 503).respond(*gap, 200);
            CaseGrade::new("a case", &goal, Some(exits(0, line)), script.record())
        });
        TaskGrade::new(task.words.name, task.kind, task.rules(), cases.collect())
    }

    fn card(tasks: impl IntoIterator<Item = TaskGrade>) -> Card {
        let mut card = Card::new(Vec::new(), 1, "");
        card.add(tasks);
        card
    }

    const EQUAL: [u64; 9] = [502; 9];
    const RANDOM: [u64; 9] = [40, 110, 140, 290, 320, 355, 365, 390, 415];

    fn millis(lengths: &[u64]) -> Vec<Duration> {
        lengths.iter().copied().map(Duration::from_millis).collect()
    }

    #[test]
    fn a_rule_that_is_kept_now_is_one_change_with_the_pauses_before_and_now() {
        let tasks = |gaps| ["flaky", "down"].map(|name| task(name, gaps, true));

        let changes = Changes::between(&card(tasks(&EQUAL)), &card(tasks(&RANDOM)));

        let [change] = &changes.rules[..] else {
            panic!("{changes:?}")
        };
        assert_eq!(change.rule, "backoff-jitter");
        assert_eq!(change.tasks, ["flaky", "down"]);
        assert_eq!(
            [change.before, change.now],
            [Verdict::Broken, Verdict::Kept]
        );
        // Both tasks share one pool.
        let both = |gaps: &[u64]| {
            let mut both = [gaps, gaps].concat();
            both.sort_unstable();
            millis(&both)
        };
        assert_eq!(change.pauses, Some([both(&EQUAL), both(&RANDOM)]));
        assert!(changes.goals.is_empty() && !changes.has_lost());
    }

    #[test]
    fn what_was_lost_comes_first() {
        let before = card([
            task("flaky", &EQUAL, false),
            task("refused", &[0], true),
            task("down", &RANDOM, true),
        ]);
        let now = card([
            task("flaky", &EQUAL, true),
            task("refused", &[0], false),
            task("down", &RANDOM, true),
        ]);

        let changes = Changes::between(&before, &now);

        let goals: Vec<_> = changes.goals.iter().map(|goal| goal.task).collect();
        assert_eq!(goals, ["refused", "flaky"]);
        assert!(changes.has_lost());
    }

    #[test]
    fn a_task_that_one_card_lacks_has_not_changed() {
        let one = card([task("flaky", &EQUAL, true)]);

        for (before, now) in [(&one, &card([])), (&card([]), &one), (&one, &one)] {
            assert!(Changes::between(before, now).is_empty());
        }
    }

    proptest! {
        #[test]
        fn the_way_back_has_the_same_changes_the_other_way_round(
            [one, other] in [0, 1].map(|_| {
                let gaps = select(vec![&EQUAL[..], &RANDOM, &[1; 9]]);
                vec((select(vec!["flaky", "down", "refused"]), gaps, any::<bool>()), 0..4)
            }),
        ) {
            let card_of = |tasks: Vec<(&str, &[u64], bool)>| {
                let mut names = std::collections::HashSet::new();
                let once = tasks.into_iter().filter(|(name, ..)| names.insert(*name));
                card(once.map(|(name, gaps, is_reached)| task(name, gaps, is_reached)))
            };
            let [one, other] = [one, other].map(card_of);

            let [there, back] = [Changes::between(&one, &other), Changes::between(&other, &one)];

            let of = |changes: &Changes, turned: bool| {
                let turn = |pair: [String; 2]| if turned { [pair[1].clone(), pair[0].clone()] } else { pair };
                let goals = changes.goals.iter().map(|goal| {
                    (goal.task.to_owned(), turn([goal.before, goal.now].map(|verdict| format!("{verdict:?}"))))
                });
                let rules = changes.rules.iter().filter(|rule| rule.before != Verdict::NotExercised);
                let rules = rules.flat_map(|rule| {
                    let verdicts = turn([rule.before, rule.now].map(|verdict| format!("{verdict:?}")));
                    let tasks = rule.tasks.iter();
                    tasks.map(move |task| (format!("{task}/{}", rule.rule), verdicts.clone()))
                });
                let mut all: Vec<_> = goals.chain(rules).collect();
                all.sort_unstable();
                all
            };
            prop_assert_eq!(of(&there, false), of(&back, true));
        }
    }
}
