//! Whether a client pauses before its retries, and whether its pauses differ.
//!
//! The evidence is the *gap*: from the moment before the head of a failure was written to the
//! arrival of the next request of the same call. A gap is a pause, the client's own work and
//! the delay of the machine. Work and delay only lengthen it, so a short gap is proof, and a
//! long one is not.
//!
//! Gaps are pooled by their number in the call and the status before them, since the first
//! retry of a slow runtime takes longer than its others. How much the machine may have added
//! is the *noise*: the largest delay of the lab's own timer within the gaps. The timer may be on
//! time while a client waits for a processor, so gaps of first retries show little. The tests
//! simulate clients on four machines, and none of them is judged wrongly.

use std::{collections::BTreeMap, time::Duration};

use wire::{RetryAfter, WireRecord, WireRequest, duration, duration_left};

use super::{Case, Judgement, RequestRef};
use crate::ties::Ties;

/// The number of a gap in its call, from 0, and the status before it.
type Place = (usize, u16);

/// A gap between a failure and the request that repeats it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Gap {
    pub(super) place: Place,
    pub(super) length: Duration,
    /// The largest delay of the lab's timer within its first second.
    pub(super) delay: Duration,
    /// The same in the whole case.
    pub(super) case_delay: Duration,
}

/// What gaps show.
#[derive(Debug)]
pub(super) enum Shown {
    Kept,
    Skipped(&'static str),
    /// By the gaps of these places.
    Broken(Vec<Place>, String),
    CannotTell(String),
}

/// A pool of gaps needs this many to show that retries came at once or after equal pauses.
const POOL: usize = 8;

/// So many gaps, of any place, show that the client pauses.
const FEWEST: usize = 3;

/// A retry within this time came at once.
const AT_ONCE: Duration = Duration::from_millis(5);

/// The same for all retries of a pool but one.
const ALMOST_AT_ONCE: Duration = Duration::from_millis(10);

/// A gap of this length is a pause on a quiet machine.
pub(super) const PAUSE: Duration = Duration::from_millis(40);

/// The same on a machine that is not quiet, and of first retries alone: those of a runtime that
/// compiles were seen to take 120 ms on a machine whose timers were on time.
const PAUSE_IN_NOISE: Duration = Duration::from_millis(100);

/// A machine is quiet if the noise is below this.
const QUIET: Duration = Duration::from_millis(15);

/// If the timer was ever this late in a case, nothing shows that pauses are random: clients whose
/// pauses were equal were seen to wait for a processor for 300 ms while it was 42 ms late.
const TOO_BUSY: Duration = Duration::from_millis(30);

/// Pauses that differ by this are random on a quiet machine.
const SPAN: Duration = Duration::from_millis(30);

/// Pauses that differ by at most this are equal: timers are not more precise.
const EQUAL: Duration = Duration::from_millis(3);

/// The same for retries after the first, whose pauses usually have a wider range if they are
/// random: a runtime adds more than its timer does.
const EQUAL_LATER: Duration = Duration::from_micros(5_500);

/// How much of a gap counts for the noise, so that a long pause meets no more of it than a
/// short one.
const HEARD: Duration = Duration::from_secs(1);

/// Whether the service refused a request for now.
pub(super) fn is_refused_for_now(request: &WireRequest) -> bool {
    let status = request.status;
    status.is_some_and(|status| status == 429 || status >= 500)
}

/// Whether a request failed and the client had to choose the length of its pause.
pub(super) fn failed(request: &WireRequest) -> bool {
    let named = request.retry_after.is_some_and(RetryAfter::is_usable);
    !named && is_refused_for_now(request)
}

/// Each repetition of a failed request of a case, and the gap before it.
pub(super) fn gaps<'a>(
    wire: &'a WireRecord,
    ties: &Ties<'a>,
    failed: fn(&WireRequest) -> bool,
) -> Vec<(&'a WireRequest, Gap)> {
    let retries = ties.repetitions().filter(|(first, _)| failed(first));
    let late = wire.delays.iter().map(|delay| delay.late);
    let case_delay = late.max().unwrap_or_default();
    let gaps = retries.enumerate().filter_map(|(number, (first, next))| {
        let begun = first.head?;
        let heard = begun..=next.arrived.min(begun + HEARD);
        let delays = wire.delays.iter();
        let within = delays
            .filter(|delay| delay.due <= *heard.end() && delay.due + delay.late >= *heard.start());
        let gap = Gap {
            place: (number, first.status?),
            length: next.arrived.checked_sub(begun)?,
            delay: within.map(|delay| delay.late).max().unwrap_or_default(),
            case_delay,
        };
        Some((next, gap))
    });
    gaps.collect()
}

/// Judges by the gaps of the whole card if it `is_pooled`, and else by those of these cases.
pub(super) fn judged(
    cases: &[Case<'_>],
    failed: fn(&WireRequest) -> bool,
    is_pooled: bool,
    shown: fn(&[Gap]) -> Shown,
) -> Judgement {
    let mut requests = cases.iter().flat_map(|case| &case.wire.entries);
    if !requests.any(failed) {
        return Judgement::not_exercised();
    }
    let complete = cases.iter().enumerate();
    let complete = complete.filter(|(_, case)| case.wire.dropped == 0);
    let own = complete.flat_map(|(number, case)| {
        let gaps = gaps(case.wire, &case.ties, failed).into_iter();
        gaps.map(move |(next, gap)| {
            let seq = next.seq;
            (RequestRef { case: number, seq }, gap)
        })
    });
    let own: Vec<_> = own.collect();
    let of_card = cases.first().map(|case| &*case.context.gaps);
    let all = match of_card.filter(|gaps| is_pooled && !gaps.is_empty()) {
        Some(of_card) => of_card.to_vec(),
        None => own.iter().map(|(_, gap)| *gap).collect(),
    };
    let is_complete = cases.iter().all(|case| case.wire.dropped == 0);
    let judgement = match shown(&all) {
        _ if own.is_empty() => Judgement::skipped(),
        // The client had shown this before it was stopped.
        Shown::Skipped(why) if is_complete => return Judgement::skipped_because(why),
        Shown::Kept => Judgement::kept(),
        Shown::Skipped(why) => Judgement::skipped_because(why),
        Shown::CannotTell(why) => Judgement::cannot_tell(why),
        Shown::Broken(places, found) => {
            let shows = own.iter().filter(|(_, gap)| places.contains(&gap.place));
            let shows: Vec<_> = shows.map(|(request, _)| *request).collect();
            if shows.is_empty() {
                // Another task of the card shows it, by gaps that this one does not have.
                Judgement::cannot_tell(too_few(own.len()))
            } else {
                Judgement::broken_by(shows, found)
            }
        }
    };
    cases.iter().fold(judgement, Judgement::unless_unseen)
}

/// Whether there were pauses.
pub(super) fn pauses(gaps: &[Gap]) -> Shown {
    let pools = pools(gaps);
    let (at_once, others): (Vec<_>, Vec<_>) =
        pools.iter().partition(|(_, lengths)| is_at_once(lengths));
    // The first retry of a slow runtime takes longer than 10 ms.
    let is_slow_start =
        |((number, _), lengths): &&(Place, Vec<Duration>)| *number == 0 && median(lengths) < PAUSE;
    if !at_once.is_empty() {
        if !others.iter().all(is_slow_start) {
            let why = "some retries came at once, and others did not";
            return Shown::CannotTell(why.to_owned());
        }
        let lengths: Vec<_> = at_once.iter().flat_map(|(_, lengths)| lengths).collect();
        let short = lengths.iter().filter(|length| **length < &ALMOST_AT_ONCE);
        let (short, all) = (short.count(), lengths.len());
        let within = duration(ALMOST_AT_ONCE);
        let places = at_once.iter().map(|(place, _)| *place).collect();
        return Shown::Broken(
            places,
            format!("{short} of {all} retries came within {within}"),
        );
    }
    kept_by_pauses(gaps)
}

/// Kept if more than half of the gaps are pauses, and of those after the first retry as well.
pub(super) fn kept_by_pauses(gaps: &[Gap]) -> Shown {
    let noise = noise(gaps);
    let later = gaps.iter().filter(|gap| gap.place.0 > 0);
    let later: Vec<_> = later.copied().collect();
    let has_later = later.len() >= FEWEST;
    let least = if has_later {
        least_pause(noise)
    } else {
        least_pause(noise).max(PAUSE_IN_NOISE)
    };
    let short = |gaps: &[Gap]| gaps.iter().filter(|gap| gap.length < least).count();
    let are_pauses = |gaps: &[Gap]| 2 * short(gaps) < gaps.len();
    if gaps.len() < FEWEST {
        return Shown::CannotTell("there were too few retries".to_owned());
    }
    if are_pauses(gaps) && (!has_later || are_pauses(&later)) {
        return Shown::Kept;
    }
    let (short, all, least) = (short(gaps), gaps.len(), duration(least));
    let found = format!(
        "{short} of {all} retries came within {least}, which may be pauses or your client's own work"
    );
    Shown::CannotTell(found + &busy(noise))
}

/// Whether the pauses differed.
pub(super) fn jitter(gaps: &[Gap]) -> Shown {
    if matches!(pauses(gaps), Shown::Broken(..)) {
        return Shown::Skipped("no pause before a retry");
    }
    let noise = noise(gaps);
    let pools = pools(gaps);
    let is_random = |((number, _), lengths): &(Place, Vec<Duration>)| {
        let (span, median) = (inner_span(lengths), median(lengths));
        if noise < QUIET && *number > 0 {
            span >= SPAN && span >= median / 5 && median >= PAUSE
        } else {
            let is_wide = span >= PAUSE_IN_NOISE && span >= median / 2;
            is_wide && median >= PAUSE_IN_NOISE
        }
    };
    let case_delays = gaps.iter().map(|gap| gap.case_delay);
    let case_delay = case_delays.max().unwrap_or_default();
    if case_delay < TOO_BUSY && pools.iter().any(is_random) {
        return Shown::Kept;
    }
    // A client that rounds its pauses up may draw the same one eight times.
    let differ = |(_, lengths): &(Place, Vec<Duration>)| inner_span(lengths) >= PAUSE_IN_NOISE;
    let is_equal = |((number, _), lengths): &&(Place, Vec<Duration>)| {
        let median = median(lengths);
        let least = if *number == 0 { EQUAL } else { EQUAL_LATER };
        median >= PAUSE && span_but_one(lengths) <= least.max(median / 100)
    };
    let equal = pools.iter().find(is_equal);
    if let Some((place, lengths)) = equal.filter(|_| !pools.iter().any(differ)) {
        let (all, apart) = (lengths.len(), duration_left(span_but_one(lengths)));
        let which = match place.0 {
            0 => "first",
            1 => "second",
            _ => "later",
        };
        let found = format!(
            "{} of the {all} pauses before {which} retries differ by at most {apart}",
            all - 1
        );
        return Shown::Broken(vec![*place], found);
    }
    let spans = pools.iter().map(|(_, lengths)| inner_span(lengths));
    Shown::CannotTell(match spans.max() {
        Some(span) => {
            let span = duration_left(span);
            let found = format!("the pauses differ by up to {span}, which may be work or chance");
            found + &busy(case_delay)
        }
        None => too_few(gaps.len()),
    })
}

/// The lengths of the gaps of each place that has enough of them, in ascending order.
fn pools(gaps: &[Gap]) -> Vec<(Place, Vec<Duration>)> {
    let mut pools: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for gap in gaps {
        pools.entry(gap.place).or_default().push(gap.length);
    }
    pools.retain(|_, lengths| lengths.len() >= POOL);
    for lengths in pools.values_mut() {
        lengths.sort_unstable();
    }
    pools.into_iter().collect()
}

fn is_at_once(lengths: &[Duration]) -> bool {
    let below = |limit| lengths.iter().filter(|length| **length < limit).count();
    3 * below(AT_ONCE) >= 2 * lengths.len() || below(ALMOST_AT_ONCE) + 1 >= lengths.len()
}

fn noise(gaps: &[Gap]) -> Duration {
    let delays = gaps.iter().map(|gap| gap.delay);
    delays.max().unwrap_or_default()
}

/// The shortest gap that is a pause.
fn least_pause(noise: Duration) -> Duration {
    if noise < QUIET {
        PAUSE
    } else {
        PAUSE_IN_NOISE.max(2 * noise)
    }
}

/// The middle one of lengths in ascending order.
fn median(lengths: &[Duration]) -> Duration {
    lengths.get(lengths.len() / 2).copied().unwrap_or_default()
}

/// By how much the lengths differ without the smallest and the largest one.
fn inner_span(lengths: &[Duration]) -> Duration {
    match lengths {
        [_, first, .., last, _] => *last - *first,
        _ => Duration::ZERO,
    }
}

/// By how much the lengths differ without the one that differs the most.
fn span_but_one(lengths: &[Duration]) -> Duration {
    match lengths {
        [first, second, .., before, last] => (*before - *first).min(*last - *second),
        _ => Duration::ZERO,
    }
}

/// The reason if there is no pool.
fn too_few(retries: usize) -> String {
    format!(
        "{retries} retries are too few: {POOL} first ones after the same status tell, or {POOL} \
         second ones, in all tasks of the card together"
    )
}

/// What to add to a reason if the machine was busy.
fn busy(noise: Duration) -> String {
    if noise < QUIET {
        return String::new();
    }
    let late = duration(noise);
    format!("; the machine was busy, and a timer of the lab was {late} late")
}

#[cfg(test)]
mod tests {
    use super::*;

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

    /// A card of a client on a machine.
    fn card(pauses: Pauses, work: Work, machine: Machine, state: &mut u64) -> Vec<Gap> {
        let Machine(mean, stretch) = machine;
        let mut gaps = Vec::new();
        for (status, failures) in CASES {
            let mut before = 0.0;
            for number in 0..failures {
                before = pauses(number, draw(state), before);
                let work = stretch * work[usize::from(number > 0)];
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
                gaps.push(Gap {
                    place: (number, status),
                    length: millis(length),
                    delay: millis(largest),
                    case_delay: millis(largest),
                });
            }
        }
        gaps
    }

    /// How many of some cards keep and break the rules about pauses and about jitter.
    fn told(pauses: Pauses, work: Work, machine: Machine) -> [[u32; 2]; 2] {
        let mut state = 7;
        let mut told = [[0; 2]; 2];
        for _ in 0..CARDS {
            let gaps = card(pauses, work, machine, &mut state);
            for (told, shown) in told.iter_mut().zip([super::pauses(&gaps), jitter(&gaps)]) {
                told[0] += u32::from(matches!(shown, Shown::Kept));
                told[1] += u32::from(matches!(shown, Shown::Broken(..)));
            }
        }
        told
    }

    const CARDS: u32 = 100;

    #[test]
    fn no_client_is_judged_wrongly_and_most_are_judged_on_a_quiet_machine() {
        for (client, kind, work, pauses) in CLIENTS {
            for machine in MACHINES {
                let told @ [[paused, at_once], [random, equal]] = told(pauses, work, machine);

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
                let [[_, at_once], [_, equal]] = told(pauses, work, machine);

                let found = (at_once, equal);
                assert!(
                    at_once <= CARDS * 4 / 100 && equal == 0,
                    "{client}, {machine:?}: {found:?}"
                );
            }
        }
    }
}
