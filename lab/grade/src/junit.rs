//! A card as JUnit XML for CI: a suite for each task, and a test case for its goal and
//! for each of its rules.

use judge::{KnownFailures, rules::Verdict};
use render::junit::{Suite, Test, report};

use super::{
    card::{Card, CaseGrade, RuleGrade, TaskGrade},
    goal::GOAL,
    text::failed,
};

/// Renders a card as JUnit XML.
///
/// A result that is neither good nor bad is skipped, with the result as its message: a
/// task that the client does not attempt, or a rule that was not exercised or could not
/// be judged. So is a rule or a goal that is `known` to fail; if it did not, this is a
/// failure. If `is_strict`, so is what could not be judged.
#[must_use]
pub fn junit(card: &Card, known: &KnownFailures, is_strict: bool) -> String {
    let name = if card.command.is_empty() {
        "lab grade".to_owned()
    } else {
        format!("lab grade -- {}", card.command.join(" "))
    };
    let suites = card.tasks.iter().map(|task| {
        let test = |id: &str, verdict, word: String, found: Option<&str>| {
            let found = found.unwrap_or(&word);
            let (passed, message) =
                known.report(card, (Some(task.task), id), verdict, found, is_strict);
            Test {
                name: id.to_owned(),
                passed,
                verdict: word,
                message,
                ..Test::default()
            }
        };
        let cases = task.cases.iter().flat_map(|case| &case.process);
        let rules = task.rules.iter().map(|rule| self::rule(rule, test));
        Suite {
            name: task.task.to_owned(),
            time: cases
                .map(|process| process.ended.saturating_sub(process.started))
                .max(),
            tests: [goal(task, test)].into_iter().chain(rules).collect(),
        }
    });
    report(&name, &suites.collect::<Vec<_>>())
}

fn goal(task: &TaskGrade, test: impl Fn(&str, Verdict, String, Option<&str>) -> Test) -> Test {
    let verdict = task.goal.verdict;
    let missed: Vec<_> = failed(task).map(|(_, case)| case).collect();
    let processes = missed.iter().flat_map(|case| &case.process);
    let mut stderr = processes.map(|process| process.stderr.as_slice());
    let stderr = stderr.find(|lines| !lines.is_empty()).unwrap_or_default();
    Test {
        details: missed.iter().map(|case| ended(case)).collect(),
        stderr: stderr.to_vec(),
        ..test(
            GOAL,
            verdict.as_verdict(),
            verdict.to_string(),
            task.goal.found.as_deref(),
        )
    }
}

fn rule(rule: &RuleGrade, test: impl Fn(&str, Verdict, String, Option<&str>) -> Test) -> Test {
    let judgement = &rule.judgement;
    let verdict = judgement.verdict;
    Test {
        details: vec![rule.source.to_owned()],
        ..test(
            rule.id,
            verdict,
            verdict.to_string(),
            judgement.found.as_deref(),
        )
    }
}

fn ended(case: &CaseGrade) -> String {
    let found = case.goal.found.as_deref().unwrap_or_default();
    let expected = case.expected_in_words();
    format!("{}: {found}; expected {expected}", case.name)
}
