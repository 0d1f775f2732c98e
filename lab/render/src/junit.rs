//! A card as JUnit XML for CI: a suite for each task, and a test case for its goal and
//! for each of its rules.

use std::fmt::Display;

use evidence::{
    KnownFailures,
    grade::{Card, CaseGrade, RuleGrade, TaskGrade},
    known_failures::{GOAL, JudgedCard},
    proxy::ProxyCard,
    rules::Verdict,
};
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::{grade::has_failed, paint::fit};

/// The message of a known failure that did not fail.
const WRONGLY_LISTED: &str = "on the list of known failures, but did not fail";

/// The maximum width of the client's texts, in columns.
const LONGEST: usize = 2_000;

/// Renders a card as JUnit XML.
///
/// A result that is neither good nor bad is skipped, with the result as its message: a
/// task that the client does not attempt, or a rule that was not exercised or could not
/// be judged. So is a rule or a goal that is `known` to fail; if it did not, this is a
/// failure. If `is_strict`, so is what could not be judged. Characters that XML does not
/// allow are removed from the client's texts.
#[must_use]
#[expect(clippy::expect_used, reason = "it is written to a text, not to a file")]
pub fn junit(card: &Card, known: &KnownFailures, is_strict: bool) -> String {
    let name = match card.command.is_empty() {
        true => "lab grade".to_owned(),
        false => safe(&format!("lab grade -- {}", card.command.join(" "))),
    };
    let mut report = Report::new(name);
    let asked = Asked {
        card,
        known,
        is_strict,
    };
    for task in &card.tasks {
        let mut suite = TestSuite::new(task.task);
        let cases = task.cases.iter().flat_map(|case| &case.process);
        let longest = cases.map(|process| process.ended.saturating_sub(process.started));
        if let Some(longest) = longest.max() {
            suite.set_time(longest);
        }
        suite.add_test_case(goal(&asked, task));
        let rules = task.rules.iter();
        suite.add_test_cases(rules.map(|rule| self::rule(&asked, task, rule)));
        report.add_test_suite(suite);
    }
    report
        .to_string()
        .expect("a text takes all that is written")
}

/// A card with what is asked of it.
struct Asked<'a, C> {
    card: &'a C,
    known: &'a KnownFailures,
    is_strict: bool,
}

impl<C: JudgedCard> Asked<'_, C> {
    /// The status of a verdict in this task or route. What was found is its message, or else
    /// the verdict itself.
    fn status(
        &self,
        (place, id): (Option<&str>, &str),
        (verdict, word): (Verdict, impl Display),
        found: Option<&str>,
    ) -> TestCaseStatus {
        let word = word.to_string();
        let found = found.unwrap_or(&word);
        let failure = || TestCaseStatus::non_success(NonSuccessKind::Failure);
        let (mut status, message) = match verdict {
            Verdict::Kept if self.known.wrongly_cover(self.card, place, id) => {
                (failure(), WRONGLY_LISTED.to_owned())
            }
            Verdict::Kept => (TestCaseStatus::success(), found.to_owned()),
            Verdict::Broken if self.known.cover(place, id) => {
                (TestCaseStatus::skipped(), format!("known to fail: {found}"))
            }
            Verdict::Broken => (failure(), found.to_owned()),
            Verdict::CannotTell if self.is_strict => (failure(), found.to_owned()),
            Verdict::CannotTell | Verdict::Skipped | Verdict::NotExercised => {
                (TestCaseStatus::skipped(), found.to_owned())
            }
        };
        status.set_type(word).set_message(safe(&message));
        status
    }
}

fn goal(asked: &Asked<'_, Card>, task: &TaskGrade) -> TestCase {
    let verdict = task.goal.verdict;
    let verdict = (verdict.as_verdict(), verdict);
    let mut status = asked.status((Some(task.task), GOAL), verdict, task.goal.found.as_deref());
    let missed: Vec<_> = task
        .cases
        .iter()
        .filter(|case| has_failed(task, case))
        .collect();
    if !missed.is_empty() {
        let lines = missed.iter().map(|case| ended(case));
        status.set_description(lines.collect::<Vec<_>>().join("\n"));
    }
    let mut case = case(task, GOAL, status);
    let stderr = missed.iter().flat_map(|case| &case.process);
    let stderr = stderr.map(|process| &process.stderr);
    if let Some(stderr) = stderr.into_iter().find(|lines| !lines.is_empty()) {
        let lines: Vec<_> = stderr.iter().map(|line| safe(line)).collect();
        case.set_system_err(lines.join("\n"));
    }
    case
}

fn ended(case: &CaseGrade) -> String {
    let found = safe(case.goal.found.as_deref().unwrap_or_default());
    let wanted = case.wanted_in_words();
    format!("{}: {found}; wanted {wanted}", case.name)
}

/// Renders the card of a proxy as JUnit XML: a suite for each route, and a test for each
/// fault and rule. All but *kept* and *broken* are skipped, with the reason; if `is_strict`,
/// what cannot be told fails.
#[must_use]
#[expect(clippy::expect_used, reason = "it is written to a text, not to a file")]
pub fn junit_proxy(card: &ProxyCard, known: &KnownFailures, is_strict: bool) -> String {
    let mut report = Report::new(safe(&format!("lab proxy -- {}", card.command.join(" "))));
    let mut suites: Vec<TestSuite> = Vec::new();
    let asked = Asked {
        card,
        known,
        is_strict,
    };
    for (case, judged) in card.verdicts() {
        let of = (case.map(|case| &*case.route), judged.rule);
        let route = of.0.unwrap_or("all requests");
        let verdict = (judged.verdict, judged.verdict);
        let status = asked.status(of, verdict, judged.found.as_deref());
        let name = case.map_or(judged.rule.to_owned(), |case| {
            format!("{}: {}", case.fault, judged.rule)
        });
        let mut test = TestCase::new(name, status);
        test.set_classname(safe(route));
        if suites
            .last()
            .is_none_or(|suite| suite.name.as_str() != safe(route))
        {
            suites.push(TestSuite::new(safe(route)));
        }
        if let Some(suite) = suites.last_mut() {
            suite.add_test_case(test);
        }
    }
    report.add_test_suites(suites);
    report
        .to_string()
        .expect("a text takes all that is written")
}

/// A text without characters that XML 1.0 forbids or that could control a terminal.
fn safe(text: &str) -> String {
    fit(text, LONGEST, false).replace(['\u{fffe}', '\u{ffff}'], "?")
}

fn rule(asked: &Asked<'_, Card>, task: &TaskGrade, rule: &RuleGrade) -> TestCase {
    let judgement = &rule.judgement;
    let verdict = (judgement.verdict, judgement.verdict);
    let of = (Some(task.task), rule.id);
    let mut status = asked.status(of, verdict, judgement.found.as_deref());
    status.set_description(rule.source);
    case(task, rule.id, status)
}

fn case(task: &TaskGrade, name: &str, status: TestCaseStatus) -> TestCase {
    let mut case = TestCase::new(name, status);
    case.set_classname(task.task);
    case
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_that_xml_forbids_are_removed() {
        let text: String = ('\0'..='\u{1ffff}').collect();

        let allowed = |sign: char| matches!(sign, '\u{20}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
        for chunk in text.chars().collect::<Vec<_>>().chunks(1_000) {
            let text: String = chunk.iter().collect();
            let safe = safe(&text);
            assert!(safe.chars().all(allowed), "{safe:?}");
        }
    }
}
