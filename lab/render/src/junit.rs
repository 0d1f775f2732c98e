//! JUnit XML for CI: suites of tests, each passed, skipped or failed.

use std::time::Duration;

use maud::{PreEscaped, Render, html};

use super::{paint::fit, report_mark::XML_START};

/// The maximum width of a text, in columns.
const LONGEST: usize = 2_000;

/// The tests of one task or route.
#[derive(Debug)]
pub struct Suite {
    /// Its name.
    pub name: String,
    /// How long they took, if it is known.
    pub time: Option<Duration>,
    /// Its tests.
    pub tests: Vec<Test>,
}

/// One test.
#[derive(Debug, Default)]
pub struct Test {
    /// Its name.
    pub name: String,
    /// Whether it passed; none if it was skipped.
    pub passed: Option<bool>,
    /// The verdict, in a word or two. This and the rest is not written for a test that passed.
    pub verdict: String,
    /// The reason.
    pub message: String,
    /// More lines about it.
    pub details: Vec<String>,
    /// Lines that the client printed on stderr.
    pub stderr: Vec<String>,
}

impl Suite {
    fn count(&self, passed: Option<bool>) -> usize {
        let tests = self.tests.iter();
        tests.filter(|test| test.passed == passed).count()
    }
}

impl Render for Suite {
    fn render(&self) -> PreEscaped<String> {
        let (skipped, failed) = (self.count(None), self.count(Some(false)));
        let time = self.time.map(|time| format!("{:.3}", time.as_secs_f64()));
        let name = of_xml(&self.name);
        html! {
            testsuite name=(name) tests=(self.tests.len()) skipped=(skipped) errors="0"
                failures=(failed) time=[time] {
                @for test in &self.tests {
                    "\n" testcase name=(test.name) classname=(name) {
                        @let message = of_xml(&test.message);
                        @match test.passed {
                            Some(true) => {}
                            None => {
                                skipped message=(message) type=(test.verdict) { (lines(&test.details)) }
                            }
                            Some(false) => {
                                failure message=(message) type=(test.verdict) { (lines(&test.details)) }
                            }
                        }
                        @if !test.stderr.is_empty() { system-err { (lines(&test.stderr)) } }
                    }
                }
                "\n"
            }
        }
    }
}

/// Renders suites as JUnit XML. Characters that XML does not allow are removed from all
/// texts.
#[must_use]
pub fn report(name: &str, suites: &[Suite]) -> String {
    let sum = |passed| {
        suites
            .iter()
            .map(|suite| suite.count(passed))
            .sum::<usize>()
    };
    let tests: usize = suites.iter().map(|suite| suite.tests.len()).sum();
    let report = html! {
        (PreEscaped(XML_START))
        testsuites name=(of_xml(name)) tests=(tests) skipped=(sum(None)) errors="0"
            failures=(sum(Some(false))) {
            @for suite in suites { "\n" (suite) }
            "\n"
        }
        "\n"
    };
    report.into_string()
}

/// A text without characters that XML 1.0 forbids.
fn of_xml(text: &str) -> String {
    fit(text, LONGEST, false)
}

fn lines(lines: &[String]) -> String {
    let lines: Vec<_> = lines.iter().map(|line| of_xml(line)).collect();
    lines.join("\n")
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
            let safe = of_xml(&text);
            assert!(safe.chars().all(allowed), "{safe:?}");
        }
    }
}
