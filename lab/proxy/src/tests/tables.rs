//! Each rule, the quiet of a route and the ties, by tables.

use judge::rules::Verdict::{Broken, CannotTell, Kept, NotExercised, Skipped};
use wire::Stopped;

use super::{
    super::{
        card::Recording,
        verdict::{CaseRuns, Lacks, judge, rules::of_fault, unfit},
        *,
    },
    *,
};

/// Two healthy runs, five controls, and five runs of a case that are alike.
fn plan(healthy: &[ProxyRequest], fault: ProxyFault, requests: &[ProxyRequest]) -> Vec<ProxyRun> {
    let of = |fault| run(fault, healthy.to_vec(), 0);
    let case = run(Some(fault), requests.to_vec(), 0);
    let mut runs = vec![of(None), of(None)];
    runs.extend((0..5).map(|_| of(Some(ProxyFault::Hold))));
    runs.extend((0..5).map(|_| case.clone()));
    runs
}

/// The same run with the longer wait.
fn long(mut run: ProxyRun) -> ProxyRun {
    if let RunKind::Fault { fault, lasts, .. } = &mut run.kind {
        *lasts = match fault {
            ProxyFault::Hold => ProxyFault::LONG_HELD,
            _ => ProxyFault::LONG_WAIT,
        };
    }
    run.end.took += ProxyFault::LONG_HELD;
    run
}

/// A control with the longer hold.
fn long_control() -> ProxyRun {
    long(run(Some(ProxyFault::Hold), at(&[0]), 0))
}

fn at(moments: &[u64]) -> Vec<ProxyRequest> {
    moments.iter().map(|at| request(*at, 1)).collect()
}

fn keys(keys: &[Option<u64>]) -> Vec<ProxyRequest> {
    let of = |(number, key): (usize, &Option<u64>)| {
        let at = 100 * number as u64;
        key.map_or(request(at, 1), |key| keyed(at, key))
    };
    keys.iter().enumerate().map(of).collect()
}

#[test]
fn waits_and_refusals_have_their_verdicts() {
    use ProxyFault::{Refused, RetryAfter};

    let other_url = || vec![request(0, 1), request(100, 2), request(2_100, 1)];
    for (fault, requests, expected) in [
        (RetryAfter, at(&[0, 2_000]), Kept),
        (RetryAfter, at(&[0, 1_998]), Kept),
        (RetryAfter, at(&[0, 1_997]), Broken),
        (RetryAfter, at(&[0]), Skipped),
        (RetryAfter, other_url(), CannotTell),
        (RetryAfter, vec![keyed(0, 7), keyed(100, 7)], Broken),
        (Refused, at(&[0]), Kept),
        (Refused, at(&[0, 50]), Broken),
        (Refused, other_url(), Broken),
        (Refused, vec![request(0, 1), request(9, 2)], CannotTell),
    ] {
        let mut runs = plan(&requests[..1], fault, &requests);
        if fault == RetryAfter {
            // It gives up where it is asked for a longer wait.
            runs.push(long(run(Some(ProxyFault::Hold), requests[..1].to_vec(), 0)));
            runs.push(long(run(Some(fault), requests[..1].to_vec(), 0)));
        }
        let judged = verdict(
            &runs,
            fault,
            of_fault(fault).next().expect("a rule").id(),
            &once(),
        );
        assert_eq!(judged.verdict, expected, "{fault} {judged:?}");
    }
}

#[test]
fn keys_have_their_verdicts() {
    let reuse = "idempotency-key-reuse";
    let judged = |rule, requests: &[ProxyRequest], declared: &Declared| {
        let runs = plan(&requests[..1], ProxyFault::LostResponse, requests);
        verdict(&runs, ProxyFault::LostResponse, rule, declared)
    };
    for (rule, sent, expected) in [
        (reuse, &[None][..], NotExercised),
        (reuse, &[Some(7)], Skipped),
        (reuse, &[Some(7), Some(7)], Kept),
        (reuse, &[Some(7), Some(8)], Broken),
        (reuse, &[Some(7), None], Broken),
        (reuse, &[None, Some(7)], CannotTell),
        ("once", &[Some(7), Some(7)], Kept),
        ("once", &[Some(7), Some(8)], Broken),
        ("once", &[None, None], Broken),
        ("once", &[None], Skipped),
    ] {
        let judged = judged(rule, &keys(sent), &once());
        assert_eq!(judged.verdict, expected, "{rule} {sent:?} {judged:?}");
    }
    // Without a declaration that it must be done only once.
    let undeclared = |sent: &[Option<u64>]| judged("once", &keys(sent), &Declared::default());
    assert_eq!(undeclared(&[None]).verdict, Skipped);
    for (sent, how) in [
        ([None, None], "without a key"),
        ([Some(7), Some(8)], "with another key"),
    ] {
        let asked = format!(
            "sent again {how}; your API saw it 2 times and answered 200, 200. Must it be done only \
             once? --once 'POST /orders'"
        );
        let judged = undeclared(&sent);
        assert_eq!((judged.verdict, judged.found), (CannotTell, Some(asked)));
    }
}

#[test]
fn once_is_proposed_as_the_command_line_takes_it() {
    let healthy = [request(0, 1), request(50, 2)];
    let sent_again = [request(0, 1), request(100, 1), request(150, 2)];
    let mut runs = plan(&healthy, ProxyFault::LostResponse, &sent_again);
    let found = |runs: &[ProxyRun], route: &str| {
        let case = CaseRuns {
            runs,
            route,
            fault: ProxyFault::LostResponse,
        };
        let judged = judge(case, &Declared::default()).into_iter();
        let mut once = judged.filter(|judged| judged.rule == "once");
        once.next()
            .and_then(|judged| judged.found)
            .expect("a reason")
    };
    let of_all = found(&runs, ROUTE);
    // The user has already chosen them by a text.
    let chosen = holding(ROUTE, "createOrder");
    for run in &mut runs {
        if let RunKind::Fault { route, .. } = &mut run.kind {
            route.clone_from(&chosen);
        }
        for request in &mut run.requests {
            request.route.clone_from(&chosen);
        }
    }

    let of_chosen = found(&runs, &chosen);

    let with_a_text = "--once 'POST /orders' --match TEXT, a text of the body or target";
    assert!(of_all.contains(with_a_text), "{of_all}");
    assert!(
        of_chosen.ends_with("once? --once 'POST /orders'"),
        "{of_chosen}"
    );
}

/// The verdict on two waits of a client that comes back after these times; none if it gives
/// up.
fn with_two_waits(short: Option<u64>, longer: Option<u64>) -> Judged {
    let came = |next: Option<u64>| {
        let all = [0].into_iter().chain(next).collect::<Vec<_>>();
        run(Some(ProxyFault::RetryAfter), at(&all), 0)
    };
    let mut runs = plan(&at(&[0]), ProxyFault::Hold, &at(&[0]));
    runs.extend((0..5).map(|_| long_control()));
    runs.push(came(short));
    runs.extend((0..5).map(|_| long(came(longer))));
    verdict(
        &runs,
        ProxyFault::RetryAfter,
        "retry-after-seconds",
        &once(),
    )
}

#[test]
fn a_wait_is_heeded_only_if_a_longer_one_is_heeded_too() {
    for (short, long, expected) in [
        (Some(2_000), Some(7_000), Kept),
        (Some(2_000), None, Kept),
        (Some(3_000), Some(3_000), Broken),
        (Some(2_000), Some(5_050), Broken),
        (Some(2_900), Some(7_000), Kept),
        (None, None, Skipped),
    ] {
        let judged = with_two_waits(short, long);

        assert_eq!(judged.verdict, expected, "{short:?} {long:?} {judged:?}");
    }
    let capped = with_two_waits(Some(2_000), Some(5_050)).found;
    let found = "after 5 s of 7 s: capped, or by chance, in 5 of 5 runs";
    assert_eq!(capped.as_deref(), Some(found));
    let always = |at| {
        run(
            Some(ProxyFault::RetryAfter),
            vec![keyed(0, 7), keyed(at, 7)],
            0,
        )
    };
    let marked = [always(8_000), long(always(8_000))];
    let judged = verdict(
        &marked,
        ProxyFault::RetryAfter,
        "retry-after-seconds",
        &once(),
    );
    assert_eq!(judged.verdict, CannotTell, "{judged:?}");
    let alone = plan(&at(&[0]), ProxyFault::RetryAfter, &at(&[0, 2_000]));
    let judged = verdict(
        &alone,
        ProxyFault::RetryAfter,
        "retry-after-seconds",
        &once(),
    );
    assert_eq!(
        (judged.verdict, judged.lacks),
        (CannotTell, Some(Lacks::LongerWait))
    );
}

/// Runs of the case that asked for this wait and in which the next request came then, if it did;
/// the control watched for longer.
fn asked(wait: u64, gaps: &[Option<u64>]) -> Vec<ProxyRun> {
    let run_of = |gap: &Option<u64>| {
        let moments: Vec<_> = [0].into_iter().chain(*gap).collect();
        run_for(Some(ProxyFault::RetryAfter), ms(wait), at(&moments), 0)
    };
    gaps.iter().map(run_of).collect()
}

#[test]
fn runs_of_one_wait_that_disagree_ask_for_a_longer_one() {
    let judged = |short: &[Option<u64>], long: &[Option<u64>]| {
        let mut runs = plan(&at(&[0]), ProxyFault::Hold, &at(&[0]));
        runs.extend((0..5).map(|_| long_control()));
        runs.extend(asked(2_000, short));
        runs.extend(asked(7_000, long));
        let rule = "retry-after-seconds";
        verdict(&runs, ProxyFault::RetryAfter, rule, &once())
    };
    let divided = &[Some(1_900), Some(2_100)];

    let undecided = judged(divided, &[]);
    let early = judged(divided, &[Some(2_000); 5]);
    let facts = [&[None][..], &[Some(7_100)], &[Some(2_000), Some(7_100)]].map(|long| {
        let judged = judged(divided, long);
        (judged.verdict, judged.found.unwrap_or_default())
    });

    let lacking = (undecided.verdict, undecided.lacks);
    assert_eq!(lacking, (CannotTell, Some(Lacks::LongerWait)));
    assert_eq!(early.verdict, Broken, "{early:?}");
    let short = "broken in 1 of 2 runs that asked for 2 s";
    let expected = [
        ", and gave up at 7 s",
        ", and after 7.1 s of 7 s",
        "; broken in 1 of 2 runs that asked for 7 s",
    ];
    let expected = expected.map(|long| (CannotTell, format!("{short}{long}")));
    assert_eq!(facts, expected);
}

#[test]
fn two_waits_that_are_close_prove_nothing() {
    let mut runs = plan(&at(&[0]), ProxyFault::Hold, &at(&[0]));
    runs.extend(asked(1_000, &[Some(2_100)]));
    runs.extend(asked(2_000, &[Some(2_900)]));
    let judged = |runs: &[ProxyRun]| {
        let rule = "retry-after-seconds";
        verdict(runs, ProxyFault::RetryAfter, rule, &once())
    };

    let close = judged(&runs);
    runs.push(long_control());
    runs.extend(asked(3_000, &[Some(3_100)]));

    let lacking = (close.verdict, close.lacks);
    assert_eq!(lacking, (CannotTell, Some(Lacks::LongerWait)));
    assert_eq!(judged(&runs).verdict, Kept);
}

#[test]
fn once_is_broken_by_two_successes_or_a_lost_key_alone() {
    let judged = |fault, statuses: [Option<u16>; 2], sent: &[Option<u64>], precondition: bool| {
        let mut requests = keys(sent);
        for (request, status) in requests.iter_mut().zip(statuses) {
            request.upstream = status.map(|status| UpstreamResponse {
                status: Some(status),
                ..UpstreamResponse::default()
            });
            request.has_precondition = precondition;
        }
        let runs = plan(&requests[..1], fault, &requests);
        verdict(&runs, fault, "once", &once())
    };
    let (lost, refused) = (ProxyFault::LostResponse, ProxyFault::Unavailable);
    let keyless = &[None, None];

    for (fault, statuses, sent, precondition, expected) in [
        (lost, [Some(201), Some(201)], &keyless[..], false, Broken),
        (lost, [Some(201), Some(409)], keyless, false, CannotTell),
        (lost, [Some(201), Some(412)], keyless, true, NotExercised),
        (refused, [None, Some(201)], keyless, false, CannotTell),
        (refused, [None, Some(201)], &[Some(7), None], false, Broken),
        (refused, [None, Some(201)], &[Some(7), Some(7)], false, Kept),
    ] {
        let judged = judged(fault, statuses, sent, precondition);
        assert_eq!(judged.verdict, expected, "{fault} {statuses:?} {sent:?}");
        if expected == CannotTell {
            let found = judged.found.expect("a reason");
            assert!(found.ends_with("Nothing was done twice here"), "{found}");
        }
    }
}

#[test]
fn an_operation_that_may_have_been_done_elsewhere_is_not_skipped() {
    let of = |exit, other: Option<&str>| {
        let other = other.map(|route| ProxyRequest {
            route: route.to_owned(),
            ..request(100, 9)
        });
        let requests: Vec<_> = [request(0, 1)].into_iter().chain(other).collect();
        let mut runs = plan(&at(&[0]), ProxyFault::LostResponse, &at(&[0])).split_off(0);
        runs.truncate(7);
        runs.push(run(Some(ProxyFault::LostResponse), requests, exit));
        verdict(&runs, ProxyFault::LostResponse, "once", &once()).verdict
    };

    assert_eq!(of(1, None), Skipped);
    assert_eq!(of(0, None), Skipped);
    assert_eq!(of(1, Some("POST /v2/orders")), CannotTell);
    assert_eq!(of(1, Some("GET /v2/orders")), Skipped);
}

#[test]
fn a_request_sent_once_after_a_refusal_needs_no_control() {
    let of = |requests: &[u64]| {
        let healthy = || run(None, at(&[0]), 0);
        let unborne = run(Some(ProxyFault::Hold), at(&[0]), 1);
        let refused = run(Some(ProxyFault::Refused), at(requests), 1);
        let runs = [healthy(), healthy(), unborne, refused];
        verdict(&runs, ProxyFault::Refused, "refused-once", &once()).verdict
    };

    assert_eq!(of(&[0]), Kept);
    assert_eq!(of(&[0, 50]), CannotTell);
}

#[test]
fn a_request_that_is_idempotent_may_be_sent_again() {
    let once_of = |method: &str, declared: &Declared| {
        let route = format!("{method} /orders");
        let renamed = |mut run: ProxyRun| {
            for request in &mut run.requests {
                request.route.clone_from(&route);
            }
            if let RunKind::Fault { route: of, .. } = &mut run.kind {
                of.clone_from(&route);
            }
            run
        };
        let runs = plan(&at(&[0]), ProxyFault::LostResponse, &at(&[0, 10])).into_iter();
        let case = CaseRuns {
            runs: &runs.map(renamed).collect::<Vec<_>>(),
            route: &route,
            fault: ProxyFault::LostResponse,
        };
        let mut judged = judge(case, declared).into_iter();
        let once = judged.find(|judged| judged.rule == "once");
        once.expect("judged").verdict
    };

    for (method, expected) in [
        ("GET", NotExercised),
        ("PUT", NotExercised),
        ("DELETE", NotExercised),
        ("POST", CannotTell),
        ("PATCH", CannotTell),
    ] {
        let declared = Declared {
            once: vec![format!("{method} /orders")],
            ..Declared::default()
        };
        let verdicts = [&Declared::default(), &declared].map(|declared| once_of(method, declared));
        assert_eq!(verdicts, [expected, Broken], "{method}");
    }
}

#[test]
fn a_request_that_its_client_gave_up_is_not_unanswered() {
    let of = |upstream, status| {
        let upstream = Some(UpstreamResponse {
            status: upstream,
            ..UpstreamResponse::default()
        });
        ProxyRequest {
            upstream,
            status,
            ..request(0, 1)
        }
    };

    assert!(of(None, Some(502)).is_unanswered());
    assert!(!of(None, None).is_unanswered());
    assert!(!of(Some(200), None).is_unanswered());
    assert!(!request(0, 1).is_unanswered());
}

#[test]
fn a_timeout_is_known_by_the_end_of_the_connection() {
    let of = |closed: Option<u64>, took: u64, is_stopped: bool, within: Option<u64>| {
        let mut silent = run(Some(ProxyFault::Silence), at(&[0]), 0);
        silent.requests[0].closed = closed.map(ms);
        silent.end.took = ms(took);
        silent.end.stopped = is_stopped.then_some(Stopped::TimeUp);
        let healthy = || run(None, at(&[0]), 0);
        let declared = Declared {
            give_up_within: within.map(ms),
            ..Declared::default()
        };
        let runs = [healthy(), healthy(), silent];
        let judged = verdict(&runs, ProxyFault::Silence, "read-timeout", &declared);
        let says_patience = judged
            .found
            .as_ref()
            .is_some_and(|found| found.contains("--patience"));
        assert_eq!(says_patience, judged.verdict == CannotTell && is_stopped);
        if judged.verdict == Broken {
            let gave_up = judged
                .found
                .is_some_and(|found| found.contains("closed after 5.5 s; at most"));
            assert_eq!(gave_up, closed == Some(5_501), "{closed:?}");
        }
        judged.verdict
    };

    assert_eq!(of(Some(5_000), 9_000, false, None), CannotTell);
    assert_eq!(of(Some(5_000), 5_000, false, Some(5_000)), Kept);
    assert_eq!(of(Some(5_500), 6_000, false, Some(5_000)), CannotTell);
    assert_eq!(of(Some(5_501), 5_600, false, Some(5_000)), Broken);
    assert_eq!(of(Some(30_001), 30_000, true, None), CannotTell);
    assert_eq!(of(Some(30_001), 30_000, true, Some(20_000)), Broken);
    assert_eq!(of(None, 30_000, true, Some(40_000)), CannotTell);
    // A person ended the proxy.
    assert_eq!(of(None, 4_000, false, None), CannotTell);
}

#[test]
fn another_attempt_shows_that_a_client_has_given_up() {
    let of = |times: &[u64]| {
        let mut silent = run(Some(ProxyFault::Silence), at(times), 0);
        silent.requests[0].closed = Some(ms(5_000));
        silent.end.took = ms(9_000);
        let healthy = || run(None, at(&[0]), 0);
        let runs = [healthy(), healthy(), silent];
        let declared = Declared::default();
        let judged = verdict(&runs, ProxyFault::Silence, "read-timeout", &declared);
        (judged.verdict, judged.found.unwrap_or_default())
    };

    let (untold, fact) = of(&[0]);
    assert_eq!(untold, CannotTell);
    assert!(
        fact.starts_with("the connection was closed after 5 s:"),
        "{fact}"
    );
    // It came while the first was waited for.
    assert_eq!(of(&[0, 4_900]).0, CannotTell);
    assert_eq!(of(&[0, 5_200]).0, Kept);
}

#[test]
fn a_request_after_the_end_of_the_command_is_no_attempt() {
    for (stopped, left) in [(None, 3), (Some(Stopped::TimeUp), 2)] {
        let mut silent = run(Some(ProxyFault::Silence), at(&[0, 5_000, 5_001]), 0);
        silent.end.took = ms(5_000);
        silent.end.stopped = stopped;

        assert_eq!(silent.without_farewell().requests.len(), left);
    }
}

#[test]
fn nothing_is_told_of_a_run_with_a_gap() {
    type Change = fn(&mut ProxyRun);
    let changes: [(&str, Change); 6] = [
        ("not every request was recorded", |run| run.dropped = 1),
        ("a request was refused: Upgrade", |run| {
            run.refused.push("Upgrade".to_owned());
        }),
        ("a proxy before this one sent a request again", |run| {
            run.requests[0].is_repeated_by_a_hop = true;
        }),
        ("your API did not answer a request", |run| {
            run.requests[1].upstream = Some(UpstreamResponse {
                status: None,
                ..UpstreamResponse::default()
            });
        }),
        ("the lab ended the command", |run| {
            run.end.stopped = Some(Stopped::TimeUp);
        }),
        ("the fault was not delivered", |run| {
            run.requests[0].delivered = None;
        }),
    ];
    for (why, change) in changes {
        let mut runs = plan(&at(&[0]), ProxyFault::RetryAfter, &at(&[0, 100]));
        runs.iter_mut().skip(7).for_each(change);
        let judged = verdict(
            &runs,
            ProxyFault::RetryAfter,
            "retry-after-seconds",
            &once(),
        );
        let expected = match why {
            "the fault was not delivered" => NotExercised,
            _ => CannotTell,
        };
        assert_eq!(
            (judged.verdict, judged.found.as_deref()),
            (expected, Some(why))
        );
    }
}

#[test]
fn a_finding_from_equal_requests_needs_a_confirmation() {
    let of = |cases: usize, controls: usize, others: usize| {
        let requests = |moments: &[u64], fault| run(fault, at(moments), 0);
        let mut runs = vec![requests(&[0], None), requests(&[0], None)];
        runs.extend((0..controls).map(|_| requests(&[0], Some(ProxyFault::Hold))));
        runs.extend((0..cases).map(|_| requests(&[0, 100], Some(ProxyFault::RetryAfter))));
        runs.extend((0..others).map(|_| requests(&[0, 2_100], Some(ProxyFault::RetryAfter))));
        let judged = verdict(
            &runs,
            ProxyFault::RetryAfter,
            "retry-after-seconds",
            &once(),
        );
        (judged.verdict, judged.is_suspected)
    };

    assert_eq!(of(1, 1, 0), (CannotTell, true));
    assert_eq!(of(5, 4, 0), (CannotTell, true));
    assert_eq!(of(4, 5, 0), (CannotTell, true));
    assert_eq!(of(5, 5, 0), (Broken, false));
    assert_eq!(of(4, 5, 1), (CannotTell, false));
}

#[test]
fn a_route_is_quiet_if_nothing_comes_twice_by_itself() {
    let requests = |moments: &[u64], fault| run(fault, at(moments), 0);
    let other = |moments: &[u64]| {
        let mut run = requests(moments, Some(ProxyFault::Refused));
        run.kind = RunKind::Fault {
            route: "GET /other".to_owned(),
            fault: ProxyFault::Refused,
            lasts: Duration::ZERO,
        };
        run.requests[0].fault = None;
        run
    };
    let hold = Some(ProxyFault::Hold);
    let healthy = || requests(&[0], None);
    for (runs, is_quiet) in [
        (vec![healthy(), healthy()], true),
        (vec![], false),
        (vec![healthy(), requests(&[], None)], false),
        (
            vec![requests(&[0, 1], None), requests(&[0, 1], None)],
            false,
        ),
        (vec![healthy(), healthy(), requests(&[0], hold)], true),
        (
            vec![healthy(), healthy(), requests(&[0, 2_900], hold)],
            false,
        ),
        (vec![healthy(), healthy(), run(hold, at(&[0]), 1)], false),
        (vec![healthy(), healthy(), other(&[0])], true),
        (vec![healthy(), healthy(), other(&[0, 9])], false),
        (
            vec![
                healthy(),
                healthy(),
                requests(&[0, 9], Some(ProxyFault::Refused)),
            ],
            true,
        ),
        (
            vec![
                healthy(),
                healthy(),
                run(
                    Some(ProxyFault::Refused),
                    vec![request(0, 1), request(3, 2), request(9, 2)],
                    0,
                ),
            ],
            false,
        ),
    ] {
        assert_eq!(
            unfit(&runs, ROUTE).is_none(),
            is_quiet,
            "{:?}",
            unfit(&runs, ROUTE)
        );
    }
}

#[test]
fn overlapping_requests_are_not_tied_and_other_marks_untie_nothing() {
    use super::super::verdict::attempts::{
        TieKind::{Marked, Same},
        attempts,
    };

    let tied = |requests: Vec<ProxyRequest>, is_quiet: bool| {
        let mut run = run(Some(ProxyFault::RetryAfter), requests, 0);
        run.requests[0].delivered = Some(ms(50));
        attempts(&run, is_quiet.then_some(ms(3_000)))
            .map(|attempt| (attempt.next.seq, attempt.tie))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        tied(vec![keyed(0, 7), keyed(49, 7), keyed(50, 7)], true),
        [(3, Marked)]
    );
    assert_eq!(tied(vec![keyed(0, 7), keyed(60, 8)], true), [(2, Same)]);
    assert_eq!(tied(vec![keyed(0, 7), keyed(60, 8)], false), []);
    assert_eq!(tied(vec![request(0, 1), request(60, 2)], true), []);
    assert_eq!(tied(vec![request(0, 1), request(3_001, 1)], true), []);
    let unread = |at| ProxyRequest {
        body: Body::Unknown,
        ..request(at, 1)
    };
    assert_eq!(tied(vec![unread(0), unread(60)], true), []);
}

#[test]
fn a_card_counts_every_verdict_and_names_each_warning_once() {
    let mut runs = plan(&at(&[0]), ProxyFault::Refused, &at(&[0]));
    runs[0].refused = vec!["CONNECT".to_owned(); 2];
    runs[1].names_upstream = true;
    let recording = Recording {
        upstream: "http://127.0.0.1:9".to_owned(),
        plan: vec![(ROUTE.to_owned(), ProxyFault::Refused)],
        runs,
        ..Recording::default()
    };

    let card = recording.card(&once());

    let counts =
        [Kept, NotExercised, Broken, Skipped, CannotTell].map(|verdict| card.count(verdict));
    assert_eq!(counts, [1, 0, 0, 0, 0]);
    assert_eq!((card.warnings.len(), card.cases[0].runs.len()), (2, 5));
    assert_eq!(card.cases[0].requests.len(), 1);
}
