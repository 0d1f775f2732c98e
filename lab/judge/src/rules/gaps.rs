//! A rule about gaps, judged by those of the whole card or of a task.

use wire::WireRequest;

use super::{
    Case, Judgement, RequestRef,
    sample::{Sample, SampleEvidence, of},
};

/// Judges by the gaps of the whole card, or else of these cases.
pub(super) fn judged(
    cases: &[Case<'_>],
    failed: impl Fn(&Case<'_>, &WireRequest) -> bool,
    of_card: bool,
    evidence: fn(&Sample) -> SampleEvidence,
) -> Judgement {
    let is_exercised = |case: &Case<'_>| {
        let mut requests = case.wire.entries.iter();
        requests.any(|request| failed(case, request))
    };
    if !cases.iter().any(is_exercised) {
        return Judgement::not_exercised();
    }
    let known = cases.first().map(|case| &case.context.gaps);
    let known = known.cloned().unwrap_or_default();
    let sample = if of_card && known.is_pooled {
        known
    } else {
        let seen = cases.iter().filter(|case| case.wire.dropped == 0);
        let of_each = seen.map(|case| {
            let gaps = of(&case.ties, case.process, |request| failed(case, request));
            gaps.map(|(_, gap)| gap).collect()
        });
        Sample {
            cases: of_each.collect(),
            largest: 0,
            ..known
        }
    };
    let judgement = match evidence(&sample) {
        SampleEvidence::Nothing => Judgement::skipped(),
        SampleEvidence::Kept => Judgement::kept(),
        SampleEvidence::Skipped(why) => Judgement::skipped_because(why),
        SampleEvidence::CannotTell(why, remedy) => Judgement::cannot_tell_with(why, remedy),
        SampleEvidence::Broken(shown) => {
            let requests = cases.iter().enumerate().flat_map(|(number, case)| {
                let gaps = of(&case.ties, case.process, |request| failed(case, request));
                let gaps = gaps.enumerate();
                let evidence = gaps.filter(|(place, (_, gap))| shown.is_shown_by(*place, gap));
                evidence.map(move |(_, (next, _))| RequestRef {
                    case: number,
                    seq: next.seq,
                })
            });
            let requests = requests.collect();
            Judgement::broken_by(requests, shown.found)
        }
    };
    cases.iter().fold(judgement, Judgement::unless_unseen)
}
