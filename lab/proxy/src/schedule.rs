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

/// The cases with the silence of the first route only: it takes long, and tells of the client
/// and not of a route.
pub(super) fn with_one_silence(cases: Vec<(String, ProxyFault)>) -> Vec<(String, ProxyFault)> {
    let is_silence = |case: &(String, ProxyFault)| case.1 == ProxyFault::Silence;
    let first = cases.iter().position(is_silence);
    let numbered = cases.into_iter().enumerate();
    let kept = numbered.filter(|(number, case)| !is_silence(case) || Some(*number) == first);
    kept.map(|(_, case)| case).collect()
}

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
    use proptest::prelude::*;

    use super::*;
    use crate::{
        Estimate, RunKind,
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
    fn the_first_route_alone_has_a_silence() {
        let case = |route: &str, fault| (route.to_owned(), fault);
        let both = [ProxyFault::Refused, ProxyFault::Silence];
        let cases =
            ["GET /a", "GET /b", "GET /c"].map(|route| both.map(|fault| case(route, fault)));

        let cases = with_one_silence(cases.concat());

        let refused = |route| case(route, ProxyFault::Refused);
        let expected = [
            refused("GET /a"),
            case("GET /a", ProxyFault::Silence),
            refused("GET /b"),
            refused("GET /c"),
        ];
        assert_eq!(cases, expected);
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

    proptest! {
        /// As a plan makes them, if the command heeds every wait.
        #[test]
        fn the_controls_and_waits_of_a_route_take_no_longer_than_estimated(
            gives_up in 200_u64..=5_000,
        ) {
            let mut runs = Vec::new();
            let mut takes = 0;
            let mut controls = |runs: &mut Vec<ProxyRun>, lasts: u64| {
                let mut next = Some(ms(lasts));
                while let Some(lasts) = next {
                    let lasts = u64::try_from(lasts.as_millis()).expect("a few seconds");
                    let control = control(lasts, Some(gives_up));
                    takes += lasts.min(gives_up);
                    next = shorter_control(&control);
                    runs.push(control);
                }
            };
            controls(&mut runs, 3_000);
            let first = first_wait(&runs, ROUTE, false);
            if borne(&runs, ROUTE) >= Some(ProxyFault::HELD) {
                controls(&mut runs, 8_000);
            }
            let waits = two_waits(&runs, ROUTE, false);

            let waited = match waits {
                None => first,
                Some((short, long)) if short == first => short + long,
                Some((short, long)) => first + short + long,
            };
            let estimated = [ProxyFault::Hold, ProxyFault::RetryAfter]
                .map(|fault| Estimate::of(ROUTE, fault, ms(0), ms(0)).takes);
            let took = ms(takes) + waited;
            prop_assert!(took <= estimated.iter().sum(), "{took:?}");
        }
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
