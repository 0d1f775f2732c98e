//! The rules about a `Retry-After` that can be read: its wait is to be waited for in full.

use std::time::Duration;

use wire::{RetryAfter, RetryAfterForm, WireRequest, duration};

use super::{Case, Judge, Judgement, Rule, RuleLevel, TOLERANCE, Verdict};
use crate::ties::Wait;

/// A wait in seconds.
pub const RETRY_AFTER_SECONDS: Rule = Rule {
    id: "retry-after-seconds",
    level: RuleLevel::Standard,
    source: "RFC 9110 §10.2.3",
    text: "every Retry-After in seconds was waited for in full",
    why: "The service knows when it will be available. An earlier request is refused again, and adds to the load.",
    hint: "Read Retry-After on every failure, wait for all of it, and give up with an error if it is longer than you may wait.",
    judge: Judge::Cases(|cases| {
        waited_out_in_each(cases, |request| {
            has_form(request, RetryAfterForm::Seconds) && request.ended.is_some()
        })
    }),
};

/// A wait in seconds, of a response that breaks off.
pub const RETRY_AFTER_CUT_BODY: Rule = Rule {
    id: "retry-after-cut-body",
    level: RuleLevel::Standard,
    source: "RFC 9110 §10.2.3",
    text: "a Retry-After was waited for although the body was incomplete",
    why: "Connections break most often during bodies. The wait is in the head, which has arrived by then.",
    hint: "Decide by status and headers; an incomplete body only costs you its details.",
    judge: Judge::Cases(|cases| {
        waited_out_in_each(cases, |request| {
            has_form(request, RetryAfterForm::Seconds) && request.ended.is_none()
        })
    }),
};

/// A wait until a date.
pub const RETRY_AFTER_DATE: Rule = Rule {
    id: "retry-after-date",
    level: RuleLevel::Standard,
    source: "RFC 9110 §10.2.3 and §5.6.7",
    text: "no request came before the date of a Retry-After",
    why: "A client that reads only seconds is early whenever a service names a date.",
    hint: "Read an HTTP date in all its three formats (IMF-fixdate, RFC 850 and asctime), and wait until then by the wall clock.",
    judge: Judge::Cases(|cases| {
        waited_out_in_each(cases, |request| has_form(request, RetryAfterForm::Date))
    }),
};

/// A wait that is too long must end the call, not be shortened.
pub const RETRY_AFTER_OVER_BUDGET: Rule = Rule {
    id: "retry-after-over-budget",
    level: RuleLevel::Standard,
    source: "RFC 9110 §10.2.3; urllib3/urllib3#1338; curl/curl#7675",
    text: "a Retry-After of minutes was not shortened",
    why: "A client that shortens the wait to its own limit returns early, and so does every other such client.",
    hint: "Give up at once when a Retry-After is longer than you may wait, and tell your caller how long it is.",
    judge: Judge::Forbids(over_budget),
};

/// A longer wait is longer than any case.
const LONGEST_CASE: Duration = Duration::from_secs(60);

/// Waits that differ by less show nothing about the pauses after them.
const DIFFERENT: Duration = Duration::from_millis(500);

fn has_form(request: &WireRequest, form: RetryAfterForm) -> bool {
    request.retry_after.map(|retry_after| retry_after.form) == Some(form)
}

/// A client may wait until the requested time and then retry. If it has not retried, it may
/// still retry early, unless its process has ended.
fn over_budget(case: &Case<'_>) -> Judgement {
    let is_long = |request: &WireRequest| {
        let wait = request.retry_after.map(RetryAfter::wait);
        wait.is_some_and(|wait| wait > LONGEST_CASE)
    };
    let judgement = waited_out(case, is_long);
    match judgement.verdict {
        Verdict::Skipped if case.process.is_some() => Judgement::kept(),
        _ => judgement,
    }
}

/// Broken by every request before the end of a Retry-After, for the responses to which
/// `applies` applies.
fn waited_out(case: &Case<'_>, applies: fn(&WireRequest) -> bool) -> Judgement {
    if !case.wire.entries.iter().any(applies) {
        return Judgement::not_exercised();
    }
    let all_waits = case.ties.waits().iter();
    let waits: Vec<_> = all_waits.filter(|wait| applies(wait.asked_by)).collect();
    let too_early = waits.iter().filter(|wait| wait.early_by > TOLERANCE);
    let (early, doubtful): (Vec<&&Wait<'_>>, Vec<_>) =
        too_early.partition(|wait| wait.why.doubt().is_none());
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
fn waited_out_in_each(cases: &[Case<'_>], applies: fn(&WireRequest) -> bool) -> Judgement {
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
    let asking = requests.filter(|request| applies(request));
    let asked: Vec<_> = asking
        .filter_map(|request| request.retry_after.map(RetryAfter::wait))
        .collect();
    let (shortest, longest) = (*asked.iter().min()?, *asked.iter().max()?);
    let difference = longest.saturating_sub(shortest);
    if difference < DIFFERENT {
        return None;
    }
    let waited = |asked| {
        let waits = cases.iter().flat_map(|case| case.ties.waits());
        let of_this_length =
            waits.filter(|wait| applies(wait.asked_by) && wait.retry_after.wait() == asked);
        of_this_length.map(|wait| wait.waited).min()
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
    use crate::rules::testing::{Script, hold};

    fn came_back_after(millis: u64) -> Script {
        let asked = Script::new().respond(0, 503).retry_after(2);
        asked.respond(millis, 200)
    }

    #[test]
    fn a_request_before_the_wait_is_over_breaks_it() {
        hold! { RETRY_AFTER_SECONDS;
            Script::new().respond(0, 503) => NotExercised,
            Script::new().respond(0, 503).retry_after(2) => Skipped,
            came_back_after(1_020) => Broken [2]: "asked for 2 s, retried after 1 s",
            came_back_after(1_997) => Broken [2],
            came_back_after(1_998) => Kept,
            came_back_after(9_000) => Kept,
            // Without a known single caller it cannot be told.
            came_back_after(0).of_several_callers() => Skipped,
        }
    }

    #[test]
    fn the_newest_response_counts() {
        let ended = came_back_after(2_000).respond(2_001, 200);
        let renewed = came_back_after(2_000).retry_after(1).respond(2_500, 200);

        hold! { RETRY_AFTER_SECONDS;
            ended => Kept,
            renewed => Broken [3],
        }
    }

    #[test]
    fn a_request_after_a_response_is_early_unless_the_client_hedges() {
        let asked = || Script::new().respond(0, 503).retry_after(2).on(1, 2);
        let next = |millis, connection| asked().respond(millis, 200).on(connection, 3);

        hold! { RETRY_AFTER_SECONDS;
            // A transport does not replay a request whose response was complete.
            next(5, 2) => Broken [2],
            next(5, 1).hedging() => Broken [2],
            next(5, 2).hedging() => CannotTell,
            next(6, 2).hedging() => Broken [2],
            next(2_000, 2).hedging() => Kept,
            asked().lasting(3).respond(2, 200).hedging() => Skipped,
        }
    }

    #[test]
    fn the_head_of_a_response_that_breaks_off_is_enough() {
        let whole = || Script::new().respond(0, 503).retry_after(2);
        let cut = || whole().with(|request| request.ended = None);

        hold! { RETRY_AFTER_CUT_BODY;
            whole().respond(10, 200) => NotExercised,
            cut() => Skipped,
            cut().respond(200, 200) => Broken [2],
            cut().respond(2_000, 200) => Kept,
        }
        hold! { RETRY_AFTER_SECONDS;
            cut().respond(200, 200) => NotExercised,
        }
    }

    #[test]
    fn a_request_before_the_date_breaks_it() {
        let wait = Duration::from_secs(3);
        let date = || {
            Script::new()
                .respond(500, 503)
                .retry_after_header(RetryAfter::date(wait))
        };

        hold! { RETRY_AFTER_DATE;
            Script::new().respond(0, 503).retry_after(1) => NotExercised,
            date() => Skipped,
            date().respond(3_400, 200) => Broken [2],
            date().respond(3_500, 200) => Kept,
        }
    }

    #[test]
    fn giving_up_a_long_wait_keeps_it_and_an_early_retry_breaks_it() {
        let asked = || Script::new().respond(0, 503).retry_after(120);
        let short = Script::new().respond(0, 503).retry_after(2);
        let minute = Script::new().respond(0, 503).retry_after(60);

        hold! { RETRY_AFTER_OVER_BUDGET;
            short.respond(2_000, 200) => NotExercised,
            minute => NotExercised,
            asked() => Skipped,
            asked().exits(1, "") => Kept,
            asked().stopped_at(10_000) => CannotTell,
            asked().dropping(1) => CannotTell,
            asked().respond(30_000, 503).retry_after(120) => Broken [2],
            asked().respond(9, 200).stopped_at(10_000) => Broken [2],
            asked().respond(120_000, 200) => Kept,
        }
    }

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

    /// Dates that are named at different moments do so by chance.
    #[test]
    fn waits_that_hardly_differ_are_not_compared() {
        for (other, verdict) in [(2_499, Verdict::Kept), (2_500, Verdict::CannotTell)] {
            let wires = [2_000, other].map(|wait| {
                let date = RetryAfter::date(Duration::from_millis(wait));
                let asked = Script::new().respond(0, 503).retry_after_header(date);
                asked.respond(5_000, 200).record()
            });
            let cases = wires.each_ref().map(Case::of);

            let judgement = RETRY_AFTER_DATE.judge(&cases);

            assert_eq!(judgement.verdict, verdict, "{other} {judgement:?}");
        }
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
