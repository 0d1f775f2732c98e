//! The catalogue of rules: how a client may get what it wants.
//!
//! A rule is one constant and one line below: its id, its authority, why it matters, how to
//! keep it, and a pure function from the record of the wire to a [`Judgement`]. Of the
//! client's process a rule reads how and when it ended, and whether and when it printed a
//! result or an error, never what the result says. A client that gives up breaks no rule
//! about retries. If the record is not conclusive, the verdict is [`Verdict::CannotTell`].
//!
//! The rules of [`foreign_api`] have their texts here and are judged elsewhere, as are some
//! of the others once more: a product with a record of its own adds its own function.

mod backoff;
pub mod backoff_jitter;
pub mod backoff_waits;
mod card;
mod case;
pub mod cursor_loop;
pub mod cursor_verbatim;
pub mod empty_page;
pub mod finite_attempts;
pub mod foreign_api;
pub mod idempotency_key_fresh;
pub mod idempotency_key_reuse;
mod judgement;
mod measured_policy;
pub mod no_url_credentials;
pub mod not_repeated;
pub mod one_job;
pub mod page_limit;
pub mod post_not_retried;
pub mod read_timeout;
pub mod reads_to_the_end;
pub mod request_headers;
pub mod result;
pub mod retry_after;
pub mod retry_after_unusable;
mod rule;
pub mod same_body;
#[cfg(test)]
mod simulated;
#[cfg(test)]
pub(crate) mod testing;
pub mod token_elsewhere;

use std::time::Duration;

pub use backoff::GapRule;
pub use card::{CardCase, CardContext, CaseKind};
pub use case::Case;
pub use judgement::{Judgement, RequestRef, Verdict};
pub use measured_policy::{Growth, MeasuredPolicy, Part, Waits};
pub use rule::{Judge, Rule, RuleLevel};
pub use token_elsewhere::names_another_origin;

/// Every rule: those of the course in its order, then those about foreign APIs.
pub static RULES: &[&Rule] = &[
    &cursor_verbatim::RULE,
    &empty_page::RULE,
    &reads_to_the_end::RULE,
    &no_url_credentials::RULE,
    &token_elsewhere::RULE,
    &backoff_waits::RULE,
    &backoff_jitter::RULE,
    &retry_after::RETRY_AFTER_SECONDS,
    &retry_after::RETRY_AFTER_CUT_BODY,
    &retry_after::RETRY_AFTER_DATE,
    &retry_after_unusable::RULE,
    &retry_after::RETRY_AFTER_OVER_BUDGET,
    &finite_attempts::RULE,
    &not_repeated::NO_RETRY_4XX,
    &not_repeated::BODY_JSON,
    &not_repeated::BODY_MEDIA_TYPE,
    &not_repeated::BODY_SHAPE,
    &not_repeated::NO_CONTENT,
    &cursor_loop::RULE,
    &page_limit::RULE,
    &idempotency_key_reuse::RULE,
    &idempotency_key_fresh::RULE,
    &same_body::RULE,
    &one_job::RULE,
    &post_not_retried::RULE,
    &read_timeout::RULE,
    &request_headers::RULE,
    &foreign_api::REFUSED_ONCE,
    &foreign_api::ONCE,
];

/// The imprecision of timers: a request that arrives at most this much before its time is
/// not early.
pub const TOLERANCE: Duration = Duration::from_millis(2);

/// The rule with this id.
#[must_use]
pub fn find(id: &str) -> Option<&'static Rule> {
    RULES.iter().copied().find(|rule| rule.id == id)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use wire::{FaultLabel, WireRecord};

    use super::{empty_page::EMPTY_PAGE, token_elsewhere::REDIRECT_ELSEWHERE, *};

    #[test]
    fn every_rule_has_all_texts_and_an_id_of_its_own() {
        let mut ids = HashSet::new();
        for rule in RULES {
            assert!(ids.insert(rule.id), "{} stands twice", rule.id);
            assert_eq!(find(rule.id).map(|found| found.id), Some(rule.id));
            for text in [rule.source, rule.text, rule.why, rule.hint] {
                assert!(!text.is_empty(), "{} has an empty text", rule.id);
            }
        }
        assert!(find("no-such-rule").is_none());
    }

    /// One request after which each of these rules forbids another one.
    fn forbidding() -> impl Iterator<Item = (&'static Rule, testing::Script)> {
        use wire::JobResult::Created;

        let served = |status| testing::Script::new().respond(0, status);
        let faulty = |fault| served(200).issues(7).fault(fault);
        let job = || testing::Script::new().post(0, 201, 1, Some(7)).job(Created);
        let page =
            |script: testing::Script, from, to| script.respond(1, 200).cursor(from).issues(to);
        let comes_back = page(page(served(200).issues(1), 1, 2), 2, 1);
        let table = [
            ("retry-after-over-budget", served(503).retry_after(120)),
            ("finite-attempts", served(503).respond(1, 503)),
            ("no-retry-4xx", served(404)),
            ("body-json", faulty(FaultLabel::INVALID_JSON)),
            ("body-media-type", faulty(FaultLabel::JSON_AS_TEXT)),
            ("body-shape", faulty(FaultLabel::INVALID_ITEMS)),
            ("no-content", served(204)),
            ("cursor-loop", comes_back),
            (
                "page-limit",
                faulty(FaultLabel::ENDLESS_ITEMS)
                    .respond(1, 200)
                    .fault(FaultLabel::ENDLESS_ITEMS),
            ),
            (
                "idempotency-key-reuse",
                job().post(1, 201, 1, Some(7)).job(Created),
            ),
            ("one-job", job()),
            (
                "post-not-retried",
                testing::Script::new().post(0, 503, 1, None),
            ),
            (
                "token-elsewhere",
                served(302)
                    .fault(REDIRECT_ELSEWHERE)
                    .with(|request| request.authorization = true),
            ),
        ];
        table
            .into_iter()
            .map(|(id, script)| (find(id).expect("a rule"), script))
    }

    #[test]
    fn a_forbidden_request_may_come_until_the_client_has_ended_or_its_time_is_over() {
        let error = r#"{"error": "down"}"#;
        let mut seen = Vec::new();
        for (rule, script) in forbidding() {
            seen.push(rule.id);
            let judged = |script: testing::Script| {
                let judgement = testing::judged(&script, rule);
                (judgement.verdict, judgement.found)
            };
            let watched = |seconds| {
                let found = format!(
                    "nothing more came for {seconds} s, and the program was still running when \
                     the case ended"
                );
                (Verdict::Kept, Some(found))
            };

            let alone = judged(script.clone().exits(1, error));
            assert_eq!(alone, (Verdict::Kept, None), "{}", rule.id);
            let rests = judged(script.clone().rests(300, error, 9_001));
            assert_eq!(rests, watched(9), "{}", rule.id);
            let child = judged(script.clone().leaves_running(8_001));
            assert_eq!(child, watched(8), "{}", rule.id);
            // It had no result, or had it too late for anything to be seen.
            for unsure in [
                script.clone().stopped_at(9_001),
                script.rests(8_500, error, 9_001),
            ] {
                assert_eq!(judged(unsure).0, Verdict::CannotTell, "{}", rule.id);
            }
        }

        let forbidding = RULES.iter().filter(|rule| rule.forbids_a_request());
        let mut forbidding: Vec<_> = forbidding.map(|rule| rule.id).collect();
        forbidding.sort_unstable();
        seen.sort_unstable();
        assert_eq!(seen, forbidding);
    }

    #[test]
    fn without_requests_no_rule_is_exercised() {
        let wire = WireRecord::default();
        let cases = [Case::of(&wire)];

        for rule in RULES {
            let judgement = rule.judge(&cases);

            assert_eq!(judgement.verdict, Verdict::NotExercised, "{}", rule.id);
        }
    }

    #[test]
    fn a_client_that_gives_up_at_the_first_failure_breaks_no_rule() {
        let faults = [
            FaultLabel::INVALID_JSON,
            FaultLabel::JSON_AS_TEXT,
            FaultLabel::INVALID_ITEMS,
            EMPTY_PAGE,
            FaultLabel::SILENCE,
        ];
        let served = |status| testing::Script::new().respond(0, status);
        let faulty = faults.map(|fault| served(200).issues(7).fault(fault));
        let refused = [204, 302, 404, 429, 500, 503].map(served);
        let asked = [2, 120].map(|seconds| served(503).retry_after(seconds));
        let posted = testing::Script::new().post(0, 503, 1, None).call(1);
        let all = faulty.into_iter().chain(refused).chain(asked);

        for script in all.chain([posted.content_type("application/json")]) {
            for script in [script.clone(), script.exits(1, "")] {
                for rule in RULES {
                    let judgement = testing::judged(&script, rule);

                    assert_ne!(judgement.verdict, Verdict::Broken, "{}", rule.id);
                }
            }
        }
    }
}
