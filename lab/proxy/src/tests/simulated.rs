//! Simulated plans: two healthy runs, a control, the cases, and what a suspicion asks for.

use judge::rules::Verdict;
use rand::{Rng, RngExt, SeedableRng, rngs::ChaCha12Rng};

use super::{super::*, *};

/// How many plans of each client are simulated.
const PLANS: u64 = 10_000;

/// How many runs and controls confirm.
const CONFIRM: usize = 5;

/// What a client sends in a run with this fault, if its first request is at 0, and the exit
/// code of its command.
type Sends = fn(Option<ProxyFault>, &mut ChaCha12Rng) -> (Vec<ProxyRequest>, i32);

/// The recorded runs of a plan for this fault.
fn plan(
    sends: Sends,
    fault: ProxyFault,
    declared: &Declared,
    rng: &mut ChaCha12Rng,
) -> Vec<ProxyRun> {
    let make = |fault: Option<ProxyFault>, rng: &mut ChaCha12Rng| {
        let (requests, exit) = sends(fault, rng);
        run(fault, requests, exit)
    };
    let hold = Some(ProxyFault::Hold);
    let mut runs: Vec<_> = [None, None, hold, Some(fault)]
        .into_iter()
        .map(|it| make(it, rng))
        .collect();
    let recorded = |runs: &[ProxyRun], declared| {
        let case = CaseRuns {
            runs,
            route: ROUTE,
            fault,
            confirm: CONFIRM,
        };
        judge(case, declared)
    };
    while recorded(&runs, declared).iter().any(|it| it.is_suspected) {
        for fault in [hold, Some(fault)] {
            let made = runs
                .iter()
                .filter(|it| it.is_of(ROUTE, fault.expect("a fault")));
            if made.count() < CONFIRM {
                runs.push(make(fault, rng));
            }
        }
    }
    runs
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
            confirm: CONFIRM,
        };
        found += u64::from(judge(case, &once()).iter().any(|it| it.verdict == verdict));
    }
    found
}

/// The same request at these moments.
fn same(moments: impl IntoIterator<Item = u64>) -> Vec<ProxyRequest> {
    moments.into_iter().map(|at| request(at, 1)).collect()
}

/// The end of a run: a control holds it for three seconds.
fn end(fault: Option<ProxyFault>) -> u64 {
    if fault == Some(ProxyFault::Hold) {
        3_000
    } else {
        200
    }
}

/// A client that gives up, and something else that comes by itself.
const INNOCENT: [(&str, Sends); 10] = [
    ("gives up", |_, _| (same([0]), 0)),
    ("heartbeat", |fault, rng| {
        // The healthy runs end before it comes for the first time.
        let period = rng.random_range(150..2_900);
        (same((0..=end(fault)).step_by(period)), 0)
    }),
    ("a heartbeat that only a long run shows", |fault, rng| {
        // After a failure the command waits for ten seconds.
        let period = rng.random_range(3_100..9_000);
        let end = if failed(fault) { 10_000 } else { end(fault) };
        (same((0..=end).step_by(period)), 0)
    }),
    ("poller", |fault, rng| {
        let begin = rng.random_range(0..100);
        let polls = (begin..=end(fault)).step_by(500);
        (same([0].into_iter().chain(polls)), 0)
    }),
    ("five in parallel", |_, _| (same([0, 0, 0, 0, 0]), 0)),
    ("hedging", |fault, rng| {
        let hedge = rng.random_range(20..100);
        let is_slow = fault == Some(ProxyFault::Hold) || rng.random_bool(0.1);
        (same([0].into_iter().chain(is_slow.then_some(hedge))), 0)
    }),
    ("a token fetched anew", |fault, _| {
        let token = |at| ProxyRequest {
            route: "POST /token".to_owned(),
            ..request(at, 9)
        };
        let is_failed = fault.is_some_and(|it| it != ProxyFault::Hold);
        let again = is_failed.then(|| token(150));
        let all = [token(0), request(100, 1)].into_iter().chain(again);
        (all.collect(), i32::from(is_failed))
    }),
    ("waits for health", |fault, _| {
        let health = (1..9).map(|at| ProxyRequest {
            route: "GET /health".to_owned(),
            ..request(100 * at, 9)
        });
        let health = health.filter(|_| fault.is_some());
        (same([0]).into_iter().chain(health).collect(), 0)
    }),
    ("ids drawn anew", |_, rng| {
        let requests = [0, 10, 20].map(|at| request(at, rng.next_u64()));
        (requests.into(), 0)
    }),
    ("a mesh that repeats", |fault, _| {
        let is_failed = fault.is_some_and(|it| it != ProxyFault::Hold);
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
        (0.3, |_, rng| random_sender(0.3, rng)),
        (0.5, |_, rng| random_sender(0.5, rng)),
        (0.7, |_, rng| random_sender(0.7, rng)),
    ];
    for (share, sends) in senders {
        let broken = count(sends, Verdict::Broken, PLANS);
        // Five times the standard deviation above the mean.
        let mean = PLANS as f64 * (share * (1.0 - share)).powi(5);
        let most = mean + 5.0 * mean.sqrt() + 1.0;
        assert!(broken as f64 <= most, "{share}: {broken} > {most}");
    }
}

fn random_sender(share: f64, rng: &mut ChaCha12Rng) -> (Vec<ProxyRequest>, i32) {
    let extra = rng.random_bool(share).then(|| rng.random_range(1..150));
    (same([0].into_iter().chain(extra)), 0)
}

/// What a wrong client sends after a failure, the rule that it breaks, and the fault that
/// shows it; whether it can be proven.
const WRONG: [(&str, ProxyFault, bool, Sends); 8] = [
    (
        "retry-after-seconds",
        ProxyFault::RetryAfter,
        true,
        |fault, rng| {
            let again = failed(fault).then(|| rng.random_range(1..1_900));
            (same([0].into_iter().chain(again)), 0)
        },
    ),
    (
        "retry-after-seconds",
        ProxyFault::RetryAfter,
        false,
        |fault, rng| {
            let early = failed(fault).then(|| request(rng.random_range(1..1_900), 2));
            let late = failed(fault).then(|| request(2_100, 1));
            (same([0]).into_iter().chain(early).chain(late).collect(), 0)
        },
    ),
    (
        "retry-after-seconds",
        ProxyFault::RetryAfter,
        false,
        |fault, rng| {
            let early = failed(fault).then(|| rng.random_range(1..1_900));
            (same([0, 0, 0, 0, 0].into_iter().chain(early)), 0)
        },
    ),
    (
        "retry-after-seconds",
        ProxyFault::RetryAfter,
        false,
        |fault, rng| {
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
        |fault, rng| {
            let again = failed(fault).then(|| keyed(100, rng.next_u64()));
            (
                std::iter::once(keyed(0, rng.next_u64()))
                    .chain(again)
                    .collect(),
                0,
            )
        },
    ),
    ("same-body", ProxyFault::LostResponse, true, |fault, rng| {
        let key = rng.next_u64();
        let again = failed(fault).then(|| ProxyRequest {
            body: Body::Read(ValueHash(rng.next_u64())),
            ..keyed(100, key)
        });
        (std::iter::once(keyed(0, key)).chain(again).collect(), 0)
    }),
    ("once", ProxyFault::LostResponse, true, |fault, _| {
        (same([0].into_iter().chain(failed(fault).then_some(100))), 0)
    }),
    ("refused-once", ProxyFault::Refused, true, |fault, _| {
        (
            same([0].into_iter().chain(failed(fault).then_some(100))),
            i32::from(failed(fault)),
        )
    }),
];

fn failed(fault: Option<ProxyFault>) -> bool {
    fault.is_some_and(|it| it != ProxyFault::Hold)
}

#[test]
fn no_wrong_client_is_kept() {
    let mut rng = ChaCha12Rng::seed_from_u64(8);
    for (rule, fault, can_be_proven, sends) in WRONG {
        for _ in 0..1_000 {
            let runs = plan(sends, fault, &once(), &mut rng);
            let judged = verdict(&runs, fault, rule, &once());
            match judged.verdict {
                Verdict::Broken => {}
                Verdict::CannotTell if !can_be_proven => {}
                other => panic!("{rule}: {other:?} {judged:?}"),
            }
        }
    }
}
