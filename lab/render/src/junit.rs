//! A card as JUnit XML for CI: a suite for each task, and a test case for its goal and
//! for each of its rules.

use std::{fmt::Display, time::Duration};

use evidence::{
    KnownFailures,
    grade::{Card, CaseGrade, RuleGrade, TaskGrade},
    known_failures::{GOAL, JudgedCard},
    proxy::ProxyCard,
    rules::Verdict,
};
use maud::{PreEscaped, Render, html};

use super::{grade::failed, paint::fit};

/// The message of a known failure that did not fail.
const WRONGLY_LISTED: &str = "on the list of known failures, but did not fail";

/// The maximum width of the client's texts, in columns.
const LONGEST: usize = 2_000;

/// The tests of one task or route.
struct Suite {
    name: String,
    time: Option<Duration>,
    tests: Vec<Test>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Status {
    Passed,
    Skipped,
    Failed,
}

/// One test. The rest is written unless it passed.
struct Test {
    name: String,
    status: Status,
    verdict: String,
    message: String,
    details: String,
    stderr: String,
}

impl Suite {
    fn count(&self, status: Status) -> usize {
        let tests = self.tests.iter();
        tests.filter(|test| test.status == status).count()
    }
}

impl Render for Suite {
    fn render(&self) -> PreEscaped<String> {
        let (skipped, failed) = (self.count(Status::Skipped), self.count(Status::Failed));
        let time = self.time.map(|time| format!("{:.3}", time.as_secs_f64()));
        html! {
            testsuite name=(self.name) tests=(self.tests.len()) skipped=(skipped) errors="0"
                failures=(failed) time=[time] {
                @for test in &self.tests {
                    "\n" testcase name=(test.name) classname=(self.name) {
                        @match test.status {
                            Status::Passed => {}
                            Status::Skipped => {
                                skipped message=(test.message) type=(test.verdict) { (test.details) }
                            }
                            Status::Failed => {
                                failure message=(test.message) type=(test.verdict) { (test.details) }
                            }
                        }
                        @if !test.stderr.is_empty() { system-err { (test.stderr) } }
                    }
                }
                "\n"
            }
        }
    }
}

fn report(name: &str, suites: &[Suite]) -> String {
    let sum = |status| suites.iter().map(|it| it.count(status)).sum::<usize>();
    let tests: usize = suites.iter().map(|suite| suite.tests.len()).sum();
    let report = html! {
        (PreEscaped("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"))
        testsuites name=(name) tests=(tests) skipped=(sum(Status::Skipped)) errors="0"
            failures=(sum(Status::Failed)) {
            @for suite in suites { "\n" (suite) }
            "\n"
        }
        "\n"
    };
    report.into_string()
}

/// Renders a card as JUnit XML.
///
/// A result that is neither good nor bad is skipped, with the result as its message: a
/// task that the client does not attempt, or a rule that was not exercised or could not
/// be judged. So is a rule or a goal that is `known` to fail; if it did not, this is a
/// failure. If `is_strict`, so is what could not be judged. Characters that XML does not
/// allow are removed from the client's texts.
#[must_use]
pub fn junit(card: &Card, known: &KnownFailures, is_strict: bool) -> String {
    let name = match card.command.is_empty() {
        true => "lab grade".to_owned(),
        false => safe(&format!("lab grade -- {}", card.command.join(" "))),
    };
    let asked = Asked {
        card,
        known,
        is_strict,
    };
    let suites = card.tasks.iter().map(|task| {
        let cases = task.cases.iter().flat_map(|case| &case.process);
        let rules = task.rules.iter().map(|rule| self::rule(&asked, task, rule));
        Suite {
            name: task.task.to_owned(),
            time: cases.map(|it| it.ended.saturating_sub(it.started)).max(),
            tests: [goal(&asked, task)].into_iter().chain(rules).collect(),
        }
    });
    report(&name, &suites.collect::<Vec<_>>())
}

/// A card with what is asked of it.
struct Asked<'a, C> {
    card: &'a C,
    known: &'a KnownFailures,
    is_strict: bool,
}

impl<C: JudgedCard> Asked<'_, C> {
    /// The test of a verdict in this task or route. What was found is its message, or else
    /// the verdict itself.
    fn test(
        &self,
        (place, id): (Option<&str>, &str),
        (verdict, word): (Verdict, impl Display),
        found: Option<&str>,
    ) -> Test {
        let word = word.to_string();
        let found = found.unwrap_or(&word).to_owned();
        let (status, message) = match verdict {
            Verdict::Kept if self.known.wrongly_cover(self.card, place, id) => {
                (Status::Failed, WRONGLY_LISTED.to_owned())
            }
            Verdict::Kept => (Status::Passed, found),
            Verdict::Broken if self.known.cover(place, id) => {
                (Status::Skipped, format!("known to fail: {found}"))
            }
            Verdict::Broken => (Status::Failed, found),
            Verdict::CannotTell if self.is_strict => (Status::Failed, found),
            Verdict::CannotTell | Verdict::Skipped | Verdict::NotExercised => {
                (Status::Skipped, found)
            }
        };
        Test {
            name: id.to_owned(),
            status,
            verdict: word,
            message: safe(&message),
            details: String::new(),
            stderr: String::new(),
        }
    }
}

fn goal(asked: &Asked<'_, Card>, task: &TaskGrade) -> Test {
    let verdict = (task.goal.verdict.as_verdict(), task.goal.verdict);
    let missed: Vec<_> = failed(task).map(|(_, case)| case).collect();
    let details: Vec<_> = missed.iter().map(|case| ended(case)).collect();
    let processes = missed.iter().flat_map(|case| &case.process);
    let mut stderr = processes.map(|process| process.stderr.as_slice());
    let stderr = stderr.find(|lines| !lines.is_empty()).unwrap_or_default();
    let stderr: Vec<_> = stderr.iter().map(|line| safe(line)).collect();
    Test {
        details: details.join("\n"),
        stderr: stderr.join("\n"),
        ..asked.test((Some(task.task), GOAL), verdict, task.goal.found.as_deref())
    }
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
pub fn junit_proxy(card: &ProxyCard, known: &KnownFailures, is_strict: bool) -> String {
    let mut suites: Vec<Suite> = Vec::new();
    let asked = Asked {
        card,
        known,
        is_strict,
    };
    for (case, judged) in card.verdicts() {
        let route = case.map(|case| &*case.route);
        let verdict = (judged.verdict, judged.verdict);
        let mut test = asked.test((route, judged.rule), verdict, judged.found.as_deref());
        if let Some(case) = case {
            test.name = format!("{}: {}", case.fault, judged.rule);
        }
        let name = safe(route.unwrap_or("all requests"));
        match suites.last_mut() {
            Some(suite) if suite.name == name => suite.tests.push(test),
            _ => suites.push(Suite {
                name,
                time: None,
                tests: vec![test],
            }),
        }
    }
    let command = card.command.join(" ");
    report(&safe(&format!("lab proxy -- {command}")), &suites)
}

/// A text without characters that XML 1.0 forbids or that could control a terminal.
fn safe(text: &str) -> String {
    fit(text, LONGEST, false).replace(['\u{fffe}', '\u{ffff}'], "?")
}

fn rule(asked: &Asked<'_, Card>, task: &TaskGrade, rule: &RuleGrade) -> Test {
    let judgement = &rule.judgement;
    let verdict = (judgement.verdict, judgement.verdict);
    let of = (Some(task.task), rule.id);
    Test {
        details: rule.source.to_owned(),
        ..asked.test(of, verdict, judgement.found.as_deref())
    }
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
