//! The facts about a client and its machine that need all cases of a card.

use wire::WireRecord;

use super::backoff::{Gap, failed, gaps};
use crate::ties::Ties;

/// The facts about a case that rules need beside its record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CaseKind {
    /// Nothing more.
    #[default]
    Plain,
    /// All its failures are alike, and those of every other such case of the card: the gaps
    /// after them are pooled. These cases are run one after another.
    FailsAlike,
    /// One call has several requests in flight, so that equal requests at once do not show
    /// that the client hedges.
    SeveralInFlight,
}

/// A case of a card.
#[derive(Clone, Copy, Debug)]
pub struct CardCase<'a> {
    /// The facts about it.
    pub kind: CaseKind,
    /// The record of the wire.
    pub wire: &'a WireRecord,
}

/// The facts about a client and its machine from all cases of a card.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CardContext {
    /// Whether the client hedges: one call had two requests in flight at once.
    pub(super) hedges: bool,
    /// The gaps before retries in the cases that fail alike.
    pub(super) gaps: Vec<Gap>,
}

/// Of a case without a card.
pub(super) static NONE: CardContext = CardContext {
    hedges: false,
    gaps: Vec::new(),
};

impl CardContext {
    /// The facts in these cases.
    #[must_use]
    pub fn of(cases: &[CardCase<'_>]) -> Self {
        let single = |case: &&CardCase<'_>| case.kind != CaseKind::SeveralInFlight;
        let mut others = cases.iter().filter(single);
        let hedges = others.any(|case| Ties::of(case.wire).has_twins());
        let is_pooled =
            |case: &&CardCase<'_>| case.kind == CaseKind::FailsAlike && case.wire.dropped == 0;
        let pooled = cases.iter().filter(is_pooled);
        let gaps = pooled.flat_map(|case| {
            let ties = Ties::with(case.wire, hedges);
            let gaps = gaps(case.wire, &ties, failed).into_iter();
            gaps.map(|(_, gap)| gap)
        });
        Self {
            hedges,
            gaps: gaps.collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::rules::testing::Script;

    fn of_one(kind: CaseKind, wire: &WireRecord) -> CardContext {
        CardContext::of(&[CardCase { kind, wire }])
    }

    #[test]
    fn a_client_hedges_if_two_requests_of_one_call_were_in_flight_at_once() {
        let twins = |next| Script::new().respond(0, 200).lasting(3).respond(next, 200);
        let other_page = twins(2).cursor(7);
        for (script, kind, hedges) in [
            (twins(2), CaseKind::Plain, true),
            (twins(2), CaseKind::FailsAlike, true),
            (twins(2), CaseKind::SeveralInFlight, false),
            (twins(3), CaseKind::Plain, false),
            (other_page, CaseKind::Plain, false),
        ] {
            assert_eq!(of_one(kind, &script.record()).hedges, hedges);
        }
    }

    #[test]
    fn gaps_are_pooled_over_cases_that_fail_alike() {
        let failed = |gaps: &[u64]| Script::gaps(gaps, |script| script);
        let wires = [
            failed(&[5, 50]),
            failed(&[6]),
            failed(&[7]).dropping(1),
            failed(&[8]),
        ]
        .map(Script::record);
        let kinds = [CaseKind::FailsAlike; 3]
            .into_iter()
            .chain([CaseKind::Plain]);
        let cases = kinds
            .zip(&wires)
            .map(|(kind, wire)| CardCase { kind, wire });

        let context = CardContext::of(&cases.collect::<Vec<_>>());

        let gaps = context.gaps.iter();
        let gaps: Vec<_> = gaps.map(|gap| (gap.place.number, gap.length)).collect();
        let expected = [(0, 5), (1, 50), (0, 6)];
        assert_eq!(
            gaps,
            expected.map(|(number, millis)| (number, Duration::from_millis(millis)))
        );
    }
}
