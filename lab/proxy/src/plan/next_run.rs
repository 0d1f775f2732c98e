//! Which run of a plan is next, decided from the runs so far and nothing else.
//!
//! A command that gives up early bears only a short control, and so only a short wait can be
//! told from something that comes by itself. One that comes back late needs a long control.

use std::time::Duration;

use crate::{
    Declared, ProxyFault, ProxyRun,
    card::Recording,
    record::RunKind,
    verdict::{CONFIRM, Judged, Lacks, are_far_apart, borne, controls_of, is_marked, watch},
};

/// How many controls in turn find out how long a command bears a late response.
const CONTROLS: usize = 3;

/// The most controls of a route: those that confirm a suspicion, those that find out how long
/// the command waits, and as many again.
const MOST_CONTROLS: usize = 2 * (CONFIRM + CONTROLS);

/// How much longer a control holds a response than the wait that it is for.
const MARGIN: Duration = Duration::from_millis(200);

/// The shortest wait that Retry-After can ask for.
const SHORTEST: Duration = Duration::from_secs(1);

/// A run of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NextRun {
    /// The route whose first request meets the fault.
    pub(crate) route: String,
    /// The fault, or the control.
    pub(crate) fault: ProxyFault,
    /// The wait that `retry-after` asks for, or for how long `hold` holds the response.
    pub(crate) lasts: Duration,
}

impl NextRun {
    fn of(route: &str, fault: ProxyFault, lasts: Duration) -> Self {
        Self {
            route: route.to_owned(),
            fault,
            lasts,
        }
    }

    fn control(route: &str, held: Duration) -> Self {
        Self::of(route, ProxyFault::Hold, held)
    }
}

/// The next run of a plan; none if another would tell nothing more. No control is lengthened
/// beyond `patience`.
pub(crate) fn next_run(
    recording: &Recording,
    declared: &Declared,
    patience: Duration,
) -> Option<NextRun> {
    let runs = &*recording.runs;
    let was_made =
        |(route, fault): &&(String, ProxyFault)| runs.iter().any(|run| run.is_of(route, *fault));
    let mut cases = recording.plan.iter();
    let first = || {
        let (route, fault) = cases.find(|case| !was_made(case))?;
        let lasts = match fault {
            ProxyFault::RetryAfter => first_wait(runs, route),
            _ => fault.lasts(),
        };
        Some(NextRun::of(route, *fault, lasts))
    };
    let again = || {
        recording.plan.iter().find_map(|(route, fault)| {
            let judged = recording.judge(route, *fault, declared);
            let mut lacking = judged.iter().filter_map(|judged: &Judged| judged.lacks);
            lacking.find_map(|lacks| match lacks {
                Lacks::LongerWait => longer_wait(runs, route),
                Lacks::LongerControl(gap) => longer_control(runs, route, gap, patience),
                Lacks::Confirmation { wait, reach } => {
                    confirmation(runs, (route, *fault), wait, reach)
                }
            })
        })
    };
    shorter_control(runs).or_else(first).or_else(again)
}

/// One more run of a case that is suspected or of its control, in turn, as far as they are
/// lacking. A control holds the response until the same request would have come again, so that
/// it tells something however soon the command ends afterwards.
fn confirmation(
    runs: &[ProxyRun],
    (route, fault): (&str, ProxyFault),
    wait: Duration,
    reach: Duration,
) -> Option<NextRun> {
    let controls = controls_of(runs, route, wait).filter(|run| watch(run) >= Some(reach));
    let held: Vec<_> = controls.map(ProxyRun::lasts).collect();
    let of_case = |run: &&ProxyRun| run.is_of(route, fault) && run.lasts() == wait;
    let cases = runs.iter().filter(of_case).count();
    let is_control = |run: &&ProxyRun| run.is_of(route, ProxyFault::Hold);
    if runs.iter().filter(is_control).count() >= MOST_CONTROLS {
        // The command bears one and not the next: another would not confirm more.
        None
    } else if held.len() < CONFIRM && held.len() <= cases {
        let shortest = held.into_iter().min().unwrap_or(ProxyFault::HELD);
        Some(NextRun::control(route, shortest.max(reach)))
    } else {
        (cases < CONFIRM).then(|| NextRun::of(route, fault, wait))
    }
}

/// A control that watches for twice the time after which the same request came; none if the
/// command is known not to bear it, or bore it.
fn longer_control(
    runs: &[ProxyRun],
    route: &str,
    gap: Duration,
    patience: Duration,
) -> Option<NextRun> {
    let held = (gap * 2).min(patience);
    let mut controls = runs.iter().filter(|run| run.is_of(route, ProxyFault::Hold));
    let is_known = controls.any(|control| {
        if control.is_borne() {
            control.lasts() >= held
        } else {
            control.lasts() <= held
        }
    });
    (held > gap && !is_known).then(|| NextRun::control(route, held))
}

/// A second wait where the first was heeded, or first its control if the command may bear that.
fn longer_wait(runs: &[ProxyRun], route: &str) -> Option<NextRun> {
    let is_made = |fault, is: &dyn Fn(Duration) -> bool| {
        let mut runs = runs.iter();
        runs.any(|run| run.is_of(route, fault) && is(run.lasts()))
    };
    let may_bear_it = !is_marked(runs, route) && borne(runs, route) >= Some(ProxyFault::HELD);
    let has_tried = is_made(ProxyFault::Hold, &|held| held >= ProxyFault::LONG_HELD);
    if may_bear_it && !has_tried {
        return Some(NextRun::control(route, ProxyFault::LONG_HELD));
    }
    let (short, long) = two_waits(runs, route)?;
    let mut waits = [short, long].into_iter();
    let wait = waits.find(|wait| !is_made(ProxyFault::RetryAfter, &|asked| asked == *wait))?;
    Some(NextRun::of(route, ProxyFault::RetryAfter, wait))
}

/// The cases with the silence of the first route only: it takes long, and tells of the client
/// and not of a route.
pub(super) fn with_one_silence(cases: Vec<(String, ProxyFault)>) -> Vec<(String, ProxyFault)> {
    let is_silence = |case: &(String, ProxyFault)| case.1 == ProxyFault::Silence;
    let first = cases.iter().position(is_silence);
    let numbered = cases.into_iter().enumerate();
    let kept = numbered.filter(|(number, case)| !is_silence(case) || Some(*number) == first);
    kept.map(|(_, case)| case).collect()
}

/// A shorter control, if the last run was one that the command did not bear; none if it bears
/// none that would tell something.
fn shorter_control(runs: &[ProxyRun]) -> Option<NextRun> {
    let control = runs.last()?;
    let RunKind::Fault {
        route,
        fault: ProxyFault::Hold,
        lasts,
    } = &control.kind
    else {
        return None;
    };
    let latest = runs.iter().rev();
    let tried = latest.take_while(|run| run.is_of(route, ProxyFault::Hold) && !run.is_borne());
    if control.is_borne() || tried.count() >= CONTROLS {
        return None;
    }
    let target = control.target()?;
    let may_bear = match target.closed {
        Some(closed) if target.delivered.is_none() => closed.saturating_sub(target.arrived) * 4 / 5,
        // It did not give up but failed for another reason, and may bear half as long.
        _ => *lasts / 2,
    };
    let held = may_bear.min(*lasts * 4 / 5);
    (held > SHORTEST + MARGIN).then(|| NextRun::control(route, held))
}

/// The first wait that a route is asked for: two seconds, or one if no control lasts longer.
/// Marked requests need no control.
fn first_wait(runs: &[ProxyRun], route: &str) -> Duration {
    match borne(runs, route).filter(|_| !is_marked(runs, route)) {
        Some(borne) if borne < ProxyFault::WAIT + MARGIN => SHORTEST,
        _ => ProxyFault::WAIT,
    }
}

/// Two waits that tell a client that heeds them from one that waits for some time anyway;
/// none if the command bears no control that is long enough.
fn two_waits(runs: &[ProxyRun], route: &str) -> Option<(Duration, Duration)> {
    if is_marked(runs, route) {
        return Some((ProxyFault::WAIT, ProxyFault::LONG_WAIT));
    }
    let longest = borne(runs, route)?.checked_sub(MARGIN)?;
    let long = Duration::from_secs(longest.as_secs()).min(ProxyFault::LONG_WAIT);
    let shorts = [ProxyFault::WAIT, SHORTEST].into_iter();
    let mut shorts = shorts.filter(|short| are_far_apart(*short, long));
    shorts.next().map(|short| (short, long))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{ROUTE, keyed, ms, request, run};

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
            let next = shorter_control(&[control(lasts, gives_up)]);

            let expected = expected.map(|held| NextRun::control(ROUTE, ms(held)));
            assert_eq!(next, expected, "{lasts} {gives_up:?}");
        }
        let mut failed = control(3_000, None);
        failed.end.exit = Some(1);
        let half = NextRun::control(ROUTE, ms(1_500));
        assert_eq!(shorter_control(&[failed]), Some(half));
    }

    #[test]
    fn three_controls_in_turn_find_out_how_long_a_command_waits() {
        let unborne = |lasts| control(lasts, Some(lasts - 1_000));
        let mut runs = vec![unborne(8_000), unborne(6_000)];

        let third = shorter_control(&runs);
        runs.push(unborne(4_000));
        let fourth = shorter_control(&runs);

        assert_eq!(third, Some(NextRun::control(ROUTE, ms(4_000))));
        assert_eq!(fourth, None);
    }

    #[test]
    fn a_request_that_comes_late_asks_for_a_control_of_twice_its_time() {
        let patience = ms(35_000);
        for (gap, controls, expected) in [
            (4_000, vec![control(3_000, None)], Some(8_000)),
            (20_000, vec![control(3_000, None)], Some(35_000)),
            (35_000, vec![control(3_000, None)], None),
            // It was made.
            (4_000, vec![control(8_000, None)], None),
            // The command gives up before.
            (4_000, vec![control(6_000, Some(5_000))], None),
            (4_000, vec![control(9_000, Some(8_500))], Some(8_000)),
        ] {
            let next = longer_control(&controls, ROUTE, ms(gap), patience);

            let expected = expected.map(|held| NextRun::control(ROUTE, ms(held)));
            assert_eq!(next, expected, "{gap}");
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
            assert_eq!(first_wait(&runs, ROUTE), ms(first), "{lasts}");
            assert_eq!(two_waits(&runs, ROUTE), two, "{lasts}");
        }
        let marked = run(None, vec![keyed(0, 7)], 0);
        let both = (ProxyFault::WAIT, ProxyFault::LONG_WAIT);
        assert_eq!(two_waits(&[marked], ROUTE), Some(both));
        assert_eq!(two_waits(&[run(None, vec![], 0)], ROUTE), None);
    }
}
