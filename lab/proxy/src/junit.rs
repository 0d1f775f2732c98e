//! The card of a proxy as JUnit XML for CI: a suite for each route, and a test for each fault
//! and rule.

use judge::KnownFailures;
use render::junit::{Suite, Test, report};

use super::card::ProxyCard;

/// Renders the card of a proxy as JUnit XML. All verdicts but *kept* and *broken* are skipped,
/// with the reason; if `is_strict`, what cannot be told fails.
#[must_use]
pub fn junit_proxy(card: &ProxyCard, known: &KnownFailures, is_strict: bool) -> String {
    let mut suites: Vec<Suite> = Vec::new();
    for (case, judged) in card.verdicts() {
        let verdict = judged.verdict.to_string();
        let found = judged.found.as_deref().unwrap_or(&verdict);
        let (passed, message) = known.report(
            card,
            (Some(&case.route), judged.rule),
            judged.verdict,
            found,
            is_strict,
        );
        let test = Test {
            name: format!("{}: {}", case.fault, judged.rule),
            passed,
            verdict,
            message,
            ..Test::default()
        };
        match suites.last_mut() {
            Some(suite) if suite.name == case.route => suite.tests.push(test),
            _ => suites.push(Suite {
                name: case.route.clone(),
                time: None,
                tests: vec![test],
            }),
        }
    }
    report(&format!("lab proxy -- {}", card.command.join(" ")), &suites)
}
