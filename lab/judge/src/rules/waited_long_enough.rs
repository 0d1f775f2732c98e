//! Whether a client waited as long as a `Retry-After` asked it to.

use std::time::Duration;

use wire::{RetryAfter, WireRequest, duration};

use super::{Case, Judgement, TOLERANCE, Verdict};
use crate::ties::Wait;

/// Waits that differ by less show nothing about the pauses after them.
const DIFFERENT: Duration = Duration::from_millis(500);

/// Broken by every request before the end of a Retry-After, for the responses to which
/// `applies` applies.
pub(super) fn waited_out(case: &Case<'_>, applies: fn(&WireRequest) -> bool) -> Judgement {
    if !case.wire.entries.iter().any(applies) {
        return Judgement::not_exercised();
    }
    let waits = case.ties.waits().iter();
    let waits: Vec<_> = waits.filter(|wait| applies(wait.asked_by)).collect();
    let early = waits.iter().filter(|wait| wait.early_by > TOLERANCE);
    let (early, doubtful): (Vec<&&Wait<'_>>, Vec<_>) =
        early.partition(|wait| wait.why.doubt().is_none());
    let doubt = doubtful.iter().find_map(|wait| wait.why.doubt());
    let seqs: Vec<_> = early.iter().map(|wait| wait.next.seq).collect();
    match early.iter().max_by_key(|wait| wait.early_by) {
        Some(worst) => {
            let asked = duration(worst.retry_after.wait());
            let waited = duration(worst.waited);
            Judgement::broken(seqs, format!("asked for {asked}, retried after {waited}"))
        }
        None if waits.is_empty() => Judgement::skipped(),
        None => Judgement::kept_unless_in(Vec::new(), "", doubt),
    }
}

/// The same over all cases of a task. Cases that ask for different waits show whether the
/// pauses depend on them: a client that always pauses for longer than it is asked to is
/// never early, and does not have to read the header.
pub(super) fn waited_out_in_each(
    cases: &[Case<'_>],
    applies: fn(&WireRequest) -> bool,
) -> Judgement {
    let judgement = Judgement::of_each(cases, |case| waited_out(case, applies));
    match coincidence(cases, applies) {
        Some(why) if judgement.verdict == Verdict::Kept => Judgement::cannot_tell(why),
        _ => judgement,
    }
}

/// Why the pauses may have been long enough by coincidence; none if no case asks for another
/// wait than the others, or if the pauses show that the client heeds them.
fn coincidence(cases: &[Case<'_>], applies: fn(&WireRequest) -> bool) -> Option<String> {
    let requests = cases.iter().flat_map(|case| &case.wire.entries);
    let asked = requests.filter(|request| applies(request));
    let asked: Vec<_> = asked
        .filter_map(|request| request.retry_after.map(RetryAfter::wait))
        .collect();
    let (shortest, longest) = (*asked.iter().min()?, *asked.iter().max()?);
    let difference = longest.saturating_sub(shortest);
    if difference < DIFFERENT {
        return None;
    }
    let waited = |asked| {
        let waits = cases.iter().flat_map(|case| case.ties.waits());
        let waits = waits.filter(|wait| applies(wait.asked_by));
        let waits = waits.filter(|wait| wait.retry_after.wait() == asked);
        waits.map(|wait| wait.waited).min()
    };
    let (short, long) = (duration(shortest), duration(longest));
    let (Some(after_short), Some(after_long)) = (waited(shortest), waited(longest)) else {
        return Some(format!(
            "only one of the waits of {short} and {long} was followed by a retry"
        ));
    };
    let heeds = after_long.saturating_sub(after_short) >= difference / 2;
    (!heeds).then(|| {
        let (after_short, after_long) = (duration(after_short), duration(after_long));
        format!(
            "retried after {after_short} when asked for {short}, and after {after_long} when \
             asked for {long}: a pause of one length would look the same"
        )
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use wire::WireRecord;

    use super::*;
    use crate::rules::testing::Script;

    fn applies(request: &WireRequest) -> bool {
        request.retry_after.is_some()
    }

    /// Cases that ask for a wait of so many seconds, each with a retry after this many
    /// milliseconds, or without one.
    fn judged(cases: &[(u64, Option<u64>)]) -> (Verdict, Option<String>) {
        let record = |(seconds, millis): &(u64, Option<u64>)| {
            let asked = Script::new().respond(0, 503).retry_after(*seconds);
            let again = |millis| asked.clone().respond(millis, 200);
            millis.map_or(asked.clone(), again).record()
        };
        let wires: Vec<WireRecord> = cases.iter().map(record).collect();
        let cases: Vec<_> = wires.iter().map(Case::of).collect();
        let judgement = waited_out_in_each(&cases, applies);
        (judgement.verdict, judgement.found)
    }

    #[test]
    fn a_pause_that_does_not_depend_on_the_wait_shows_nothing() {
        use Verdict::{Broken, CannotTell, Kept, Skipped};
        for (cases, verdict) in [
            (&[(2, Some(2_010)), (4, Some(4_020))][..], Kept),
            (&[(2, Some(2_900)), (4, Some(4_000))], Kept),
            (&[(2, Some(3_000)), (4, Some(3_000))], Broken),
            (&[(2, Some(5_000)), (4, Some(5_000))], CannotTell),
            (&[(2, Some(5_000)), (4, Some(5_900))], CannotTell),
            (&[(2, Some(2_010)), (4, None)], CannotTell),
            (&[(2, None), (4, Some(4_010))], CannotTell),
            (&[(2, None), (4, None)], Skipped),
            // Without another wait there is nothing to compare.
            (&[(2, Some(5_000)), (2, Some(5_000))], Kept),
            (&[(2, Some(5_000))], Kept),
        ] {
            assert_eq!(judged(cases).0, verdict, "{cases:?}");
        }
        let found = judged(&[(2, Some(5_000)), (4, Some(5_000))]).1;
        let words = "retried after 5 s when asked for 2 s, and after 5 s when asked for 4 s: a \
                     pause of one length would look the same";
        assert_eq!(found.as_deref(), Some(words));
    }

    proptest! {
        /// Timers and a busy machine add to the pause, each time something else.
        #[test]
        fn no_constant_pause_keeps_the_rule(
            pause in 0..30_000_u64,
            late in (0..900_u64, 0..900_u64),
        ) {
            let cases = [(2, Some(pause + late.0)), (4, Some(pause + late.1))];

            prop_assert_ne!(judged(&cases).0, Verdict::Kept);
        }

        #[test]
        fn a_client_that_heeds_the_wait_keeps_it(late in (0..900_u64, 0..900_u64)) {
            let cases = [(2, Some(2_000 + late.0)), (4, Some(4_000 + late.1))];

            prop_assert_eq!(judged(&cases).0, Verdict::Kept);
        }
    }
}
