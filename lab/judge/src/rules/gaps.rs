//! A rule about gaps, judged by those of the whole card or of a task.

use wire::WireRequest;

use super::{
    Case, Judgement, RequestRef,
    sample::{Sample, Shown, of},
};
/// Judges by the gaps of the whole card, or else of these cases.
pub(super) fn judged(
    cases: &[Case<'_>],
    failed: impl Fn(&Case<'_>, &WireRequest) -> bool,
    of_card: bool,
    shown: fn(&Sample) -> Shown,
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
    let sample = match of_card && known.is_pooled {
        true => known,
        false => {
            let mut own = Sample {
                pools: Vec::new(),
                ..known
            };
            for case in cases.iter().filter(|it| it.wire.dropped == 0) {
                own.add(of(&case.ties, |it| failed(case, it)).map(|(_, gap)| gap));
            }
            own
        }
    };
    let judgement = match shown(&sample) {
        Shown::Nothing => Judgement::skipped(),
        Shown::Kept => Judgement::kept(),
        Shown::Skipped(why) => Judgement::skipped_because(why),
        Shown::CannotTell(why) => Judgement::cannot_tell(why),
        Shown::Broken(numbers, longest, found) => {
            let requests = cases.iter().enumerate().flat_map(|(case, it)| {
                let gaps = of(&it.ties, |request| failed(it, request)).enumerate();
                let shown =
                    gaps.filter(|(number, (_, gap))| numbers.contains(number) && *gap <= longest);
                shown.map(move |(_, (next, _))| RequestRef {
                    case,
                    seq: next.seq,
                })
            });
            Judgement::broken_by(requests.collect(), found)
        }
    };
    cases.iter().fold(judgement, Judgement::unless_unseen)
}
