//! A card compared with an earlier one.

use judge::rules::Verdict;

use super::{Card, GOAL, GoalVerdict, PrintedCard};
/// A verdict that differs between two cards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The task and the rule, or the task and the word goal.
    pub of: String,
    /// The verdict of the earlier card.
    pub before: String,
    /// The verdict of this card.
    pub now: String,
    /// Whether a goal was reached before and is missed now, or the client crashes; or a rule
    /// was kept before and is broken now.
    pub is_worse: bool,
}

impl Card {
    /// The verdicts that differ from those of an earlier card, in the order of this card.
    /// A rule that only one of the cards judges is not compared.
    #[must_use]
    pub fn against(&self, earlier: &PrintedCard) -> Vec<Change> {
        let pairs = self.tasks.iter().filter_map(|now| {
            let mut tasks = earlier.tasks.iter();
            Some((tasks.find(|before| before.task == now.task)?, now))
        });
        let changes = pairs.flat_map(|(before, now)| {
            let of_goal = |verdict: GoalVerdict| (verdict.as_verdict(), verdict.to_string());
            let of_rule = |verdict: Verdict| (verdict, verdict.to_string());
            let goal = [before.goal.verdict, now.goal.verdict].map(of_goal);
            let rules = now.rules.iter().filter_map(move |rule| {
                let mut rules = before.rules.iter();
                let before = rules.find(|before| before.id == rule.id)?;
                let verdicts = [before.verdict, rule.judgement.verdict];
                Some((rule.id, verdicts.map(of_rule)))
            });
            let all = [(GOAL, goal)].into_iter().chain(rules);
            all.filter_map(|(id, verdicts)| change(now.task, id, verdicts))
        });
        changes.collect()
    }
}

fn change(task: &str, id: &str, verdicts: [(Verdict, String); 2]) -> Option<Change> {
    let [(was, before), (is, now)] = verdicts;
    (before != now).then(|| Change {
        of: format!("{task}/{id}"),
        before,
        now,
        is_worse: (was, is) == (Verdict::Kept, Verdict::Broken),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{CARD_VERSION, verdict_text::tests::task};

    const GOALS: [GoalVerdict; 5] = [
        GoalVerdict::Reached,
        GoalVerdict::Missed,
        GoalVerdict::Crashed,
        GoalVerdict::Skipped,
        GoalVerdict::NotJudged,
    ];

    const VERDICTS: [Verdict; 5] = [
        Verdict::Kept,
        Verdict::Broken,
        Verdict::Skipped,
        Verdict::NotExercised,
        Verdict::CannotTell,
    ];

    fn card(goal: GoalVerdict, verdict: Verdict) -> Card {
        let mut task = task(&[verdict]);
        task.goal.verdict = goal;
        let mut card = Card::new(Vec::new(), 1, "");
        card.tasks = vec![task];
        card
    }

    /// The card as it was printed.
    fn printed(card: &Card) -> PrintedCard {
        PrintedCard::read(&serde_json::to_string(card).expect("JSON")).expect("a card")
    }

    #[test]
    fn a_difference_is_a_change_and_few_changes_are_worse() {
        for (goal, verdict) in GOALS.into_iter().zip(VERDICTS) {
            for (next_goal, next) in GOALS
                .into_iter()
                .flat_map(|goal| VERDICTS.map(|to| (goal, to)))
            {
                let changes = card(next_goal, next).against(&printed(&card(goal, verdict)));

                let expected = usize::from(goal != next_goal) + usize::from(verdict != next);
                assert_eq!(changes.len(), expected);
                let worse = changes.iter().filter(|change| change.is_worse).count();
                let goal_is_worse = goal == GoalVerdict::Reached
                    && [GoalVerdict::Missed, GoalVerdict::Crashed].contains(&next_goal);
                let rule_is_worse = (verdict, next) == (Verdict::Kept, Verdict::Broken);
                let expected = usize::from(goal_is_worse) + usize::from(rule_is_worse);
                assert_eq!(worse, expected);
            }
        }
    }

    #[test]
    fn what_one_card_lacks_is_not_compared() {
        let now = card(GoalVerdict::Missed, Verdict::Broken);
        let empty = json!({"schema_version": CARD_VERSION, "tasks": []});

        let changes = now.against(&PrintedCard::read(&empty.to_string()).expect("a card"));

        assert_eq!(changes, []);
    }
}
