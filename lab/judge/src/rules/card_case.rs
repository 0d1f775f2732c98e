//! A case among those of a whole card, and what they say together.

use std::time::Duration;

use wire::{IssuedCursor, ProcessRecord, WireRecord};

use super::{
    CardContext,
    backoff_waits::failed,
    sample::{self, Sample},
};
use crate::ties::Ties;

/// The facts about a case that rules need beside its record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CaseKind {
    /// Nothing more.
    #[default]
    Plain,
    /// All its failures are alike, and those of every other such case of the card: the gaps
    /// after them are one sample. These cases are run one after another.
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
    /// How the client's process ended; none if it was not run as a process.
    pub process: Option<&'a ProcessRecord>,
}

impl CardContext {
    /// The facts in these cases. On a card with every task, `fail_alike` cases are of the kind
    /// [`FailsAlike`](CaseKind::FailsAlike).
    #[must_use]
    pub fn of(cases: &[CardCase<'_>], fail_alike: usize) -> Self {
        let single = |case: &&CardCase<'_>| case.kind != CaseKind::SeveralInFlight;
        let mut others = cases.iter().filter(single);
        let hedges = others.any(|case| Ties::of(case.wire).has_twins());
        let is_pooled = |case: &&CardCase<'_>| case.kind == CaseKind::FailsAlike;
        let pooled = || cases.iter().filter(is_pooled);
        let mut gaps = Sample::EMPTY;
        gaps.is_pooled = pooled().next().is_some();
        let is_complete = |case: &&CardCase<'_>| case.wire.dropped == 0;
        let incomplete = pooled().filter(|case| !is_complete(case)).count();
        gaps.largest = fail_alike.saturating_sub(incomplete);
        for case in pooled().filter(is_complete) {
            let ties = Ties::with(case.wire, hedges);
            let of_case = sample::of(&ties, case.process, failed);
            gaps.cases.push(of_case.map(|(_, gap)| gap).collect());
        }
        let starts = pooled().filter_map(|case| {
            let first = case.wire.entries.first()?.arrived;
            Some(first.saturating_sub(case.process?.started))
        });
        let starts: Vec<_> = starts.collect();
        gaps.starts = starts.len();
        let oversleep = cases
            .iter()
            .filter_map(|case| Some(case.process?.lab_delay));
        gaps.noise = oversleep.max().unwrap_or_default().max(spread(&starts));
        let turns: Vec<_> = cases.iter().map(|case| turns(case.wire)).collect();
        let (first, later) = turns
            .iter()
            .filter_map(|turns| turns.split_first())
            .unzip::<_, _, Vec<_>, Vec<_>>();
        gaps.overhead = [
            median(first.into_iter().copied().collect()),
            median(later.into_iter().flatten().copied().collect()),
        ];
        Self { hedges, gaps }
    }
}

/// From each page of a listing to the request for the next one, which needs no pause: the
/// client's own overhead.
fn turns(wire: &WireRecord) -> Vec<Duration> {
    let pairs = wire.entries.iter().zip(wire.entries.iter().skip(1));
    let turns = pairs.filter_map(|(page, next)| {
        let issued = next.cursor.map(IssuedCursor::Hash);
        let follows = issued.is_some() && issued == page.cursor_issued;
        next.arrived.checked_sub(page.head?).filter(|_| follows)
    });
    turns.collect()
}

fn spread(moments: &[Duration]) -> Duration {
    let ends = moments.iter().min().zip(moments.iter().max());
    ends.map(|(earliest, latest)| *latest - *earliest)
        .unwrap_or_default()
}

fn median(mut durations: Vec<Duration>) -> Duration {
    durations.sort_unstable();
    durations
        .get(durations.len() / 2)
        .copied()
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{TOLERANCE, testing::Script};

    const fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    fn of_one(kind: CaseKind, wire: &WireRecord) -> CardContext {
        let process = None;
        let case = CardCase {
            kind,
            wire,
            process,
        };
        CardContext::of(&[case], 1)
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
    fn gaps_are_pooled_over_cases_that_fail_alike_and_the_noise_is_that_of_the_starts_or_of_the_lab()
     {
        let failed = |first: u64, gaps: &[u64]| {
            let mut at = first;
            let script = Script::new().respond(at, 503);
            gaps.iter().fold(script, |script, gap| {
                at += gap;
                script.respond(at, 503)
            })
        };
        let wires = [
            failed(100, &[5, 50]),
            failed(130, &[6]),
            failed(110, &[7, 70]),
            failed(0, &[8]),
            failed(150, &[9]).dropping(1),
        ]
        .map(Script::record);
        let kind = |number| match number {
            3 => CaseKind::Plain,
            _ => CaseKind::FailsAlike,
        };
        for (delay, noise) in [(10, 40), (80, 80)] {
            let process = ProcessRecord {
                started: ms(10),
                lab_delay: ms(delay),
                ..ProcessRecord::default()
            };
            let cases = wires.iter().enumerate().map(|(number, wire)| CardCase {
                kind: kind(number),
                wire,
                process: (number != 2).then_some(&process),
            });

            let gaps = CardContext::of(&cases.collect::<Vec<_>>(), 5).gaps;

            let pools = gaps.pools();
            let lengths = pools.iter().map(|pool| {
                let lengths = pool.iter().map(|gap| gap.length);
                lengths.collect::<Vec<_>>()
            });
            let expected = [vec![ms(5), ms(6), ms(7)], vec![ms(50), ms(70)]];
            assert_eq!(lengths.collect::<Vec<_>>(), expected);
            // The starts after 90, 120 and 140 ms.
            assert_eq!((gaps.starts, gaps.noise), (3, ms(noise).max(ms(50))));
            assert!(gaps.is_pooled);
        }
        assert!(!of_one(CaseKind::Plain, &wires[3]).gaps.is_pooled);
    }

    #[test]
    fn the_way_from_page_to_page_is_the_clients_overhead() {
        let page = |script: Script, at, cursor: u64| script.respond(at, 200).issues(cursor);
        let listing = page(Script::new(), 0, 1).lasting(1);
        let listing = page(listing, 13, 2).cursor(1);
        let listing = page(listing, 15, 3).cursor(2);
        let elsewhere = listing.respond(60, 200).cursor(9);

        let overhead = of_one(CaseKind::Plain, &elsewhere.record()).gaps.overhead;

        assert_eq!(overhead, [ms(12), TOLERANCE]);
    }
}
