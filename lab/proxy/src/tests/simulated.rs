//! Simulated plans: two healthy runs, a control, the cases, and what a suspicion asks for.

use judge::rules::Verdict;
use rand::{Rng, RngExt, SeedableRng, rngs::ChaCha12Rng};

use super::{
    super::{
        card::Recording,
        plan::next_run,
        verdict::{CaseRuns, judge},
        *,
    },
    *,
};

/// How many plans of each client are simulated.
const PLANS: u64 = 200;

/// How many plans of a client are simulated whose share of broken rules has a bound.
const PLANS_OF_A_SHARE: u64 = 1_000;

/// For how long a response is held at most.
const PATIENCE: Duration = Duration::from_secs(35);

/// The requests of a client in a run with this fault, which lasts for so long, if its first request
/// is at 0, and the exit code of its command.
type Sends = fn(Option<ProxyFault>, Duration, &mut ChaCha12Rng) -> (Vec<ProxyRequest>, i32);

/// The recorded runs of a plan for this fault.
fn plan(
    sends: Sends,
    fault: ProxyFault,
    declared: &Declared,
    rng: &mut ChaCha12Rng,
) -> Vec<ProxyRun> {
    let make = |fault: Option<ProxyFault>, lasts: Duration| {
        let (requests, exit) = sends(fault, lasts, rng);
        run_for(fault, lasts, requests, exit)
    };
    planned(fault, declared, make)
}

/// The runs that a plan makes for this fault.
fn planned(
    fault: ProxyFault,
    declared: &Declared,
    mut make: impl FnMut(Option<ProxyFault>, Duration) -> ProxyRun,
) -> Vec<ProxyRun> {
    let mut recording = Recording {
        plan: [ProxyFault::Hold, fault]
            .map(|fault| (ROUTE.to_owned(), fault))
            .into(),
        runs: vec![make(None, Duration::ZERO), make(None, Duration::ZERO)],
        ..Recording::default()
    };
    while let Some(next) = next_run(&recording, declared, PATIENCE) {
        assert!(recording.runs.len() < 40, "it goes on for ever: {next:?}");
        recording.runs.push(make(Some(next.fault), next.lasts));
    }
    recording.runs
}

/// How many of so many plans have this verdict on any rule, for each fault.
fn count(sends: Sends, verdict: Verdict, plans: u64) -> u64 {
    let mut rng = ChaCha12Rng::seed_from_u64(7);
    let mut found = 0;
    for number in 0..plans {
        let faults = [
            ProxyFault::Unavailable,
            ProxyFault::RetryAfter,
            ProxyFault::Refused,
            ProxyFault::LostResponse,
        ];
        let fault = faults[(number % 4) as usize];
        let runs = plan(sends, fault, &once(), &mut rng);
        let case = CaseRuns {
            runs: &runs,
            route: ROUTE,
            fault,
        };
        found += u64::from(
            judge(case, &once())
                .iter()
                .any(|judgement| judgement.verdict == verdict),
        );
    }
    found
}

/// The same request at these moments.
fn same(moments: impl IntoIterator<Item = u64>) -> Vec<ProxyRequest> {
    moments.into_iter().map(|at| request(at, 1)).collect()
}

/// The end of a run: a control holds it for its time.
fn end(fault: Option<ProxyFault>, lasts: Duration) -> u64 {
    if fault == Some(ProxyFault::Hold) {
        u64::try_from(lasts.as_millis()).expect("a few seconds")
    } else {
        200
    }
}

/// A client that gives up, and something else that comes by itself.
const INNOCENT: [(&str, Sends); 12] = [
    ("gives up", |_, _, _| (same([0]), 0)),
    ("heartbeat", |fault, lasts, rng| {
        // The healthy runs end before it comes for the first time.
        let period = rng.random_range(150..2_900);
        (same((0..=end(fault, lasts)).step_by(period)), 0)
    }),
    (
        "a heartbeat that only a long run shows",
        |fault, lasts, rng| {
            // After a failure the command waits for ten seconds.
            let period = rng.random_range(3_100..9_000);
            let end = if failed(fault) {
                10_000
            } else {
                end(fault, lasts)
            };
            (same((0..=end).step_by(period)), 0)
        },
    ),
    ("poller", |fault, lasts, rng| {
        let begin = rng.random_range(0..100);
        let polls = (begin..=end(fault, lasts)).step_by(500);
        (same([0].into_iter().chain(polls)), 0)
    }),
    ("five in parallel", |_, _, _| (same([0, 0, 0, 0, 0]), 0)),
    ("hedging", |fault, _, rng| {
        let hedge = rng.random_range(20..100);
        let is_slow = fault == Some(ProxyFault::Hold) || rng.random_bool(0.1);
        (same([0].into_iter().chain(is_slow.then_some(hedge))), 0)
    }),
    ("a token fetched anew", |fault, _, _| {
        let token = |at| ProxyRequest {
            route: "POST /token".to_owned(),
            ..request(at, 9)
        };
        let is_failed = fault.is_some_and(|fault| fault != ProxyFault::Hold);
        let again = is_failed.then(|| token(150));
        let all = [token(0), request(100, 1)].into_iter().chain(again);
        (all.collect(), i32::from(is_failed))
    }),
    ("waits for health", |fault, _, _| {
        let health = (1..9).map(|at| ProxyRequest {
            route: "GET /health".to_owned(),
            ..request(100 * at, 9)
        });
        let health = health.filter(|_| fault.is_some());
        (same([0]).into_iter().chain(health).collect(), 0)
    }),
    ("ids drawn anew", |_, _, rng| {
        let requests = [0, 10, 20].map(|at| request(at, rng.next_u64()));
        (requests.into(), 0)
    }),
    ("heeds every wait", |fault, lasts, rng| {
        let wait = u64::try_from(lasts.as_millis()).expect("a few seconds");
        let again =
            (fault == Some(ProxyFault::RetryAfter)).then(|| wait + rng.random_range(0..400));
        (same([0].into_iter().chain(again)), 0)
    }),
    ("a precondition", |fault, _, rng| {
        let sent = |at, status| ProxyRequest {
            has_precondition: true,
            upstream: Some(UpstreamResponse {
                status: Some(status),
                ..UpstreamResponse::default()
            }),
            ..request(at, 1)
        };
        // A 400 is final to it.
        let is_failed = matches!(
            fault,
            Some(ProxyFault::Unavailable | ProxyFault::LostResponse)
        );
        let again = is_failed.then(|| sent(rng.random_range(1..2_000), 412));
        ([sent(0, 201)].into_iter().chain(again).collect(), 0)
    }),
    ("a mesh that repeats", |fault, _, _| {
        let is_failed = fault.is_some_and(|fault| fault != ProxyFault::Hold);
        let again = is_failed.then(|| ProxyRequest {
            is_repeated_by_a_hop: true,
            ..request(25, 1)
        });
        (same([0]).into_iter().chain(again).collect(), 0)
    }),
];

#[test]
fn no_innocent_client_is_broken() {
    for (name, sends) in INNOCENT {
        assert_eq!(count(sends, Verdict::Broken, PLANS), 0, "{name}");
    }
}

/// Something sends the very same request at random in a share of the runs. Then all five
/// cases and no control show it with a probability of (p(1−p))⁵.
#[test]
fn a_random_sender_stays_within_the_bound() {
    let senders: [(f64, Sends); 3] = [
        (0.3, |_, _, rng| random_sender(0.3, rng)),
        (0.5, |_, _, rng| random_sender(0.5, rng)),
        (0.7, |_, _, rng| random_sender(0.7, rng)),
    ];
    for (share, sends) in senders {
        let broken = count(sends, Verdict::Broken, PLANS_OF_A_SHARE);
        // Five times the standard deviation above the mean.
        let mean = PLANS_OF_A_SHARE as f64 * (share * (1.0 - share)).powi(5);
        let most = mean + 5.0 * mean.sqrt() + 1.0;
        assert!(broken as f64 <= most, "{share}: {broken} > {most}");
    }
}

fn random_sender(share: f64, rng: &mut ChaCha12Rng) -> (Vec<ProxyRequest>, i32) {
    let extra = rng.random_bool(share).then(|| rng.random_range(1..150));
    (same([0].into_iter().chain(extra)), 0)
}

/// The requests of a wrong client after a failure, the rule that it breaks, and the fault that
/// shows it; whether it can be proven.
const WRONG: [(&str, ProxyFault, bool, Sends); 14] = [
    (
        "retry-after-seconds",
        ProxyFault::RetryAfter,
        true,
        |fault, _, rng| {
            let again = failed(fault).then(|| rng.random_range(1..1_900));
            (same([0].into_iter().chain(again)), 0)
        },
    ),
    (
        "retry-after-seconds",
        ProxyFault::RetryAfter,
        false,
        |fault, _, rng| {
            let early = failed(fault).then(|| request(rng.random_range(1..1_900), 2));
            let late = failed(fault).then(|| request(2_100, 1));
            (same([0]).into_iter().chain(early).chain(late).collect(), 0)
        },
    ),
    (
        "retry-after-seconds",
        ProxyFault::RetryAfter,
        false,
        |fault, _, rng| {
            let early = failed(fault).then(|| rng.random_range(1..1_900));
            (same([0, 0, 0, 0, 0].into_iter().chain(early)), 0)
        },
    ),
    (
        "retry-after-seconds",
        ProxyFault::RetryAfter,
        false,
        |fault, _, rng| {
            // Two more calls are made in good health, and none after the failure.
            let others = [request(10, 3), request(20, 4)].into_iter();
            let others = others.filter(|_| !failed(fault));
            let early = failed(fault).then(|| request(rng.random_range(1..1_900), 2));
            let late = failed(fault).then(|| request(2_100, 1));
            let all = same([0]).into_iter().chain(others).chain(early).chain(late);
            (all.collect(), 0)
        },
    ),
    (
        "idempotency-key-reuse",
        ProxyFault::LostResponse,
        true,
        |fault, _, rng| {
            let again = failed(fault).then(|| keyed(100, rng.next_u64()));
            (
                std::iter::once(keyed(0, rng.next_u64()))
                    .chain(again)
                    .collect(),
                0,
            )
        },
    ),
    ("once", ProxyFault::LostResponse, true, |fault, _, _| {
        (same([0].into_iter().chain(failed(fault).then_some(100))), 0)
    }),
    // A wait of its own, whatever is asked for.
    (
        "retry-after-seconds",
        ProxyFault::RetryAfter,
        false,
        |fault, _, rng| {
            let again = failed(fault).then(|| rng.random_range(2_000..6_900));
            (same([0].into_iter().chain(again)), 0)
        },
    ),
    (
        "retry-after-seconds",
        ProxyFault::RetryAfter,
        false,
        |fault, lasts, rng| {
            // It caps the wait.
            let wait = u64::try_from(lasts.as_millis()).expect("a few seconds");
            let again = failed(fault).then(|| wait.min(rng.random_range(2_000..6_900)));
            (same([0].into_iter().chain(again)), 0)
        },
    ),
    ("once", ProxyFault::LostResponse, false, |fault, _, _| {
        // Another route does the same.
        let other = ProxyRequest {
            route: "POST /v2/orders".to_owned(),
            ..request(100, 9)
        };
        let other = failed(fault).then_some(other);
        (same([0]).into_iter().chain(other).collect(), 1)
    }),
    ("once", ProxyFault::LostResponse, false, |_, _, _| {
        // Another API does the same.
        (same([0]), 0)
    }),
    // A backoff that is slower than any first control.
    ("once", ProxyFault::LostResponse, true, |fault, _, rng| {
        let again = failed(fault).then(|| rng.random_range(3_100..34_000));
        (same([0].into_iter().chain(again)), 0)
    }),
    (
        "refused-once",
        ProxyFault::Refused,
        true,
        |fault, _, rng| {
            let again = failed(fault).then(|| rng.random_range(3_100..34_000));
            (same([0].into_iter().chain(again)), 0)
        },
    ),
    // A command that goes on for another while after each control.
    (
        "refused-once",
        ProxyFault::Refused,
        true,
        |fault, lasts, rng| {
            let again = failed(fault).then(|| rng.random_range(3_100..3_700));
            let done = ProxyRequest {
                route: "GET /done".to_owned(),
                ..request(end(fault, lasts) + rng.random_range(0..800), 9)
            };
            (
                same([0])
                    .into_iter()
                    .chain(again.map(|at| request(at, 1)))
                    .chain([done])
                    .collect(),
                0,
            )
        },
    ),
    ("refused-once", ProxyFault::Refused, true, |fault, _, _| {
        (
            same([0].into_iter().chain(failed(fault).then_some(100))),
            i32::from(failed(fault)),
        )
    }),
];

fn failed(fault: Option<ProxyFault>) -> bool {
    fault.is_some_and(|fault| fault != ProxyFault::Hold)
}

#[test]
fn no_wrong_client_is_kept() {
    let mut rng = ChaCha12Rng::seed_from_u64(8);
    for (rule, fault, can_be_proven, sends) in WRONG {
        for _ in 0..PLANS {
            let runs = plan(sends, fault, &once(), &mut rng);
            let judged = verdict(&runs, fault, rule, &once());
            match judged.verdict {
                Verdict::Broken => {}
                Verdict::CannotTell | Verdict::Skipped if !can_be_proven => {}
                other => panic!("{rule}: {other:?} {judged:?}"),
            }
        }
    }
}

/// Each of its runs is one of the user's command, which may behave in another way each time.
#[test]
fn every_plan_ends() {
    let mut rng = ChaCha12Rng::seed_from_u64(12);
    let faults = [
        ProxyFault::RetryAfter,
        ProxyFault::Refused,
        ProxyFault::LostResponse,
    ];
    for fault in faults.into_iter().cycle().take(PLANS as usize) {
        let (repeats, gives_up) = (rng.random_range(0.0..1.0), rng.random_range(0.0..0.5));

        let runs = planned(fault, &once(), |fault, lasts| {
            let is_repeated = failed(fault) && rng.random_bool(repeats);
            let again = is_repeated.then(|| rng.random_range(1..9_000));
            let mut run = run_for(fault, lasts, same([0].into_iter().chain(again)), 0);
            if fault == Some(ProxyFault::Hold) && rng.random_bool(gives_up) {
                run.requests[0].delivered = None;
                run.requests[0].closed = Some(lasts.mul_f64(rng.random_range(0.0..1.0)));
            }
            run.end.took += ms(rng.random_range(0..3_000));
            run
        });

        assert!(runs.len() > 3, "{fault:?}");
    }
}

/// The runs of a plan for `retry-after` of a command that gives up on a response when
/// `gives_up` says so, and that comes back after a failure when `again` says so for the wait
/// that is asked for. The plan adapts to it.
fn impatient(
    mut gives_up: impl FnMut() -> u64,
    mut again: impl FnMut(u64) -> u64,
) -> Vec<ProxyRun> {
    let (hold, fault) = (ProxyFault::Hold, ProxyFault::RetryAfter);
    let mut control = |lasts: Duration| {
        let gives_up = gives_up();
        if ms(gives_up) >= lasts {
            return run_for(Some(hold), lasts, same([0]), 0);
        }
        let mut control = run_for(Some(hold), lasts, same([0, gives_up + 50]), 0);
        control.requests[0].delivered = None;
        control.requests[0].closed = Some(ms(gives_up));
        control.end.took = ms(gives_up + 100);
        control
    };
    planned(fault, &Declared::default(), |fault, lasts| match fault {
        None => run(None, same([0]), 0),
        Some(ProxyFault::Hold) => control(lasts),
        Some(fault) => {
            let wait = u64::try_from(lasts.as_millis()).expect("a few seconds");
            run_for(Some(fault), lasts, same([0, again(wait)]), 0)
        }
    })
}

/// The controls are as short as the command bears, and the waits with them.
#[test]
fn a_client_that_gives_up_early_is_neither_broken_nor_kept_by_mistake() {
    let rng = &mut ChaCha12Rng::seed_from_u64(10);
    let timeouts = &mut ChaCha12Rng::seed_from_u64(11);
    let mut told = [0_u64; 2];
    for number in 0..PLANS {
        let timeout = rng.random_range(200..9_000);
        let gives_up = || timeouts.random_range(timeout..timeout + 50);
        let own_wait = rng.random_range(1_000..6_900);
        let runs = match number % 4 {
            0 => impatient(gives_up, |wait| wait + rng.random_range(0..100)),
            1 => impatient(gives_up, |wait| rng.random_range(1..wait - 100)),
            2 => impatient(gives_up, |wait| wait.min(own_wait)),
            _ => impatient(gives_up, |_| own_wait),
        };
        let rule = "retry-after-seconds";
        let declared = Declared::default();

        let judged = verdict(&runs, ProxyFault::RetryAfter, rule, &declared);

        let is_innocent = number % 4 == 0;
        let wrong = if is_innocent {
            Verdict::Broken
        } else {
            Verdict::Kept
        };
        // A wait of its own may be longer than any that could be asked for.
        let asked = runs
            .iter()
            .filter(|run| run.is_of(ROUTE, ProxyFault::RetryAfter));
        let longest = asked.map(ProxyRun::lasts).max();
        let is_right = number % 4 >= 2 && Some(ms(own_wait)) >= longest;
        assert!(
            judged.verdict != wrong || is_right,
            "{number} {timeout} {own_wait}: {judged:?}"
        );
        let is_told = matches!(judged.verdict, Verdict::Broken | Verdict::Kept);
        told[usize::from(is_innocent)] += u64::from(is_told);
    }
    let least = PLANS / 20;
    assert!(told.iter().all(|told| *told > least), "{told:?}");
}

/// A timeout as long as the control is over by chance before it or after it.
#[test]
fn a_client_with_the_timeout_of_a_control_is_told_all_the_same() {
    let rng = &mut ChaCha12Rng::seed_from_u64(12);
    let timeouts = &mut ChaCha12Rng::seed_from_u64(13);
    for held in [ProxyFault::HELD, ProxyFault::LONG_HELD] {
        let held = u64::try_from(held.as_millis()).expect("a few seconds");
        for number in 0..PLANS / 2 {
            let gives_up = || timeouts.random_range(held - 30..held + 30);

            let runs = impatient(gives_up, |wait| rng.random_range(1..wait - 100));

            let rule = "retry-after-seconds";
            let declared = Declared::default();
            let judged = verdict(&runs, ProxyFault::RetryAfter, rule, &declared);
            assert_eq!(judged.verdict, Verdict::Broken, "{number}: {judged:?}");
        }
    }
}

/// The verdict on `retry-after-seconds` of a command that bears every control and comes back after
/// a failure when `again` says so for the wait that is asked for.
fn patient(again: impl FnMut(u64) -> u64) -> Judged {
    let runs = impatient(|| u64::MAX, again);
    let rule = "retry-after-seconds";
    verdict(&runs, ProxyFault::RetryAfter, rule, &Declared::default())
}

/// Its waits are random, so that runs which ask for one wait disagree.
#[test]
fn a_client_with_random_waits_of_its_own_is_broken() {
    let rng = &mut ChaCha12Rng::seed_from_u64(14);
    // Those whose waits lie on both sides of the first one, and all others.
    let mut told = [0_u64; 2];
    let mut all = [0_u64; 2];
    while all[0] < PLANS_OF_A_SHARE {
        let (mean, jitter) = (rng.random_range(500.0..3_500.0), rng.random_range(0.0..1.0));
        let (least, most) = (mean * (1.0 - jitter), mean * (1.0 + jitter));

        let judged = patient(|_| rng.random_range(least..=most) as u64);

        assert_ne!(
            judged.verdict,
            Verdict::Kept,
            "{mean} ± {jitter}: {judged:?}"
        );
        let kind = usize::from(most < 2_000.0 || least > 2_000.0);
        all[kind] += 1;
        told[kind] += u64::from(judged.verdict == Verdict::Broken);
    }
    for (told, all) in told.into_iter().zip(all) {
        assert!(told * 100 >= all * 95, "{told} of {all}");
    }
}

#[test]
fn a_client_that_adds_jitter_to_the_wait_is_kept() {
    let rng = &mut ChaCha12Rng::seed_from_u64(15);
    let mut kept = 0;
    for _ in 0..PLANS_OF_A_SHARE {
        let (mean, jitter) = (rng.random_range(500.0..3_500.0), rng.random_range(0.0..1.0));
        let (least, most) = (mean * (1.0 - jitter), mean * (1.0 + jitter));

        let judged = patient(|wait| wait + rng.random_range(least..=most) as u64);

        assert_ne!(judged.verdict, Verdict::Broken, "{judged:?}");
        kept += u64::from(judged.verdict == Verdict::Kept);
    }
    assert!(kept * 100 >= PLANS_OF_A_SHARE * 95, "{kept}");
}
