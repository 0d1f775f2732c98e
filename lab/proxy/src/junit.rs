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
        let route = case.map(|case| &*case.route);
        let verdict = judged.verdict.to_string();
        let found = judged.found.as_deref().unwrap_or(&verdict);
        let (passed, message) =
            known.report(card, (route, judged.rule), judged.verdict, found, is_strict);
        let name = match case {
            Some(case) => format!("{}: {}", case.fault, judged.rule),
            None => judged.rule.to_owned(),
        };
        let test = Test {
            name,
            passed,
            verdict,
            message,
            ..Test::default()
        };
        let route = route.unwrap_or("all requests");
        match suites.last_mut() {
            Some(suite) if suite.name == route => suite.tests.push(test),
            _ => suites.push(Suite {
                name: route.to_owned(),
                time: None,
                tests: vec![test],
            }),
        }
    }
    report(&format!("lab proxy -- {}", card.command.join(" ")), &suites)
}
