//! The cards of a class, counted together, without names or ranking.

use judge::rules::Verdict;
use serde::{Deserialize, de::IgnoredAny};

use super::{CARD_VERSION, GoalVerdict};

/// The part of a card that is counted, read from its JSON.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct PrintedCard {
    pub(super) tasks: Vec<PrintedTask>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct PrintedTask {
    pub(super) task: String,
    pub(super) goal: Goal,
    pub(super) rules: Vec<PrintedRule>,
    cases: Vec<Case>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Goal {
    pub(super) verdict: GoalVerdict,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct PrintedRule {
    pub(super) id: String,
    pub(super) verdict: Verdict,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
struct Case {
    wire: Wire,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
struct Wire {
    total: u64,
}

/// Why a file cannot be counted as a card.
#[derive(Debug, thiserror::Error)]
pub enum PrintedCardError {
    /// It is not the output of `lab grade --json`.
    #[error("it is not a card")]
    NotACard(#[from] serde_json::Error),
    /// It is a card in another version of the format.
    #[error("its schema version is {found}, and this lab reads {CARD_VERSION}")]
    Version {
        /// The version of the card.
        found: u32,
    },
}

/// The results of a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The number of cards.
    pub cards: usize,
    /// The results of each task, in the order of the cards.
    pub tasks: Vec<TaskSummary>,
}

/// The results of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskSummary {
    /// The name of the task.
    pub task: String,
    /// The number of cards that attempted it.
    pub attempted: usize,
    /// The number of these that reached its goal.
    pub reached: usize,
    /// The number of these that missed it or crashed. For the others it is not known.
    pub missed: usize,
    /// The results of each of its rules.
    pub rules: Vec<RuleSummary>,
}

/// The results of a rule in a task, on the cards that attempted the task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleSummary {
    /// The id of the rule.
    pub id: String,
    /// The number of cards that judge it.
    pub attempted: usize,
    /// The number that kept it.
    pub kept: usize,
    /// The number that broke it. The others skipped it, or it is not known.
    pub broken: usize,
}

impl PrintedCard {
    /// Reads a card.
    ///
    /// # Errors
    ///
    /// If it is not a card, or one of another version.
    pub fn read(json: &str) -> Result<Self, PrintedCardError> {
        // A run has a schema version too, but no tasks.
        #[derive(Deserialize)]
        struct Version {
            schema_version: u32,
            #[serde(rename = "tasks")]
            _tasks: IgnoredAny,
        }
        let Version { schema_version, .. } = serde_json::from_str(json)?;
        if schema_version != CARD_VERSION {
            return Err(PrintedCardError::Version {
                found: schema_version,
            });
        }
        Ok(serde_json::from_str(json)?)
    }

    /// The task of this name.
    pub(super) fn task(&self, name: &str) -> Option<&PrintedTask> {
        self.tasks.iter().find(|task| task.task == name)
    }

    /// The rules that it broke, in the order of its tasks.
    pub(super) fn broken(&self) -> impl Iterator<Item = &PrintedRule> {
        self.tasks.iter().flat_map(PrintedTask::broken)
    }
}

impl PrintedTask {
    pub(super) fn was_attempted(&self) -> bool {
        let requests = self.cases.iter().map(|case| case.wire.total);
        self.goal.verdict.was_attempted(requests.max().unwrap_or(0))
    }

    /// The rules that it broke.
    pub(super) fn broken(&self) -> impl Iterator<Item = &PrintedRule> {
        let rules = self.rules.iter();
        rules.filter(|rule| rule.verdict == Verdict::Broken)
    }
}

impl Summary {
    /// Counts cards.
    #[must_use]
    pub fn of<'a>(cards: impl IntoIterator<Item = &'a PrintedCard>) -> Self {
        let mut summary = Self {
            cards: 0,
            tasks: Vec::new(),
        };
        for card in cards {
            summary.cards += 1;
            for task in &card.tasks {
                summary.add(task);
            }
        }
        summary
    }

    fn add(&mut self, task: &PrintedTask) {
        let is_it = |known: &TaskSummary| known.task == task.task;
        let into = find_or_add(&mut self.tasks, is_it, || TaskSummary::new(&task.task));
        if !task.was_attempted() {
            return;
        }
        into.attempted += 1;
        match task.goal.verdict {
            GoalVerdict::Reached => into.reached += 1,
            GoalVerdict::Missed | GoalVerdict::Crashed => into.missed += 1,
            GoalVerdict::Skipped | GoalVerdict::NotJudged => {}
        }
        for rule in &task.rules {
            into.add(rule);
        }
    }
}

impl TaskSummary {
    fn new(task: &str) -> Self {
        Self {
            task: task.to_owned(),
            attempted: 0,
            reached: 0,
            missed: 0,
            rules: Vec::new(),
        }
    }

    fn add(&mut self, rule: &PrintedRule) {
        let is_it = |known: &RuleSummary| known.id == rule.id;
        let into = find_or_add(&mut self.rules, is_it, || RuleSummary {
            id: rule.id.clone(),
            attempted: 0,
            kept: 0,
            broken: 0,
        });
        into.attempted += 1;
        into.kept += usize::from(rule.verdict == Verdict::Kept);
        into.broken += usize::from(rule.verdict == Verdict::Broken);
    }
}

/// The matching item, added at the end if missing.
#[expect(
    clippy::indexing_slicing,
    reason = "it is the index of the item found or just added"
)]
fn find_or_add<T>(
    known: &mut Vec<T>,
    is_it: impl FnMut(&T) -> bool,
    new: impl FnOnce() -> T,
) -> &mut T {
    let index = known.iter().position(is_it).unwrap_or(known.len());
    if index == known.len() {
        known.push(new());
    }
    &mut known[index]
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn task(goal: &str, rules: Value, requests: u64) -> Value {
        let cases = json!([{"wire": {"total": requests, "entries": []}}]);
        json!({"task": "flaky", "goal": {"verdict": goal}, "rules": rules, "cases": cases})
    }

    fn card(tasks: &[Value]) -> PrintedCard {
        let card = json!({"schema_version": CARD_VERSION, "seed": 1, "tasks": tasks});
        PrintedCard::read(&card.to_string()).expect("a card")
    }

    #[test]
    fn only_cards_that_attempted_a_task_are_counted() {
        let rule = |verdict: &str| json!([{"id": "retry-503", "verdict": verdict}]);
        let cards = [
            card(&[task("reached", rule("kept"), 2)]),
            card(&[task("missed", rule("broken"), 9)]),
            card(&[task("crashed", rule("not_exercised"), 0)]),
            card(&[task("skipped", rule("not_exercised"), 0)]),
            card(&[task("not_judged", rule("kept"), 1)]),
            card(&[task("not_judged", rule("not_exercised"), 0)]),
            card(&[]),
        ];

        let summary = Summary::of(&cards);

        assert_eq!(summary.cards, 7);
        let expected = TaskSummary {
            attempted: 4,
            reached: 1,
            missed: 2,
            rules: vec![RuleSummary {
                id: "retry-503".to_owned(),
                attempted: 4,
                kept: 2,
                broken: 1,
            }],
            ..TaskSummary::new("flaky")
        };
        assert_eq!(summary.tasks, [expected]);
    }

    #[test]
    fn a_card_may_count_any_number_of_requests() {
        let case = json!({"wire": {"total": u64::MAX, "entries": []}});
        let cases = [&case, &case];
        let task = json!(
            {"task": "flaky", "goal": {"verdict": "not_judged"}, "rules": [], "cases": cases}
        );

        let summary = Summary::of(&[card(&[task])]);

        assert_eq!(summary.tasks[0].attempted, 1);
    }

    #[test]
    fn an_invalid_card_is_rejected_with_a_reason() {
        let other = format!("{{\"schema_version\": {}, \"tasks\": 0}}", CARD_VERSION + 1);
        for (json, why) in [
            ("", "EOF while parsing"),
            ("[]", "invalid length 0"),
            ("{}", "missing field `schema_version`"),
            ("{\"schema_version\": 1}", "missing field `tasks`"),
            (&*other, "this lab reads 1"),
        ] {
            let error = PrintedCard::read(json).expect_err("no card");
            let source = std::error::Error::source(&error);
            let source = source.map_or(String::new(), ToString::to_string);
            let said = format!("{error}: {source}");

            assert!(said.contains(why), "{json}: {said}");
        }
    }

    #[test]
    fn tasks_and_rules_are_counted_separately() {
        let task = |name: &str, rules: &[&str]| {
            let rules = rules.iter();
            let rules: Vec<_> = rules
                .map(|id| json!({"id": id, "verdict": "kept"}))
                .collect();
            let mut task = task("reached", rules.into(), 1);
            task["task"] = name.into();
            task
        };
        let cards = [
            card(&[task("flaky", &["a", "b"]), task("down", &[])]),
            card(&[task("down", &["a"]), task("flaky", &["b"])]),
        ];

        let summary = Summary::of(&cards);

        let rules = |task: &TaskSummary| {
            let rules = task.rules.iter();
            let rules = rules.map(|rule| format!("{} {}", rule.id, rule.kept));
            rules.collect::<Vec<_>>().join(", ")
        };
        let tasks = summary.tasks.iter();
        let tasks: Vec<_> = tasks
            .map(|task| (&*task.task, task.reached, rules(task)))
            .collect();
        let expected = [
            ("flaky", 2, "a 1, b 2".to_owned()),
            ("down", 2, "a 1".to_owned()),
        ];
        assert_eq!(tasks, expected);
    }
}
