//! The rules of the wire: how a client may get what it wants.
//!
//! A rule is one file and one line below: its id, its authority, why it matters, how to
//! keep it, and a pure function from the record of the wire to a [`Judgement`]. Of a
//! client's own statements it reads only that the client ended with a result before the
//! service had served everything. A client that gives up breaks no rule about retries. If
//! the record is not conclusive, the verdict is [`Verdict::CannotTell`].

mod backoff;
pub mod backoff_jitter;
pub mod backoff_waits;
pub mod body_json;
pub mod body_media_type;
pub mod body_shape;
mod card_case;
mod case;
mod context;
pub mod cursor_loop;
pub mod cursor_verbatim;
pub mod empty_page;
pub mod finite_attempts;
pub mod idempotency_key_fresh;
pub mod idempotency_key_reuse;
mod judgement;
pub mod no_content;
pub mod no_retry_4xx;
pub mod no_url_credentials;
pub mod one_job;
pub mod page_limit;
pub mod post_not_retried;
pub mod read_timeout;
pub mod reads_to_the_end;
pub mod request_headers;
pub mod result;
pub mod retry_after_cut_body;
pub mod retry_after_date;
pub mod retry_after_over_budget;
pub mod retry_after_seconds;
pub mod retry_after_unusable;
pub mod same_body;
#[cfg(any(test, feature = "testing"))]
#[cfg_attr(
    not(test),
    expect(
        clippy::expect_used,
        reason = "a test that scripts a record wrongly should panic"
    )
)]
pub mod testing;
pub mod token_elsewhere;
mod waited_long_enough;

use std::{
    collections::{BTreeSet, HashSet},
    time::Duration,
};

use serde::Serialize;
use wire::{FaultLabel, IssuedCursor, WireRecord, WireRequest, counted};

use waited_long_enough::{waited_out, waited_out_in_each};

pub use card_case::{CardCase, CaseKind};
pub use case::Case;
pub use context::CardContext;
pub use judgement::{Judgement, RequestRef, Verdict};
pub use token_elsewhere::names_another_origin;

/// Every rule, in the order of the course.
pub static RULES: &[&Rule] = &[
    &cursor_verbatim::RULE,
    &empty_page::RULE,
    &reads_to_the_end::RULE,
    &no_url_credentials::RULE,
    &token_elsewhere::RULE,
    &backoff_waits::RULE,
    &backoff_jitter::RULE,
    &retry_after_seconds::RULE,
    &retry_after_cut_body::RULE,
    &retry_after_date::RULE,
    &retry_after_unusable::RULE,
    &retry_after_over_budget::RULE,
    &finite_attempts::RULE,
    &no_retry_4xx::RULE,
    &body_json::RULE,
    &body_media_type::RULE,
    &body_shape::RULE,
    &no_content::RULE,
    &cursor_loop::RULE,
    &page_limit::RULE,
    &idempotency_key_reuse::RULE,
    &idempotency_key_fresh::RULE,
    &same_body::RULE,
    &one_job::RULE,
    &post_not_retried::RULE,
    &read_timeout::RULE,
    &request_headers::RULE,
];

/// A rule of the wire.
#[derive(Debug)]
pub struct Rule {
    /// Its id, in words joined by hyphens.
    pub id: &'static str,
    /// Its authority.
    pub level: RuleLevel,
    /// The document that states it.
    pub source: &'static str,
    /// The behaviour of a client that keeps the rule.
    pub text: &'static str,
    /// The damage if it is broken.
    pub why: &'static str,
    /// How a client keeps it.
    pub hint: &'static str,
    /// How it is judged.
    pub judge: Judge,
}

/// How a rule is judged.
#[derive(Debug)]
pub enum Judge {
    /// Each case separately; the greatest verdict counts.
    Case(fn(&Case<'_>) -> Judgement),
    /// The same, of a rule that forbids a request: one more request could break it even
    /// after the client has its result. So a case is watched until the client has ended or
    /// the time of the case is over, and the rule is kept only by a client that was watched
    /// for that long.
    Forbids(fn(&Case<'_>) -> Judgement),
    /// All cases of a task together.
    Cases(fn(&[Case<'_>]) -> Judgement),
    /// The same, of a rule about the lengths of gaps: milliseconds count, so a case is not
    /// run beside others.
    Gaps(fn(&[Case<'_>]) -> Judgement),
}

impl Rule {
    /// Judges the records of one or more cases of a task.
    #[must_use]
    pub fn judge(&self, cases: &[Case<'_>]) -> Judgement {
        match self.judge {
            Judge::Case(judge) => Judgement::of_each(cases, judge),
            Judge::Forbids(judge) => Judgement::of_each(cases, |case| judge(case).if_watched(case)),
            Judge::Cases(judge) | Judge::Gaps(judge) => judge(cases),
        }
    }

    /// Whether it forbids a request, so that its cases are watched until they are over.
    #[must_use]
    pub fn forbids_a_request(&self) -> bool {
        matches!(self.judge, Judge::Forbids(_))
    }

    /// Whether it is about gaps so short that a busy machine makes them.
    #[must_use]
    pub fn is_about_milliseconds(&self) -> bool {
        matches!(self.judge, Judge::Gaps(_))
    }
}

/// The authority of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleLevel {
    /// A standard requires it.
    Standard,
    /// Experienced operators of services recommend it.
    GoodPractice,
    /// This service requires it; others may not.
    Contract,
}

/// The imprecision of timers: a request that arrives at most this much before its time is
/// not early.
pub const TOLERANCE: Duration = Duration::from_millis(2);

/// The rule with this id.
#[must_use]
pub fn find(id: &str) -> Option<&'static Rule> {
    RULES.iter().copied().find(|rule| rule.id == id)
}

/// The rule about endless listings, if the lab stopped a client without a limit of its own on
/// one of them.
#[must_use]
pub fn without_page_limit(wire: &WireRecord) -> Option<(&'static Rule, Judgement)> {
    Some((&page_limit::RULE, page_limit::of_stopped(wire)?))
}

/// Broken by every request that repeats one to which `after` applies, or that uses the
/// cursor of its response; kept if there was such a request and no repetition.
fn not_repeated(case: &Case<'_>, after: fn(&WireRequest) -> bool) -> Judgement {
    let (wire, ties) = (case.wire, &case.ties);
    let after = |request: &WireRequest| after(request) && !is_look(request);
    if !wire.entries.iter().any(after) {
        return Judgement::not_exercised();
    }
    let mut doubtful = ties.doubtful().filter(|(first, ..)| after(first));
    let repeated = ties.repetitions().filter(|(first, _)| after(first));
    let repeated: Vec<_> = repeated.map(|(_, next)| next.seq).collect();
    let found = match repeated.len() {
        0 => "its next cursor was used".to_owned(),
        times => format!("{} followed", counted(times as u64, "more request")),
    };
    let seqs = repeated.into_iter().chain(reads_on(wire, after));
    let seqs: BTreeSet<_> = seqs.collect();
    let doubt = doubtful.next().map(|(.., doubt)| doubt);
    Judgement::kept_unless_in(seqs.into_iter().collect(), found, doubt)
}

/// Whether it is a HEAD or an OPTIONS, which a client may send as often as it likes.
fn is_look(request: &WireRequest) -> bool {
    matches!(request.method, "HEAD" | "OPTIONS")
}

/// Every request with a cursor from a response to which `after` applies. If its cursor was
/// invalid, a cursor that no other response gave is made from it.
fn reads_on(wire: &WireRecord, after: impl Fn(&WireRequest) -> bool) -> Vec<u64> {
    let (mut given, mut elsewhere, mut invalid) = (HashSet::new(), HashSet::new(), HashSet::new());
    let mut seqs = Vec::new();
    for request in &wire.entries {
        let route = &request.route;
        if let Some(sent) = request.cursor.map(|cursor| (route, cursor)) {
            let is_made = invalid.contains(route) && !elsewhere.contains(&sent);
            if given.contains(&sent) || is_made {
                seqs.push(request.seq);
            }
        }
        match (after(request), request.cursor_issued) {
            (true, Some(IssuedCursor::Hash(next))) => _ = given.insert((route, next)),
            (false, Some(IssuedCursor::Hash(next))) => _ = elsewhere.insert((route, next)),
            (true, None) if request.fault == Some(FaultLabel::INVALID_CURSOR) => {
                invalid.insert(route);
            }
            _ => {}
        }
    }
    seqs
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{empty_page::EMPTY_PAGE, token_elsewhere::REDIRECT_ELSEWHERE, *};

    #[test]
    fn every_rule_has_all_texts_and_the_id_of_its_file() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/rules");
        for rule in RULES {
            let file = folder.join(format!("{}.rs", rule.id.replace('-', "_")));
            assert!(file.is_file(), "{} does not exist", file.display());
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
                let judgement = script.judged(rule);
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
                    let judgement = script.clone().judged(rule);

                    assert_ne!(judgement.verdict, Verdict::Broken, "{}", rule.id);
                }
            }
        }
    }
}
