//! Whether a client waited as long as a `Retry-After` asked it to.

use super::{Case, Judgement, TOLERANCE};
use crate::{ties::Wait, wire::WireRequest};

/// Broken by every request before the end of a Retry-After, for the responses to which
/// `applies` applies.
pub(super) fn waited_out(case: &Case<'_>, applies: fn(&WireRequest) -> bool) -> Judgement {
    if !case.wire.entries.iter().any(applies) {
        return Judgement::not_exercised();
    }
    let waits = case.ties.waits().iter();
    let waits: Vec<_> = waits.filter(|it| applies(it.asked_by)).collect();
    let early = waits.iter().filter(|wait| wait.early_by > TOLERANCE);
    let (early, doubtful): (Vec<&&Wait<'_>>, Vec<_>) =
        early.partition(|wait| wait.why.doubt().is_none());
    let doubt = doubtful.iter().find_map(|wait| wait.why.doubt());
    let seqs: Vec<_> = early.iter().map(|wait| wait.next.seq).collect();
    match early.iter().max_by_key(|wait| wait.early_by) {
        Some(worst) => {
            let asked = wire::duration(worst.retry_after.wait());
            let waited = wire::duration(worst.waited);
            Judgement::broken(seqs, format!("asked for {asked}, retried after {waited}"))
        }
        None if waits.is_empty() => Judgement::skipped(),
        None => Judgement::kept_unless_in(Vec::new(), "", doubt),
    }
}
