//! Whether a client pauses before its retries, and whether its pauses differ.
//!
//! The evidence is the *gap*: from the moment before the head of a failure was written to the
//! arrival of the next request of the same call. A gap is a pause, the client's own work and
//! the delay of the machine. Work and delay only lengthen it, so a short gap is proof, and a
//! long one is not.
//!
//! Gaps are pooled by their [place](Place), since the first retry of a slow runtime takes longer
//! than its others. How much the machine may have added is the *noise*: the largest delay of the
//! lab's own timer within the gaps. The timer may be on time while a client waits for a
//! processor, so gaps of first retries show little. The module `simulated` tests the rules with
//! clients on four machines.

use std::{collections::BTreeMap, time::Duration};

use wire::{RetryAfter, UnusableValue, WireRecord, WireRequest, duration, duration_left};

use super::{Case, Judgement, RequestRef};
use crate::ties::Ties;

/// Where a gap stands in its call, and the failure before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    /// The number of the gap in its call, from 0.
    pub(super) number: usize,
    /// The status of the failure.
    pub(super) status: u16,
    /// The value of its Retry-After, if that is unusable on purpose.
    pub(super) unusable: Option<UnusableValue>,
}

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
pub(super) const FEWEST: usize = 3;

/// The reason if there are fewer.
pub(super) const TOO_FEW: &str = "there were too few retries";

/// A retry within this time came at once.
const AT_ONCE: Duration = Duration::from_millis(5);

/// The same for all retries of a pool but one.
const ALMOST_AT_ONCE: Duration = Duration::from_millis(10);

/// A gap of this length is a pause on a quiet machine.
const PAUSE: Duration = Duration::from_millis(40);

/// The same on a machine that is not quiet, and of first retries alone: those of a runtime that
/// compiles were seen to take 120 ms on a machine whose timers were on time.
const PAUSE_IN_NOISE: Duration = Duration::from_millis(100);

/// A machine is quiet if the noise is below this.
pub(super) const QUIET: Duration = Duration::from_millis(15);

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
        let place = Place {
            number,
            status: first.status?,
            unusable: first.retry_after.and_then(RetryAfter::unusable_value),
        };
        let gap = Gap {
            place,
            length: next.arrived.checked_sub(begun)?,
            delay: within.map(|delay| delay.late).max().unwrap_or_default(),
            case_delay,
        };
        Some((next, gap))
    });
    gaps.collect()
}

/// How a rule judges gaps.
#[derive(Debug)]
pub struct GapRule {
    /// Which requests have to be followed by a pause.
    pub(super) failed: fn(&WireRequest) -> bool,
    /// Whether it looks at the gaps of the whole card, and else at those of its cases.
    pub(super) is_pooled: bool,
    /// What gaps show.
    pub(super) shown: fn(&[Gap]) -> Shown,
}

impl GapRule {
    /// The gaps of these cases, each with the request that ends it.
    fn own(&self, cases: &[Case<'_>]) -> Vec<(RequestRef, Gap)> {
        let complete = cases.iter().enumerate();
        let complete = complete.filter(|(_, case)| case.wire.dropped == 0);
        let own = complete.flat_map(|(number, case)| {
            let gaps = gaps(case.wire, &case.ties, self.failed).into_iter();
            gaps.map(move |(next, gap)| {
                let seq = next.seq;
                (RequestRef { case: number, seq }, gap)
            })
        });
        own.collect()
    }

    /// The gaps that it looks at, of which these cases have their `own`.
    fn all(&self, cases: &[Case<'_>], own: &[(RequestRef, Gap)]) -> Vec<Gap> {
        let of_card = cases.first().map(|case| &*case.context.gaps);
        match of_card.filter(|gaps| self.is_pooled && !gaps.is_empty()) {
            Some(of_card) => of_card.to_vec(),
            None => own.iter().map(|(_, gap)| *gap).collect(),
        }
    }

    /// The lengths of the gaps that it looks at, by their number in their call and in ascending
    /// order: first those before the first retries. Of several statuses that with the most gaps
    /// counts.
    pub(super) fn lengths(&self, cases: &[Case<'_>]) -> Vec<Vec<Duration>> {
        let mut by_status: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for gap in self.all(cases, &self.own(cases)) {
            let Place { number, status, .. } = gap.place;
            by_status
                .entry((number, status))
                .or_default()
                .push(gap.length);
        }
        let mut by_number: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for ((number, _), lengths) in by_status {
            let most = by_number.entry(number).or_default();
            if lengths.len() > most.len() {
                *most = lengths;
            }
        }
        let lengths = by_number.into_values().map(|mut lengths| {
            lengths.sort_unstable();
            lengths
        });
        lengths.collect()
    }

    pub(super) fn judge(&self, cases: &[Case<'_>]) -> Judgement {
        let mut requests = cases.iter().flat_map(|case| &case.wire.entries);
        if !requests.any(self.failed) {
            return Judgement::not_exercised();
        }
        let own = self.own(cases);
        let all = self.all(cases, &own);
        let is_complete = cases.iter().all(|case| case.wire.dropped == 0);
        let judgement = match (self.shown)(&all) {
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
}

/// Whether there were pauses.
pub(super) fn pauses(gaps: &[Gap]) -> Shown {
    let pools = pools(gaps);
    let (at_once, others): (Vec<_>, Vec<_>) =
        pools.iter().partition(|(_, lengths)| is_at_once(lengths));
    // The first retry of a slow runtime takes longer than 10 ms.
    let is_slow_start =
        |(place, lengths): &&(Place, Vec<Duration>)| place.number == 0 && median(lengths) < PAUSE;
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
fn kept_by_pauses(gaps: &[Gap]) -> Shown {
    if gaps.len() < FEWEST {
        return Shown::CannotTell(TOO_FEW.to_owned());
    }
    if most_are_pauses(gaps) {
        return Shown::Kept;
    }
    let least = least_pause(gaps);
    let (short, all, least) = (shorter(gaps, least), gaps.len(), duration(least));
    Shown::CannotTell(unclear(
        gaps,
        &format!("{short} of {all} retries came within {least}"),
    ))
}

/// Whether more than half of the gaps are pauses, and of those after the first retry as well.
pub(super) fn most_are_pauses(gaps: &[Gap]) -> bool {
    let least = least_pause(gaps);
    let are_pauses = |gaps: &[Gap]| 2 * shorter(gaps, least) < gaps.len();
    let later = later(gaps);
    are_pauses(gaps) && (later.len() < FEWEST || are_pauses(&later))
}

/// How many gaps are shorter than this.
pub(super) fn shorter(gaps: &[Gap], limit: Duration) -> usize {
    gaps.iter().filter(|gap| gap.length < limit).count()
}

/// The gaps after the first retry.
pub(super) fn later(gaps: &[Gap]) -> Vec<Gap> {
    let later = gaps.iter().filter(|gap| gap.place.number > 0);
    later.copied().collect()
}

/// The shortest of these gaps that would be a pause.
pub(super) fn least_pause(gaps: &[Gap]) -> Duration {
    let noise = noise(gaps);
    let least = if noise < QUIET {
        PAUSE
    } else {
        PAUSE_IN_NOISE.max(2 * noise)
    };
    if later(gaps).len() < FEWEST {
        least.max(PAUSE_IN_NOISE)
    } else {
        least
    }
}

/// The reason if these gaps may be pauses or not.
pub(super) fn unclear(gaps: &[Gap], found: &str) -> String {
    let busy = busy(noise(gaps));
    format!("{found}, which may be pauses or your client's own work{busy}")
}

/// Whether the pauses differed.
pub(super) fn jitter(gaps: &[Gap]) -> Shown {
    if matches!(pauses(gaps), Shown::Broken(..)) {
        return Shown::Skipped("no pause before a retry");
    }
    let noise = noise(gaps);
    let pools = pools(gaps);
    let is_random = |(place, lengths): &(Place, Vec<Duration>)| {
        let (span, median) = (inner_span(lengths), median(lengths));
        if noise < QUIET && place.number > 0 {
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
    let is_equal = |(place, lengths): &&(Place, Vec<Duration>)| {
        let median = median(lengths);
        let least = if place.number == 0 {
            EQUAL
        } else {
            EQUAL_LATER
        };
        median >= PAUSE && span_but_one(lengths) <= least.max(median / 100)
    };
    let equal = pools.iter().find(is_equal);
    if let Some((place, lengths)) = equal.filter(|_| !pools.iter().any(differ)) {
        let (all, apart) = (lengths.len(), duration_left(span_but_one(lengths)));
        let which = match place.number {
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
pub(super) fn pools(gaps: &[Gap]) -> Vec<(Place, Vec<Duration>)> {
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

/// The largest delay of the lab's own timer within the gaps.
pub(super) fn noise(gaps: &[Gap]) -> Duration {
    let delays = gaps.iter().map(|gap| gap.delay);
    delays.max().unwrap_or_default()
}

/// The middle one of lengths in ascending order.
pub(super) fn median(lengths: &[Duration]) -> Duration {
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
pub(super) fn span_but_one(lengths: &[Duration]) -> Duration {
    match lengths {
        [first, second, .., before, last] => (*before - *first).min(*last - *second),
        _ => Duration::ZERO,
    }
}

/// The reason if there is no pool.
pub(super) fn too_few(retries: usize) -> String {
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
    format!("; the machine was busy, and a timer of the lab was {late} late: grade again")
}
