//! The card: for each task that was run, the result of its goal and of each of its
//! rules.

use std::{collections::BTreeMap, time::Duration};

use judge::{
    KnownFailures,
    known_failures::JudgedCard,
    rules::{
        self, CardCase, CardContext, Case, CaseKind, Judgement, RequestRef, Rule, RuleLevel,
        TOLERANCE, Verdict,
    },
};
use serde::Serialize;
use wire::{ProcessRecord, WireRecord, nanoseconds};

use crate::{GOAL, Goal, GoalResult, GoalVerdict, NOT_DONE, PolicyUnderLoad};

/// The version of the JSON format of a card. It rises when a member is removed, or changes
/// its name, its type or its meaning.
pub(crate) const CARD_VERSION: u32 = 2;

/// The results of a client in all tasks.
#[derive(Clone, Debug, Serialize)]
pub struct Card {
    /// The version of the JSON format.
    pub schema_version: u32,
    /// The command that runs the client; empty if it was not run as a process.
    pub command: Vec<String>,
    /// The seed of ids, cursors, URLs and the order of faults.
    pub seed: u64,
    /// The random generator that uses the seed.
    pub generator: &'static str,
    /// How much earlier than allowed a request may arrive and still count as on time.
    #[serde(rename = "tolerance_ns", with = "nanoseconds")]
    pub tolerance: Duration,
    /// The tasks that were run, in the order of the course.
    pub tasks: Vec<TaskGrade>,
    /// What many clients with the policy of this one do to a service; none if the card does not
    /// have the tasks that show the policy.
    pub policy_under_load: Option<PolicyUnderLoad>,
}

/// The results of a task.
#[derive(Clone, Debug, Serialize)]
pub struct TaskGrade {
    /// The name of the task.
    pub task: &'static str,
    /// The result of its goal, over all cases.
    pub goal: GoalResult,
    /// The result of each rule that is judged in it.
    pub rules: Vec<RuleGrade>,
    /// Its cases.
    pub cases: Vec<CaseGrade>,
    /// The facts about each of them that rules need.
    #[serde(skip)]
    pub kind: CaseKind,
}

/// The result of a rule in a task.
#[derive(Clone, Debug, Serialize)]
pub struct RuleGrade {
    /// The id of the rule.
    pub id: &'static str,
    /// The authority behind it.
    pub level: RuleLevel,
    /// The document that states it.
    pub source: &'static str,
    /// The result.
    #[serde(flatten)]
    pub judgement: Judgement,
}

/// The results of a case.
#[derive(Clone, Debug, Serialize)]
pub struct CaseGrade {
    /// The behaviour of the service in it, in a phrase.
    pub name: &'static str,
    /// The result of its goal.
    pub goal: GoalResult,
    /// The result that the goal demands, as text.
    #[serde(rename = "wanted")]
    pub expected: String,
    /// How the client's process ended; none if it was not run as a process.
    pub process: Option<ProcessRecord>,
    /// The record of the wire.
    pub wire: WireRecord,
}

impl Card {
    /// A card without a task.
    #[must_use]
    pub fn new(command: Vec<String>, seed: u64, generator: &'static str) -> Self {
        Self {
            schema_version: CARD_VERSION,
            command,
            seed,
            generator,
            tolerance: TOLERANCE,
            tasks: Vec::new(),
            policy_under_load: None,
        }
    }

    /// Adds the results of tasks, and judges every rule again: the cases of one task may show
    /// what those of another one mean.
    pub fn add(&mut self, tasks: impl IntoIterator<Item = TaskGrade>) {
        self.tasks.extend(tasks);
        let context = self.context();
        for task in &mut self.tasks {
            task.judge(&context);
        }
    }

    /// What is known of the client from the whole card.
    pub(crate) fn context(&self) -> CardContext {
        let cases = self.tasks.iter().flat_map(TaskGrade::recorded);
        CardContext::of(&cases.collect::<Vec<_>>())
    }

    /// The result of a task, if it was run.
    #[must_use]
    pub fn task(&self, name: &str) -> Option<&TaskGrade> {
        self.tasks.iter().find(|grade| grade.task == name)
    }

    /// The pauses by which a rule is judged in a task, in ascending order: first those before the
    /// first retries, then those before the second ones, and so on. Empty for a rule that is not
    /// about pauses.
    #[must_use]
    pub fn pauses(&self, task: &str, rule: &str) -> Vec<Vec<Duration>> {
        let (Some(grade), Some(rule)) = (self.task(task), rules::find(rule)) else {
            return Vec::new();
        };
        let context = self.context();
        rule.gap_lengths(&seen(&grade.cases, &context))
    }

    /// How many goals were reached.
    #[must_use]
    pub fn reached(&self) -> usize {
        let tasks = self.tasks.iter();
        tasks
            .filter(|task| task.goal.verdict == GoalVerdict::Reached)
            .count()
    }

    /// Keeps only these rules; an empty list keeps all.
    pub fn judge_only(&mut self, rules: &[&Rule]) {
        for task in &mut self.tasks {
            task.judge_only(rules);
        }
    }

    /// The goals and rules that could not be judged although the client attempted their
    /// tasks, in words.
    pub fn unjudged(&self) -> impl Iterator<Item = String> {
        let attempted = self.tasks.iter().filter(|task| task.was_attempted());
        attempted.flat_map(|task| {
            let name = task.task;
            let goal = task.goal.verdict == GoalVerdict::NotJudged;
            let goal = goal.then(|| format!("'{name}/goal' could not be judged"));
            let rules = task.with_verdict(Verdict::CannotTell);
            let rules = rules.map(move |rule| format!("'{name}/{}' cannot be told", rule.id));
            goal.into_iter().chain(rules)
        })
    }

    /// Each rule once, by the greatest of its verdicts. A failure that is `known` does not
    /// count.
    pub(crate) fn rules_once(&self, known: &KnownFailures) -> BTreeMap<&'static str, Verdict> {
        let mut verdicts = BTreeMap::new();
        for task in &self.tasks {
            let is_known = |rule: &&RuleGrade| {
                rule.judgement.verdict == Verdict::Broken && known.cover(Some(task.task), rule.id)
            };
            for rule in task.rules.iter().filter(|rule| !is_known(rule)) {
                let verdict = rule.judgement.verdict;
                let greatest = verdicts.entry(rule.id).or_insert(verdict);
                *greatest = verdict.max(*greatest);
            }
        }
        verdicts
    }

    /// Whether the client attempted any task at all.
    pub(crate) fn was_attempted(&self) -> bool {
        self.tasks.iter().any(TaskGrade::was_attempted)
    }
}

impl CaseGrade {
    /// Judges the goal of a case, which has a name, by what its process and the wire show.
    pub(crate) fn new(
        name: &'static str,
        goal: &Goal,
        process: Option<ProcessRecord>,
        wire: WireRecord,
    ) -> Self {
        Self {
            name,
            goal: goal.judge(&wire, process.as_ref()),
            expected: goal.expected(),
            process,
            wire,
        }
    }

    /// The expected result as text, also if no response that the client got could lead to it.
    pub(crate) fn expected_in_words(&self) -> &str {
        match &*self.expected {
            "" => "the result of further requests",
            expected => expected,
        }
    }
}

impl TaskGrade {
    /// Judges the cases of a task.
    pub(crate) fn new(
        task: &'static str,
        kind: CaseKind,
        rules: impl IntoIterator<Item = &'static Rule>,
        cases: Vec<CaseGrade>,
    ) -> Self {
        let rules = rules.into_iter().map(|rule| RuleGrade {
            id: rule.id,
            level: rule.level,
            source: rule.source,
            judgement: rule.judge(&[]),
        });
        let mut grade = Self {
            task,
            goal: GoalResult::of_all(cases.iter().map(|case| &case.goal)),
            rules: rules.collect(),
            cases,
            kind,
        };
        let alone = CardContext::of(&grade.recorded().collect::<Vec<_>>());
        grade.judge(&alone);
        grade
    }

    fn recorded(&self) -> impl Iterator<Item = CardCase<'_>> {
        self.cases.iter().map(|case| CardCase {
            kind: self.kind,
            wire: &case.wire,
        })
    }

    /// Judges its rules, with what is known of the client from the whole card.
    fn judge(&mut self, context: &CardContext) {
        let seen = seen(&self.cases, context);
        for grade in &mut self.rules {
            if let Some(rule) = rules::find(grade.id) {
                grade.judgement = rule.judge(&seen);
                // A rule about milliseconds compares requests of several cases.
                let place = if rule.is_about_milliseconds() {
                    None
                } else {
                    place(&grade.judgement.requests, &self.cases)
                };
                if let Some((found, place)) = grade.judgement.found.as_mut().zip(place) {
                    found.push_str(&place);
                }
            }
        }
    }

    /// Keeps only these rules; an empty list keeps all.
    pub fn judge_only(&mut self, rules: &[&Rule]) {
        let is_judged = |id| rules.is_empty() || rules.iter().any(|rule| rule.id == id);
        self.rules.retain(|rule| is_judged(rule.id));
    }

    /// Whether its goal was missed, as it is known to be.
    pub(crate) fn is_known_to_miss(&self, known: &KnownFailures) -> bool {
        self.goal.verdict.as_verdict() == Verdict::Broken && known.cover(Some(self.task), GOAL)
    }

    /// Whether the client attempted it.
    pub(crate) fn was_attempted(&self) -> bool {
        self.goal.verdict.was_attempted(self.requests())
    }

    /// Whether the program was not found in any case: each ended with the exit code that a
    /// shell uses for an unknown command.
    #[must_use]
    pub fn never_ran(&self) -> bool {
        let not_found = |case: &CaseGrade| {
            let exit = case.process.as_ref().and_then(|process| process.exit);
            exit == Some(NOT_DONE) && case.wire.total == 0
        };
        !self.cases.is_empty() && self.cases.iter().all(not_found)
    }

    /// The number of requests in all its cases.
    #[must_use]
    pub fn requests(&self) -> u64 {
        self.cases.iter().map(|case| case.wire.total).sum()
    }

    /// The rules that were broken.
    pub fn broken(&self) -> impl Iterator<Item = &RuleGrade> {
        self.with_verdict(Verdict::Broken)
    }

    /// The rules that were broken, except those that are known to be.
    pub(crate) fn broken_but_for(&self, known: &KnownFailures) -> impl Iterator<Item = &RuleGrade> {
        self.broken()
            .filter(|rule| !known.cover(Some(self.task), rule.id))
    }

    /// The rules with this verdict.
    pub fn with_verdict(&self, verdict: Verdict) -> impl Iterator<Item = &RuleGrade> {
        let rules = self.rules.iter();
        rules.filter(move |rule| rule.judgement.verdict == verdict)
    }
}

impl JudgedCard for Card {
    fn all_verdicts(&self) -> impl Iterator<Item = (Option<&str>, &str, Verdict)> {
        self.tasks.iter().flat_map(|task| {
            let goal = task.goal.verdict.as_verdict();
            let rules = task.rules.iter();
            let rules = rules.map(|rule| (rule.id, rule.judgement.verdict));
            let all = rules.chain([(GOAL, goal)]);
            all.map(|(id, verdict)| (Some(task.task), id, verdict))
        })
    }
}

/// The cases of a task, with what is known of the client from the whole card.
fn seen<'a>(cases: &'a [CaseGrade], context: &'a CardContext) -> Vec<Case<'a>> {
    cases
        .iter()
        .map(|case| Case::with(&case.wire, case.process.as_ref(), context))
        .collect()
}

/// Where a rule was broken, if not all cases of the task are the same.
fn place(requests: &[RequestRef], cases: &[CaseGrade]) -> Option<String> {
    let first = cases.first()?;
    if cases.iter().all(|case| case.name == first.name) {
        return None;
    }
    let broken = requests.iter().flat_map(|request| cases.get(request.case));
    let names = names_once(broken);
    let mut names = names.iter().map(|name| format!("\"{name}\""));
    let first = names.next()?;
    let others: Vec<_> = names.collect();
    Some(if others.is_empty() {
        format!(", in the case {first}")
    } else {
        format!(", in the case {first}; also in {}", others.join(", "))
    })
}

/// The names of these cases, each once, in the order in which they come first.
pub(crate) fn names_once<'a>(cases: impl Iterator<Item = &'a CaseGrade>) -> Vec<&'static str> {
    let mut names = Vec::new();
    for case in cases {
        if !names.contains(&case.name) {
            names.push(case.name);
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use judge::rules::find;
    use serde_json::json;
    use testkit::{
        ms,
        script::{self, Script},
    };

    use super::*;
    use crate::CardResult::{GoalMissed, NotJudged, NothingAttempted, Passed, RuleBroken};

    const REACHED: &str = r#"{"value": 1}"#;
    const MISSED: &str = r#"{"value": 2}"#;
    const SKIPPED: &str = r#"{"skip": true}"#;

    fn exits(code: i32, last_line: &str) -> Option<ProcessRecord> {
        Some(script::exits(code, last_line))
    }

    /// A case of consecutive requests with these responses.
    fn case(statuses: &[u16], process: Option<ProcessRecord>) -> CaseGrade {
        let statuses = (1..).zip(statuses);
        let script = statuses.fold(Script::new(), |script, (second, status)| {
            script.respond(1_000 * second, *status)
        });
        let goal = Goal::result(json!({"value": 1}));
        CaseGrade::new("a case", &goal, process, script.record())
    }

    fn task(cases: Vec<CaseGrade>) -> TaskGrade {
        let rules = ["no-retry-4xx", "no-content"].map(|id| find(id).expect("known"));
        TaskGrade::new("refused", CaseKind::Plain, rules, cases)
    }

    fn card(tasks: Vec<TaskGrade>) -> Card {
        let mut card = Card::new(Vec::new(), 1, "");
        card.tasks = tasks;
        card
    }

    fn ids(task: &TaskGrade) -> Vec<&'static str> {
        task.rules.iter().map(|rule| rule.id).collect()
    }

    #[test]
    fn a_task_is_done_unless_its_goal_is_missed_or_a_rule_broken() {
        for (statuses, process, attempted, done) in [
            (&[200][..], exits(0, REACHED), true, true),
            (&[503, 200], exits(0, REACHED), true, true),
            (&[200], exits(0, MISSED), true, false),
            (&[404, 404], exits(0, REACHED), true, false),
            (&[], exits(0, REACHED), true, false),
            (&[], exits(0, SKIPPED), false, false),
            (&[200], None, true, true),
            (&[], None, false, true),
        ] {
            let task = task(vec![case(statuses, process.clone())]);

            let is_done = task.result(&KnownFailures::default()).is_done();
            let found = (task.was_attempted(), is_done);
            assert_eq!(found, (attempted, done), "{statuses:?} {process:?}");
        }
    }

    #[test]
    fn a_task_is_done_despite_known_failures() {
        for (statuses, result, list, done) in [
            (&[404, 404][..], REACHED, "no-retry-4xx", true),
            (&[404, 404], REACHED, "refused/no-retry-4xx", true),
            (&[404, 404], REACHED, "flaky/no-retry-4xx", false),
            (&[404], REACHED, "no-retry-4xx", true),
            (&[200], MISSED, "refused/goal", true),
            (&[200], MISSED, "flaky/goal", false),
            (&[200], REACHED, "refused/goal", true),
            (&[], SKIPPED, "refused/goal", false),
        ] {
            let known = KnownFailures::read(list, |_| Ok::<_, ()>(())).expect("a list");
            let task = task(vec![case(statuses, exits(0, result))]);

            assert_eq!(task.result(&known).is_done(), done, "{list} {statuses:?}");
        }
    }

    #[test]
    fn a_card_has_the_worst_result_of_its_tasks() {
        let done = || task(vec![case(&[200], exits(0, REACHED))]);
        let missed = || task(vec![case(&[200], exits(0, MISSED))]);
        let skipped = || task(vec![case(&[], exits(0, SKIPPED))]);
        let broken_and_skipped = || task(vec![case(&[404, 404], exits(0, SKIPPED))]);

        let open = || task(vec![case(&[200], None)]);

        for (tasks, result) in [
            (vec![done(), done()], Passed),
            (vec![done(), skipped()], Passed),
            (vec![done(), missed()], GoalMissed),
            (vec![skipped(), missed()], GoalMissed),
            (vec![skipped(), skipped()], NothingAttempted),
            // It broke a rule before it said that it skips the task.
            (vec![missed(), broken_and_skipped()], RuleBroken),
            (vec![open(), skipped()], NotJudged),
            (vec![], NothingAttempted),
        ] {
            let card = card(tasks);

            let goals: Vec<_> = card.tasks.iter().map(|task| task.goal.verdict).collect();
            assert_eq!(card.result(&KnownFailures::default()), result, "{goals:?}");
        }
    }

    #[test]
    fn the_cases_of_one_task_show_what_those_of_another_mean() {
        // Two requests, each on a connection of its own.
        let two = |head, next| {
            let mut case = case(&[404, 404], exits(0, REACHED));
            for (request, (arrived, head)) in
                case.wire.entries.iter_mut().zip([(0, head), (next, 9)])
            {
                request.connection = Some(request.seq);
                (request.arrived, request.head) = (ms(arrived), Some(ms(head)));
            }
            task(vec![case])
        };
        let verdict = |card: &Card| card.tasks[0].rules[0].judgement.verdict;
        let mut card = card(Vec::new());

        card.add([two(1, 3)]);
        assert_eq!(verdict(&card), Verdict::Broken);
        card.judge_only(&[find("no-retry-4xx").expect("known")]);
        card.add([two(5, 3)]);

        assert_eq!(verdict(&card), Verdict::CannotTell);
        assert_eq!(ids(&card.tasks[0]), ["no-retry-4xx"]);
    }

    #[test]
    fn a_broken_rule_names_its_cases_if_they_are_not_all_the_same() {
        for (names, broken, place) in [
            (["a", "b", "c"], &[1][..], ", in the case \"b\""),
            (["a", "b", "b"], &[2, 1], ", in the case \"b\""),
            (
                ["a", "b", "a"],
                &[0, 1, 2],
                ", in the case \"a\"; also in \"b\"",
            ),
            (
                ["a", "b", "c"],
                &[0, 1, 2],
                ", in the case \"a\"; also in \"b\", \"c\"",
            ),
            (["a", "a", "a"], &[0, 2], "followed"),
        ] {
            let cases = names.iter().zip(0..).map(|(name, number)| {
                let requests = 1 + usize::from(broken.contains(&number));
                CaseGrade {
                    name,
                    ..case(&vec![404; requests], exits(0, REACHED))
                }
            });
            let task = task(cases.collect());

            let found = task.rules[0].judgement.found.as_deref();
            assert!(
                found.is_some_and(|name| name.ends_with(place)),
                "{names:?} {found:?}"
            );
        }
    }

    #[test]
    fn a_program_that_was_found_in_no_case_never_ran() {
        let not_found = || case(&[], exits(NOT_DONE, ""));

        for (cases, never_ran) in [
            (vec![not_found(), not_found()], true),
            (vec![not_found(), case(&[200], exits(NOT_DONE, ""))], false),
            (vec![not_found(), case(&[], exits(1, ""))], false),
            (vec![case(&[], None)], false),
            (vec![], false),
        ] {
            assert_eq!(task(cases.clone()).never_ran(), never_ran, "{cases:?}");
        }
    }

    #[test]
    fn a_task_counts_the_requests_of_all_its_cases() {
        let cases = [&[503, 200][..], &[200]].map(|statuses| case(statuses, None));

        assert_eq!(task(cases.into()).requests(), 3);
    }
}
