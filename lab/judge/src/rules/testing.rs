//! The tests of rules: tables of scripted cases.

pub(crate) use testkit::script::Script;
use wire::WireRecord;

use super::{CardContext, Case, Judgement, Rule, Verdict};

/// The judgement of a case.
pub(crate) fn judged(script: &Script, rule: &Rule) -> Judgement {
    judged_with(&[], script, rule)
}

/// The judgement of two cases, of which this is the second.
pub(crate) fn judged_after(first: &WireRecord, script: &Script, rule: &Rule) -> Judgement {
    judged_with(&[Case::of(first)], script, rule)
}

fn judged_with(before: &[Case<'_>], script: &Script, rule: &Rule) -> Judgement {
    let context = CardContext {
        hedges: script.hedges(),
        ..CardContext::default()
    };
    let (wire, process) = script.case();
    rule.judge(&[before, &[Case::with(wire, process, &context)]].concat())
}

/// Checks a rule against a table. Each row has a record, its verdict, the requests that
/// broke the rule, and the finding where that matters.
macro_rules! hold {
    ($rule:expr; $($script:expr => $verdict:ident $([$($seq:expr),+])? $(: $found:expr)?,)+) => {
        $({
            let verdict = $crate::rules::Verdict::$verdict;
            let (seqs, found): (&[u64], &[&str]) = (&[$($($seq),+)?], &[$($found)?]);
            $crate::rules::testing::check(&$rule, $script, verdict, seqs, found);
        })+
    };
}
pub(crate) use hold;

#[track_caller]
/// Checks the judgement of a case.
pub(crate) fn check(rule: &Rule, script: Script, verdict: Verdict, seqs: &[u64], found: &[&str]) {
    let judgement = judged(&script, rule);

    let shown: Vec<_> = judgement
        .requests
        .iter()
        .map(|request| request.seq)
        .collect();
    assert_eq!((judgement.verdict, &*shown), (verdict, seqs), "{script:#?}");
    match found {
        [] => assert!(
            verdict != Verdict::Kept || judgement.found.is_none(),
            "{judgement:?}"
        ),
        found => assert_eq!(judgement.found.as_deref(), found.first().copied()),
    }
}

/// Checks that a rule judges only cases that distinguish jobs.
#[track_caller]
pub(crate) fn hold_to_jobs(rule: &Rule) {
    let post = |body| Script::new().post(0, 503, body, Some(7));
    let another = |script: Script| script.post(9, 409, 2, Some(7));
    hold! { *rule;
        Script::new().respond(0, 200).call(1) => NotExercised,
        // A scenario may do so on purpose.
        another(post(1)) => NotExercised,
        post(1).call(1) => Skipped,
        post(1).call(1).dropping(1) => CannotTell,
    }
}
