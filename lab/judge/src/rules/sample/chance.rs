//! Whether gaps may be chance: how likely a client that pauses at random has them.

use std::{ops::RangeInclusive, time::Duration};

use wire::duration_left;

use super::gap::{Gap, Measure, PAUSE, Shown, of_number};
use crate::rules::TOLERANCE;

/// The longest overhead of a client that is not taken for a pause: the first retry of a slow
/// runtime takes 5 to 13 ms.
pub(super) const SLOW: Duration = Duration::from_millis(15);

/// For how long a main thread is awake while the time of its pause runs, if the machine is not
/// busy: before the first retry, and before the others. A timer in Node.js runs from the
/// beginning of the turn that sets it.
const AWAKE: [Duration; 2] = [Duration::from_millis(10), Duration::from_millis(5)];

/// Gaps that differ by at most this are alike: timers are not more precise.
const ALIKE: Duration = Duration::from_millis(3);

/// The same for sleep, which also has the lab's delay at both of its ends.
const ALIKE_SLEEP: Duration = Duration::from_millis(7);

/// The most correct clients that may be taken for one with equal waits because of the gaps of
/// one number, by one measure. A card has enough gaps of two numbers, and of all together.
const RARE: f64 = 1.5e-7;

/// The share of gaps whose pause is not what is likely. Beside two busy programs it was 35 of 450
/// for clients in Node.js with equal pauses, and another length fitted all gaps but one.
const UNFIT: f64 = 0.08;

/// Gaps of a pool that are [`ALIKE`].
pub(super) struct Alike {
    measure: Measure,
    gaps: usize,
    of: usize,
    apart: Duration,
    longest: Duration,
}

impl Alike {
    /// The most of these gaps that are alike, if they are pauses and the measure is known of
    /// all of them.
    fn of(pool: &[Gap], measure: Measure) -> Option<Self> {
        let lengths = pool.iter().map(|gap| gap.by(measure));
        let mut lengths: Vec<_> = lengths.collect::<Option<_>>()?;
        lengths.sort_unstable();
        let apart = Self::apart(measure);
        let from_each = lengths.iter().enumerate().map(|(at, shortest)| {
            let end = lengths.partition_point(|length| *length <= *shortest + apart);
            let longest = *lengths.get(end - 1).unwrap_or(shortest);
            (*shortest, end - at, longest)
        });
        let (shortest, gaps, longest) = from_each.max_by_key(|(_, gaps, _)| *gaps)?;
        (shortest > SLOW).then(|| Self {
            measure,
            gaps,
            of: pool.len(),
            apart: longest - shortest,
            longest,
        })
    }

    /// The most of these gaps that are alike by each measure.
    pub(super) fn among(gaps: &[Gap]) -> impl IntoIterator<Item = Self> {
        let measures = [Measure::Length, Measure::Sleep].into_iter();
        measures.filter_map(|measure| Self::of(gaps, measure))
    }

    /// That they are alike, in words: `which` says of how many.
    pub(super) fn shown(self, numbers: Vec<usize>, which: &str) -> Shown {
        let (gaps, apart) = (self.gaps, duration_left(self.apart));
        Shown {
            numbers,
            measure: self.measure,
            longest: self.longest,
            found: format!("{gaps} of {which} differ by at most {apart}"),
        }
    }

    /// Whether two thirds of the gaps are alike: the waits of some clients differ by little.
    pub(super) fn is_most(&self) -> bool {
        3 * self.gaps >= 2 * self.of
    }

    /// By how much gaps that are alike may differ.
    fn apart(measure: Measure) -> Duration {
        match measure {
            Measure::Length => ALIKE,
            Measure::Sleep => ALIKE_SLEEP,
        }
    }

    /// Whether too many gaps are alike for this to be chance.
    ///
    /// The correct client that is most easily mistaken draws a part of each wait from whole
    /// milliseconds below 100, or below a fifteenth of the wait if that is more, and its timer
    /// fires [early](TOLERANCE) by up to 2 ms. Gaps that are alike are then draws from 6
    /// consecutive values, or from 10 by their sleep. From each of the gaps upwards, the number
    /// of the others that are alike has a binomial distribution. All eight of eight are alike
    /// with a probability of 8 × 0.06⁷, 2.2 in a hundred million. If the part is below 60 ms it is
    /// one in a million, and higher for a client whose waits differ by even less.
    pub(super) fn is_no_chance(&self) -> bool {
        let values = (Self::apart(self.measure) + TOLERANCE).as_millis() as f64 + 1.0;
        let wait = (self.longest - self.apart).as_millis() as f64;
        let drawn_from = (wait / 15.0).max(100.0);
        let others = tail(self.of - 1, self.gaps - 1, values / drawn_from);
        self.of as f64 * others <= RARE
    }
}

/// Whether the pauses in these gaps of one number may be of one length: it fits into more than
/// half of the gaps, and into so many by what is likely that the others may be chance.
pub(super) fn are_of_one_length(number: usize, gaps: &[Gap], noise: Duration) -> bool {
    let possible = most_fitting(gaps.iter().map(|gap| gap.pause(noise)));
    possible > gaps.len() / 2 && !differ(&[(number, gaps)])
}

/// Whether pauses of the same number differ, by what is likely: no length fits into so many
/// gaps that the others may be chance.
pub(super) fn differ(pools: &[(usize, &[Gap])]) -> bool {
    let (mut gaps, mut others) = (0, 0);
    for (number, pool) in pools {
        let fitting = most_fitting(pool.iter().map(|gap| gap.likely_pause(*number)));
        gaps += pool.len();
        others += pool.len() - fitting;
    }
    tail(gaps, others, UNFIT) <= 1e-4
}

/// The most of these pauses that may be of one length.
fn most_fitting(pauses: impl Iterator<Item = RangeInclusive<Duration>>) -> usize {
    let pauses: Vec<_> = pauses.collect();
    let fitting = |pause| pauses.iter().filter(|range| range.contains(pause)).count();
    // If any pause fits, so does the shortest one of one of these gaps.
    let counts = pauses.iter().map(|range| fitting(range.start()));
    counts.max().unwrap_or_default()
}

/// Which of several waits, counted from 0.
pub(super) fn ordinal(number: usize) -> String {
    let number = number + 1;
    let suffix = match (number % 100, number % 10) {
        (11..=13, _) => "th",
        (_, 1) => "st",
        (_, 2) => "nd",
        (_, 3) => "rd",
        _ => "th",
    };
    format!("{number}{suffix}")
}

/// Whether at most one correct client in a billion would have this many gaps below a limit.
///
/// Such a client draws each wait from whole milliseconds below 100, and its timer fires
/// [early](TOLERANCE) by up to 2 ms; the number of its short gaps has a binomial
/// distribution. If it draws below 50 ms, it is one in six million.
pub(super) fn is_no_pause(gaps: &[Gap], limit: Duration) -> bool {
    let chance = (limit + TOLERANCE).as_millis() as f64 / 100.0;
    let short = gaps.iter().filter(|gap| gap.length < limit).count();
    tail(gaps.len(), short, chance) <= 1e-9
}

/// How many gaps were work, each pool with its number, if at most one correct client in two
/// million would have so many. It needs seven gaps, and for so many the other limits are far
/// rarer.
///
/// Such a client draws each wait from whole milliseconds below 100, its timer fires
/// [early](TOLERANCE) by up to 2 ms, and its thread is [`AWAKE`] while its time runs. So the
/// chance depends on the number of the gap; with their mean, many gaps are at least as likely
/// (Hoeffding 1956, On the distribution of the number of successes in independent trials).
pub(super) fn work(pools: &[(usize, &[Gap])]) -> Option<usize> {
    let (mut gaps, mut work, mut expected) = (0, 0, 0.0);
    for (number, pool) in pools {
        let chance = (PAUSE + TOLERANCE + of_number(AWAKE, *number)).as_millis() as f64 / 100.0;
        gaps += pool.len();
        expected += pool.len() as f64 * chance;
        work += pool.iter().filter(|gap| gap.is_work(*number)).count();
    }
    let is_work = tail(gaps, work, expected / gaps.max(1) as f64) <= 5e-7;
    is_work.then_some(work)
}

/// The probability of at least this many successes; 1 if the expected number is at
/// least `successes`.
fn tail(trials: usize, successes: usize, chance: f64) -> f64 {
    if successes as f64 <= trials as f64 * chance {
        return 1.0;
    }
    // The logarithm, since a single factor may be too small for an `f64`.
    let ways =
        (1..=successes).map(|factor| ((trials - successes + factor) as f64 / factor as f64).ln());
    let failures = (trials - successes) as f64;
    let exactly = ways.sum::<f64>() + successes as f64 * chance.ln() + failures * (-chance).ln_1p();
    let (mut term, mut sum) = (exactly.exp(), 0.0);
    for number in successes..=trials {
        sum += term;
        let left = (trials - number) as f64 / (number + 1) as f64;
        term *= left * chance / (1.0 - chance);
    }
    sum
}

/// The limit for this many gaps, all of which must be shorter: at most one correct client in
/// a million is then judged not to pause.
///
/// The correct client that is most easily mistaken draws each wait from whole milliseconds below
/// 100, and its timer fires [early](TOLERANCE) by up to 2 ms. Four gaps below 1 ms
/// are then draws of 0, 1 or 2: a chance of 0.03⁴, 8.1 in ten million. Five below 4 ms are
/// draws below 6: 0.06⁵, 7.8 in ten million. Six below 5 ms are draws below 7: 0.07⁶, 1.2
/// in ten million, and more gaps are even less likely. A wait that doubles is longer.
pub(super) fn limit(gaps: usize) -> Duration {
    match gaps {
        0..=3 => Duration::ZERO,
        4 => Duration::from_millis(1),
        5 => Duration::from_millis(4),
        _ => PAUSE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::sample::ALIKE_NEEDS;

    const fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn a_wait_is_named_by_its_number() {
        let named = [0, 1, 2, 3, 10, 11, 12, 20, 21, 110].map(ordinal);

        let expected = "1st 2nd 3rd 4th 11th 12th 13th 21st 22nd 111th";
        assert_eq!(named.join(" "), expected);
    }

    #[test]
    fn the_tail_is_that_of_the_binomial_distribution() {
        for (trials, successes, chance, expected) in [
            (4, 2, 0.5, 1.0),
            (4, 4, 0.5, 0.0625),
            (4, 3, 0.5, 0.3125),
            (10, 2, 0.1, 0.263_901_070_9),
            (12_000, 11_000, 0.14, 0.0),
            (12_000, 1_000, 0.14, 1.0),
        ] {
            let tail = tail(trials, successes, chance);
            assert!((tail - expected).abs() < 1e-9, "{tail} {expected}");
        }
    }

    /// A gap that is all sleep, in milliseconds.
    fn slept(millis: u64) -> Gap {
        Gap {
            length: ms(millis),
            idle: None,
            slept: Some(ms(millis)),
        }
    }

    /// The client of [`limit`], which draws whole milliseconds and may be early.
    #[test]
    fn at_most_one_correct_client_in_a_million_breaks_a_rule() {
        // Eight short gaps show nothing by their sleep.
        for (measure, wait, least, share) in [
            (Measure::Length, 100, ALIKE_NEEDS, 0.06),
            (Measure::Sleep, 100, ALIKE_NEEDS + 1, 0.1),
            (Measure::Length, 3_000, ALIKE_NEEDS, 0.03),
            (Measure::Sleep, 3_000, ALIKE_NEEDS, 0.05),
        ] {
            for number in least..=40 {
                let judged = |alike: usize| {
                    let others = (0..).map(|place| slept(4_000 + 50 * place));
                    let alike = (0..alike).map(|_| slept(wait));
                    let pool: Vec<_> = alike.chain(others).take(number).collect();
                    Alike::of(&pool, measure).is_some_and(|found| found.is_no_chance())
                };
                let Some(needed) = (1..=number).find(|alike| judged(*alike)) else {
                    panic!("{number} gaps show nothing");
                };
                // Any of the gaps may be the shortest of those that are alike.
                let chance = number as f64 * tail(number - 1, needed - 1, share);
                assert!(chance <= RARE, "{needed} of {number} gaps: {chance}");
            }
        }
        for number in 1..=100 {
            let limit = limit(number);
            let draws = if limit.is_zero() {
                0
            } else {
                (limit + TOLERANCE).as_millis()
            };
            let chance = (draws as f64 / 100.0).powi(number as i32);
            // Of the many shares of short gaps, each has a chance of one in a billion, and
            // the work one of one in two million. It needs so many gaps.
            let of_work = if number < 7 { 0.0 } else { 5e-7 };
            assert!(
                chance + 20.0 * 1e-9 + of_work <= 1e-6,
                "{number} gaps: {chance}"
            );
        }
    }

    /// The client whose thread is awake for 10 ms of its first pause, and 5 ms of the others.
    #[test]
    fn at_most_one_correct_client_in_two_million_has_so_much_work() {
        for (number, chance) in [(0, 0.17), (1, 0.12)] {
            let work_of = |gaps: usize, awake: usize| {
                let others = (awake..gaps).map(|_| slept(50));
                let pool = (0..awake).map(|_| slept(1)).chain(others);
                work(&[(number, &pool.collect::<Vec<_>>())])
            };
            for gaps in 1..=40 {
                let needed = (1..=gaps).find(|awake| work_of(gaps, *awake).is_some());
                let chance = needed.map_or(0.0, |needed| tail(gaps, needed, chance));
                assert!(chance <= 5e-7, "{needed:?} of {gaps} gaps: {chance}");
                assert!(needed.is_some() || gaps < 10, "{gaps} gaps show nothing");
            }
            assert_eq!(work_of(6, 6), None);
        }
    }
}
