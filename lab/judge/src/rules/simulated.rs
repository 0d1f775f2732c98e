//! The rules about pauses, judging cards of simulated clients: no client is judged wrongly on any
//! machine, and most are judged on a quiet one.

use std::time::Duration;

use proptest::prelude::*;
use wire::UnusableValue;

use super::{
    Growth, Waits,
    backoff::{self, Gap, Place, Shown},
    measured_policy, retry_after_unusable,
};

/// A client: its pause before the retry of this number, in milliseconds, drawn with a
/// number from 0 to 1 and its pause before.
type Pauses = fn(usize, f64, f64) -> f64;

/// The kind of a client's pauses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    None,
    Equal,
    Random,
    /// Random, and so short that even a quiet machine may hide it.
    Short,
}

/// The longest work of a client before its first retry and before the others, in
/// milliseconds: the shortest is a third of it.
type Work = [f64; 2];

const FAST: Work = [0.5, 0.5];

const SLOW: Work = [15.0, 2.0];

const CLIENTS: [(&str, Kind, Work, Pauses); 21] = [
    ("at once", Kind::None, FAST, |_, _, _| 0.0),
    ("at once, 3 ms", Kind::None, [3.0, 3.0], |_, _, _| 0.0),
    ("at once, slow", Kind::None, SLOW, |_, _, _| 0.0),
    ("50 ms", Kind::Equal, FAST, |_, _, _| 50.0),
    ("50 ms, slow", Kind::Equal, SLOW, |_, _, _| 50.0),
    ("200 ms", Kind::Equal, FAST, |_, _, _| 200.0),
    ("200 ms, slow", Kind::Equal, SLOW, |_, _, _| 200.0),
    ("1 s", Kind::Equal, FAST, |_, _, _| 1_000.0),
    ("3 s", Kind::Equal, SLOW, |_, _, _| 3_000.0),
    ("doubling from 50", Kind::Equal, FAST, |n, _, _| {
        doubled(50.0, n)
    }),
    ("doubling from 100, slow", Kind::Equal, SLOW, |n, _, _| {
        doubled(100.0, n)
    }),
    ("doubling from 200", Kind::Equal, FAST, |n, _, _| {
        doubled(200.0, n)
    }),
    ("full from 50", Kind::Short, FAST, |n, at, _| {
        at * doubled(50.0, n)
    }),
    ("full from 100", Kind::Random, FAST, |n, at, _| {
        at * doubled(100.0, n)
    }),
    ("full from 200", Kind::Random, FAST, |n, at, _| {
        at * doubled(200.0, n)
    }),
    ("full from 200, slow", Kind::Random, SLOW, |n, at, _| {
        at * doubled(200.0, n)
    }),
    ("half from 50", Kind::Short, FAST, |n, at, _| {
        (0.5 + at / 2.0) * doubled(50.0, n)
    }),
    ("half from 200", Kind::Random, SLOW, |n, at, _| {
        (0.5 + at / 2.0) * doubled(200.0, n)
    }),
    (
        "decorrelated from 50",
        Kind::Random,
        FAST,
        |_, at, before| decorrelated(50.0, at, before),
    ),
    (
        "decorrelated from 100",
        Kind::Random,
        SLOW,
        |_, at, before| decorrelated(100.0, at, before),
    ),
    (
        "ten percent from 1 s, in whole seconds",
        Kind::Random,
        FAST,
        |n, at, _| ((0.9 + at / 5.0) * doubled(1.0, n)).ceil() * 1_000.0,
    ),
];

/// Their first pauses are so near to none that a few cards in a hundred may say so.
const NEAR_TO_NONE: [(&str, Kind, Work, Pauses); 3] = [
    ("full from 10", Kind::Short, FAST, |n, at, _| {
        at * doubled(10.0, n)
    }),
    ("full from 20", Kind::Short, FAST, |n, at, _| {
        at * doubled(20.0, n)
    }),
    ("full from 25", Kind::Short, FAST, |n, at, _| {
        at * doubled(25.0, n)
    }),
];

fn doubled(from: f64, number: usize) -> f64 {
    from * f64::from(1 << number)
}

fn decorrelated(from: f64, at: f64, before: f64) -> f64 {
    from + at * (before.max(from) * 3.0 - from)
}

/// The status and the number of the failures in each case of `flaky`, and in those of
/// `down` as a client sees them that makes four attempts.
const CASES: [(u16, usize); 11] = [
    (503, 2),
    (503, 2),
    (503, 2),
    (503, 2),
    (503, 2),
    (503, 2),
    (503, 2),
    (503, 2),
    (503, 3),
    (502, 3),
    (429, 3),
];

/// A machine: its mean delay in milliseconds, and how much longer work takes.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Machine(f64, f64);

const QUIET_MACHINE: Machine = Machine(0.1, 1.0);

/// Also one whose timers are on time while a client waits for a processor, as was seen beside
/// fifteen busy programs on two cores.
const MACHINES: [Machine; 4] = [
    QUIET_MACHINE,
    Machine(0.1, 8.0),
    Machine(5.0, 8.0),
    Machine(60.0, 8.0),
];

/// SplitMix64: a number from 0 to 1.
fn draw(state: &mut u64) -> f64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}

/// A client on a machine.
#[derive(Clone, Copy)]
struct Client<P = Pauses> {
    pauses: P,
    work: Work,
    machine: Machine,
}

impl<P: Fn(usize, f64, f64) -> f64 + Copy> Client<P> {
    /// The gaps of a case that fails so often in this way. The number of the place is that of
    /// the first gap.
    fn gaps(self, failure: Place, failures: usize, state: &mut u64) -> Vec<Gap> {
        let Machine(mean, stretch) = self.machine;
        let mut before = 0.0;
        let gaps = (0..failures).map(|number| {
            before = (self.pauses)(number, draw(state), before);
            let work = stretch * self.work[usize::from(number > 0)];
            let mut delay = || -mean * (1.0 - draw(state)).ln();
            // The client is late to wake up, and the lab to read its request.
            let delays = delay() + delay();
            // The lab's timer goes on meanwhile.
            let (mut at, mut largest) = (0.0, 0.0_f64);
            let length = before + delays;
            while at < length.min(1_000.0) {
                let late = delay();
                largest = largest.max(late);
                at += 5.0 + late;
            }
            let length = length + work * (1.0 + 2.0 * draw(state)) / 3.0;
            let millis = |millis: f64| Duration::from_secs_f64(millis / 1e3);
            Gap {
                place: Place { number, ..failure },
                length: millis(length),
                delay: millis(largest),
                case_delay: millis(largest),
            }
        });
        gaps.collect()
    }
}

fn failure(status: u16, unusable: Option<UnusableValue>) -> Place {
    Place {
        number: 0,
        status,
        unusable,
    }
}

/// The gaps of `flaky` and `down`.
fn card(client: Client, state: &mut u64) -> Vec<Gap> {
    let cases = CASES.iter();
    let gaps =
        cases.map(|(status, failures)| client.gaps(failure(*status, None), *failures, state));
    gaps.flatten().collect()
}

/// How many cards are kept and broken, of so many.
fn count(cards: u32, mut shown: impl FnMut() -> Shown) -> [u32; 2] {
    let mut told = [0; 2];
    for _ in 0..cards {
        match shown() {
            Shown::Kept => told[0] += 1,
            Shown::Broken(..) => told[1] += 1,
            Shown::Skipped(_) | Shown::CannotTell(_) => {}
        }
    }
    told
}

/// How many of some cards keep and break the rules about pauses and about jitter.
fn told(client: Client) -> [[u32; 2]; 2] {
    [backoff::pauses, backoff::jitter].map(|judge: fn(&[Gap]) -> Shown| {
        let mut state = 7;
        count(CARDS, || judge(&card(client, &mut state)))
    })
}

/// How many of so many cards keep and break the rule about an unusable Retry-After, of a client
/// that pauses in one way after one value, and in another way after the other value.
fn told_of_values(cards: u32, after_each: [Client; 2]) -> [u32; 2] {
    let values = ["-1", "soon"].map(|value| failure(503, Some(UnusableValue(value))));
    let mut state = 7;
    count(cards, || {
        let after_each = values.iter().zip(after_each);
        let cases = after_each.flat_map(|value_and_client| [value_and_client; 4]);
        let gaps = cases.map(|(value, client)| client.gaps(*value, 2, &mut state));
        retry_after_unusable::pauses(&gaps.flatten().collect::<Vec<_>>())
    })
}

const CARDS: u32 = 100;

#[test]
fn no_client_is_judged_wrongly_and_most_are_judged_on_a_quiet_machine() {
    for (client, kind, work, pauses) in CLIENTS {
        for machine in MACHINES {
            let told @ [[paused, at_once], [random, equal]] = told(Client {
                pauses,
                work,
                machine,
            });

            let wrong = match kind {
                Kind::None => [paused, random, equal],
                Kind::Equal => [0, at_once, random],
                Kind::Random | Kind::Short => [0, at_once, equal],
            };
            assert_eq!(wrong, [0; 3], "{client}, {machine:?}: {told:?}");
            let right = match kind {
                _ if machine != QUIET_MACHINE => continue,
                Kind::None => at_once,
                Kind::Equal => paused.min(equal),
                Kind::Random => paused.min(random),
                Kind::Short => continue,
            };
            assert!(right >= CARDS * 95 / 100, "{client}, {machine:?}: {told:?}");
        }
    }
}

#[test]
fn pauses_below_10_to_25_ms_are_rarely_taken_for_none_and_never_for_equal_ones() {
    for (client, _, work, pauses) in NEAR_TO_NONE {
        for machine in MACHINES {
            let [[_, at_once], [_, equal]] = told(Client {
                pauses,
                work,
                machine,
            });

            let found = (at_once, equal);
            assert!(
                at_once <= CARDS * 4 / 100 && equal == 0,
                "{client}, {machine:?}: {found:?}"
            );
        }
    }
}

/// A client pauses after both values, or after neither, or after one alone. With pauses of 50 ms,
/// one card in a thousand of a slow client that pauses after one value alone is kept on a machine
/// whose delays the lab's timer does not show. That is accepted.
#[test]
fn no_client_is_judged_wrongly_by_its_pauses_after_an_unusable_retry_after() {
    for (client, kind, work, pauses) in CLIENTS {
        for machine in MACHINES {
            let pausing = Client {
                pauses,
                work,
                machine,
            };
            let hasty = Client {
                pauses: (|_, _, _| 0.0) as Pauses,
                ..pausing
            };
            let [kept, broken] = told_of_values(CARDS, [pausing; 2]);
            let after_one = [[hasty, pausing], [pausing, hasty]];
            let after_one = after_one.map(|after_each| told_of_values(CARDS, after_each));

            let context = format!("{client}, {machine:?}: {kept} {broken} {after_one:?}");
            let wrong = if kind == Kind::None { kept } else { broken };
            assert_eq!(wrong, 0, "{context}");
            assert!(
                after_one.iter().all(|[kept, _]| *kept <= CARDS / 100),
                "{context}"
            );
            let right = match kind {
                _ if machine != QUIET_MACHINE => continue,
                Kind::None => broken,
                Kind::Equal | Kind::Random => kept,
                Kind::Short => CARDS,
            };
            let found = [right, after_one[0][1], after_one[1][1]];
            assert!(
                found.iter().all(|found| *found >= CARDS * 85 / 100),
                "{context}"
            );
        }
    }
}

#[test]
fn random_pauses_after_an_unusable_retry_after_are_rarely_taken_for_none() {
    // The first ceiling, the cards of the quiet machine, which is the one that hides the least,
    // and of how many cards at most one may be broken.
    let table: [(Pauses, u32, u32); 4] = [
        (|n, at, _| at * doubled(10.0, n), 1_500, 30),
        (|n, at, _| at * doubled(20.0, n), 5_000, 200),
        (|n, at, _| at * doubled(25.0, n), 5_000, 200),
        (|n, at, _| at * doubled(100.0, n), 20_000, 20_001),
    ];
    for (pauses, cards, one_in) in table {
        for machine in MACHINES {
            let is_quiet = machine == QUIET_MACHINE;
            let cards = if is_quiet { cards } else { cards / 10 };
            let client = Client {
                pauses,
                work: FAST,
                machine,
            };

            let [_, broken] = told_of_values(cards, [client; 2]);

            assert!(broken * one_in <= cards, "{machine:?}: {broken} of {cards}");
        }
    }
}

/// A client of a known policy.
#[derive(Clone, Copy, Debug)]
struct Policy {
    attempts: usize,
    /// Its first pause, or the ceiling of that, in milliseconds.
    first: f64,
    has_jitter: bool,
    doubles: bool,
}

/// How many of some cards tell the waits of a client right, tell them wrongly, or not.
#[derive(Clone, Copy, Debug, Default)]
struct Measured {
    /// Its first pause is within a fifth, and all else is right.
    near: u32,
    /// Its first pause is more than a third off, or something else is wrong.
    wrong: u32,
    told: u32,
}

impl Policy {
    fn measured(self, work: Work, machine: Machine, cards: u32, state: &mut u64) -> Measured {
        let pauses = |number: usize, at: f64, _: f64| {
            let growth = if self.doubles { number } else { 0 };
            let ceiling = doubled(self.first, growth);
            if self.has_jitter {
                at * ceiling
            } else {
                ceiling
            }
        };
        let client = Client {
            pauses,
            work,
            machine,
        };
        let mut measured = Measured::default();
        for _ in 0..cards {
            let cases = CASES.iter().flat_map(|(status, failures)| {
                let retries = (*failures).min(self.attempts - 1);
                client.gaps(failure(*status, None), retries, state)
            });
            let cases: Vec<_> = cases.collect();
            let Ok(waits) = measured_policy::waits(&cases, self.attempts == 2) else {
                continue;
            };
            let off = self.off(waits);
            measured.told += 1;
            measured.near += u32::from(off.is_some_and(|off| (0.8..=1.2).contains(&off)));
            measured.wrong += u32::from(off.is_none_or(|off| !(0.66..=1.34).contains(&off)));
        }
        measured
    }

    /// By which factor the first pause of these waits is longer than it is; none if something
    /// else is wrong.
    fn off(self, waits: Waits) -> Option<f64> {
        let Waits::Pauses {
            first,
            has_jitter,
            growth,
        } = waits
        else {
            return None;
        };
        let expected = match self.attempts {
            2 => None,
            _ if self.doubles => Some(Growth::Doubles),
            _ => Some(Growth::Equal),
        };
        let is_right = has_jitter == self.has_jitter && growth == expected;
        is_right.then(|| first.as_secs_f64() * 1e3 / self.first)
    }
}

/// Of 100 cards, those whose first pause is more than a fifth off are chance in the gaps that are
/// random. With the work of a slow runtime, on a busy machine whose timers are on time, that work
/// makes up to a tenth of the cards with random pauses wrong: no gap shows how much of it is work.
#[test]
fn waits_are_measured_on_a_quiet_machine_and_not_told_on_a_busy_one() {
    let shapes = [false, true].map(|jitter| [false, true].map(|doubles| (jitter, doubles)));
    for (has_jitter, doubles) in shapes.into_iter().flatten() {
        for attempts in [2, 4] {
            for first in [50.0, 100.0, 200.0, 300.0, 1_000.0] {
                let policy = Policy {
                    attempts,
                    first,
                    has_jitter,
                    doubles,
                };
                for machine in MACHINES {
                    check_measured(policy, FAST, machine);
                    check_measured(policy, SLOW, machine);
                }
            }
        }
    }
}

fn check_measured(policy: Policy, work: Work, machine: Machine) {
    let measured = policy.measured(work, machine, CARDS, &mut 7);

    let context = format!("{policy:?}, {work:?}, {machine:?}: {measured:?}");
    let Machine(delay, stretch) = machine;
    if delay > 1.0 {
        assert_eq!(measured.told, 0, "{context}");
    }
    let is_seen = stretch * work[0] <= SLOW[0];
    let most_wrong = if is_seen { 3 } else { 10 };
    assert!(measured.wrong <= most_wrong, "{context}");
    if policy.first < 200.0 || machine != QUIET_MACHINE {
        return;
    }
    assert!(measured.told - measured.near <= CARDS / 10, "{context}");
    // Random pauses that do not grow look like short ones with work, and equal ones before a
    // single retry are hidden by the work of a slow runtime.
    let is_clear = if policy.has_jitter {
        policy.attempts > 2 && policy.doubles
    } else {
        policy.attempts > 2 || work == FAST
    };
    if is_clear {
        assert!(measured.told >= CARDS * 85 / 100, "{context}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn the_waits_of_any_policy_are_told_rightly_or_not(
        attempts in 2_usize..=4,
        first in 40.0..3_000.0,
        has_jitter: bool,
        doubles: bool,
        work in 0.5..15.0,
        mut state: u64,
    ) {
        let policy = Policy { attempts, first, has_jitter, doubles };

        let quiet = policy.measured([work, work.min(2.0)], QUIET_MACHINE, CARDS, &mut state);
        let busy = policy.measured([work, work], Machine(60.0, 8.0), CARDS, &mut state);

        prop_assert!(quiet.wrong <= 10, "{quiet:?}");
        prop_assert!(first < 200.0 || quiet.told - quiet.near <= 22, "{quiet:?}");
        prop_assert_eq!(busy.told, 0);
    }
}
