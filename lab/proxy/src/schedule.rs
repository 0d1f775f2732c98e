//! Which runs a case needs: how long a control holds a response, and which waits are asked for.
//!
//! A command that gives up early bears only a short control, and so only a short wait can be
//! told from something that comes by itself. All of this is decided from the runs so far.

use std::time::Duration;

use super::{ProxyFault, ProxyRun, borne};

/// How much longer a control holds a response than the wait that it is for.
const MARGIN: Duration = Duration::from_millis(200);

/// The shortest wait that Retry-After can ask for.
const SHORTEST: Duration = Duration::from_secs(1);

/// How many times longer the second wait is at least than the first.
const LONGER: u32 = 3;

/// For how long the next control of a route has to hold its response, if the last one held it
/// for too long; none if the command bears none that would tell something.
pub(super) fn shorter_control(control: &ProxyRun) -> Option<Duration> {
    if control.is_borne() {
        return None;
    }
    let target = control.target()?;
    let gave_up = target.closed.filter(|_| target.delivered.is_none());
    let gave_up = gave_up.map(|closed| closed.saturating_sub(target.arrived));
    // A command that did not give up failed for another reason, and may bear half as long.
    let next = gave_up.map_or(control.lasts() / 2, |gave_up| gave_up * 4 / 5);
    let next = next.min(control.lasts() * 4 / 5);
    (next > SHORTEST + MARGIN).then_some(next)
}

/// The first wait that a route is asked for: two seconds, or one if no control lasts longer.
/// Marked requests need no control.
pub(super) fn first_wait(runs: &[ProxyRun], route: &str, is_marked: bool) -> Duration {
    let borne = borne(runs, route).filter(|_| !is_marked);
    match borne {
        Some(borne) if borne < ProxyFault::WAIT + MARGIN => SHORTEST,
        _ => ProxyFault::WAIT,
    }
}

/// Two waits that tell a client that heeds them from one that waits for some time anyway;
/// none if the command bears no control that is long enough.
pub(super) fn two_waits(
    runs: &[ProxyRun],
    route: &str,
    is_marked: bool,
) -> Option<(Duration, Duration)> {
    if is_marked {
        return Some((ProxyFault::WAIT, ProxyFault::LONG_WAIT));
    }
    let longest = borne(runs, route)?.checked_sub(MARGIN)?;
    let long = Duration::from_secs(longest.as_secs()).min(ProxyFault::LONG_WAIT);
    let shorts = [ProxyFault::WAIT, SHORTEST].into_iter();
    let mut shorts =
        shorts.filter(|short| long >= *short * LONGER || long >= Duration::from_secs(5));
    shorts.next().map(|short| (short, long))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        RunKind,
        tests::{ROUTE, ms, request, run},
    };

    /// A control that held its response for this long, of a command that gives up after so
    /// long, if it does.
    fn control(lasts: u64, gives_up: Option<u64>) -> ProxyRun {
        let mut control = run(Some(ProxyFault::Hold), vec![request(0, 1)], 0);
        control.kind = RunKind::Fault {
            route: ROUTE.to_owned(),
            fault: ProxyFault::Hold,
            lasts: ms(lasts),
        };
        if let Some(gives_up) = gives_up.filter(|gives_up| *gives_up < lasts) {
            control.requests[0].delivered = None;
            control.requests[0].closed = Some(ms(gives_up));
        }
        control
    }

    #[test]
    fn a_control_becomes_as_short_as_the_command_bears() {
        for (lasts, gives_up, expected) in [
            (3_000, None, None),
            (3_000, Some(5_000), None),
            (8_000, Some(5_000), Some(4_000)),
            (3_000, Some(2_000), Some(1_600)),
            (3_000, Some(1_500), None),
            (3_000, Some(500), None),
        ] {
            let next = shorter_control(&control(lasts, gives_up));

            assert_eq!(next, expected.map(ms), "{lasts} {gives_up:?}");
        }
        let mut failed = control(3_000, None);
        failed.end.exit = Some(1);
        assert_eq!(shorter_control(&failed), Some(ms(1_500)));
    }

    #[test]
    fn waits_stay_below_what_the_command_bears() {
        for (lasts, first, two) in [
            (8_000, 2_000, Some((2_000, 7_000))),
            (6_000, 2_000, Some((2_000, 5_000))),
            (4_000, 2_000, Some((1_000, 3_000))),
            (3_000, 2_000, None),
            (1_600, 1_000, None),
        ] {
            let runs = [control(lasts, None)];

            let two = two.map(|(short, long)| (ms(short), ms(long)));
            assert_eq!(first_wait(&runs, ROUTE, false), ms(first), "{lasts}");
            assert_eq!(two_waits(&runs, ROUTE, false), two, "{lasts}");
        }
        let marked = (ProxyFault::WAIT, ProxyFault::LONG_WAIT);
        assert_eq!(two_waits(&[], ROUTE, true), Some(marked));
        assert_eq!(two_waits(&[], ROUTE, false), None);
    }
}
