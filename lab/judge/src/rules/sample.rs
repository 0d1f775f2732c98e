//! A sample of the gaps between failures and the requests that repeat them: were they
//! pauses, and did they differ?
//!
//! A machine may be slow at any moment, and the first retry of a slow runtime takes longer
//! than the others. So gaps are pooled by their number in the call, and a verdict needs a
//! difference that is larger than the noise that was measured. A single gap proves nothing.

use std::time::Duration;

use wire::{WireRequest, duration_left};

use super::TOLERANCE;
use crate::ties::Ties;

/// The gaps of several cases by their number in the case, and what is known of the noise
/// in them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Sample {
    /// The first gap of each case, then the second of each, and so on.
    pub(super) pools: Vec<Vec<Duration>>,
    /// By how much events that ought to be equal differed: the starts of the client's
    /// processes, and the lab's own timers.
    pub(super) noise: Duration,
    /// How many processes showed it.
    pub(super) starts: usize,
    /// The time that the client takes from a response to its next request without a pause:
    /// for its first one, and for the others.
    pub(super) overhead: [Duration; 2],
    /// Whether these are the gaps of all cases that are judged by them.
    pub(super) is_pooled: bool,
}

/// What a sample shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Shown {
    Nothing,
    Kept,
    /// The numbers of the gaps that show it, from 0, the longest that may count, and what
    /// was found.
    Broken(Vec<usize>, Duration, String),
    Skipped(&'static str),
    CannotTell(String),
}

/// A shorter gap is not a pause.
const PAUSE: Duration = Duration::from_millis(5);

/// The longest overhead of a client that is not taken for a pause: the first retry of a slow
/// runtime takes 5 to 13 ms.
const SLOW: Duration = Duration::from_millis(15);

/// A gap of this length is a pause even if no noise was measured. On two cores, an
/// interpreter that retried immediately took up to 48 ms for its first retry while a second
/// one and four busy programs were running, and up to 30 ms without these programs.
const SURE: Duration = Duration::from_millis(40);

/// Gaps that differ by at most this are alike: timers are not more precise.
const ALIKE: Duration = Duration::from_millis(3);

/// A machine without measurable noise makes equal waits differ by up to this.
const BLURRED: Duration = Duration::from_millis(20);

/// The number of gaps of one number that a verdict about their differences needs.
///
/// The correct client that is most easily mistaken draws each wait from whole milliseconds
/// below 100, and its timer fires [early](TOLERANCE) by up to 2 ms. Gaps that are alike are
/// then draws from 6 consecutive values, so that all eight are alike with a probability of
/// 8 × 0.06⁷, 2.2 in a hundred million. For waits below 60 ms it is one in a million, and
/// higher for a client whose waits differ by even less.
pub(super) const ALIKE_NEEDS: usize = 8;

/// Each repetition of a failed request, and the gap before it.
pub(super) fn of<'a>(
    ties: &Ties<'a>,
    failed: impl Fn(&WireRequest) -> bool,
) -> impl Iterator<Item = (&'a WireRequest, Duration)> {
    let retries = ties.repetitions().filter(move |(first, _)| failed(first));
    retries.filter_map(|(first, next)| Some((next, next.arrived.checked_sub(first.head?)?)))
}

impl Sample {
    pub(super) const EMPTY: Self = Self {
        pools: Vec::new(),
        noise: Duration::ZERO,
        starts: 0,
        overhead: [Duration::ZERO; 2],
        is_pooled: false,
    };

    /// Adds the gaps of a case.
    pub(super) fn add(&mut self, gaps: impl Iterator<Item = Duration>) {
        for (number, gap) in gaps.enumerate() {
            if self.pools.len() == number {
                self.pools.push(Vec::new());
            }
            if let Some(pool) = self.pools.get_mut(number) {
                pool.push(gap);
            }
        }
    }

    /// Whether there were pauses: broken if gaps are too short and too many for this to be
    /// chance; kept if most of them, and more than one, are certainly pauses.
    pub(super) fn has_pauses(&self) -> Shown {
        let all = self.pools.concat();
        let number = all.len();
        let Some(longest) = all.iter().max() else {
            return Shown::Nothing;
        };
        let sure = all.iter().filter(|gap| **gap >= self.sure()).count();
        let numbers = |at_once: &dyn Fn(usize) -> bool| {
            (0..self.pools.len())
                .filter(|it| at_once(*it))
                .collect::<Vec<_>>()
        };
        let (at_once, limit, found) = if *longest < limit(number) {
            let found = format!("{number} retries, each within {}", duration_left(*longest));
            (numbers(&|_| true), *longest, found)
        } else if is_no_pause(&all, PAUSE) {
            let short = all.iter().filter(|gap| **gap < PAUSE).count();
            let found = format!(
                "{short} of {number} retries within {}",
                duration_left(PAUSE)
            );
            (numbers(&|_| true), PAUSE, found)
        } else {
            let at_once = numbers(&|number| self.is_at_once(number));
            let gaps = at_once.iter().filter_map(|number| self.pools.get(*number));
            let gaps: Vec<_> = gaps.flatten().filter(|gap| **gap <= SLOW).collect();
            let longest = gaps.iter().max().copied().copied().unwrap_or_default();
            let (short, within) = (gaps.len(), duration_left(longest));
            (
                at_once,
                longest,
                format!("{short} of {number} retries within {within}"),
            )
        };
        let others = self.pools.iter().enumerate();
        let others = others.filter(|(number, _)| !at_once.contains(number));
        let others: Vec<_> = others.flat_map(|(_, pool)| pool).collect();
        let maybe = others.iter().filter(|gap| ***gap > SLOW).count();
        if !at_once.is_empty() && maybe <= others.len() / 2 {
            Shown::Broken(at_once, limit, found)
        } else if !at_once.is_empty() {
            self.unclear("some retries came at once, and others perhaps after a pause")
        } else if sure > 1 && sure > number / 2 {
            Shown::Kept
        } else if *longest < SURE {
            self.unclear("the gaps were short, possibly by chance")
        } else {
            self.unclear("too few of the gaps were certainly pauses")
        }
    }

    /// Whether the pauses differed: the first retries that had a pause, and of which there
    /// are enough, decide.
    pub(super) fn has_jitter(&self) -> Shown {
        let mut why = None;
        let Some(longest) = self.pools.iter().flatten().max() else {
            return Shown::Nothing;
        };
        if *longest < PAUSE {
            return Shown::Skipped("no pause before a retry");
        }
        for (number, pool) in self.pools.iter().enumerate() {
            let mut gaps = pool.clone();
            gaps.sort_unstable();
            let (Some(shortest), Some(longest)) = (gaps.first(), gaps.last()) else {
                continue;
            };
            if gaps.len() < ALIKE_NEEDS || self.is_at_once(number) {
                continue;
            }
            let apart = *longest - *shortest;
            if apart <= ALIKE && *shortest > SLOW {
                let cases = gaps.len();
                let apart = duration_left(apart);
                let found = format!(
                    "the {} waits of {cases} cases differ by at most {apart}",
                    ordinal(number)
                );
                return Shown::Broken(vec![number], *longest, found);
            }
            let width = BLURRED.max(self.beyond_noise());
            let alike = gaps
                .iter()
                .enumerate()
                .map(|(at, gap)| gaps.partition_point(|other| *other <= *gap + width) - at);
            let pauses = gaps.iter().filter(|gap| **gap >= self.sure()).count();
            if alike.max().unwrap_or_default() > gaps.len() / 2 {
                why = Some("here the waits cannot be told from waits of one length");
            } else if pauses <= gaps.len() / 2 {
                why = Some("too few of the retries came after a pause");
            } else {
                return Shown::Kept;
            }
        }
        match why {
            Some(why) => self.unclear(why),
            None => Shown::CannotTell(self.too_few()),
        }
    }

    /// Why no pool is large enough to show whether waits differ.
    fn too_few(&self) -> String {
        let paused = self.pools.iter().enumerate();
        let paused = paused.filter(|(number, _)| !self.is_at_once(*number));
        let most = paused.map(|(_, pool)| pool.len()).max().unwrap_or_default();
        format!("{ALIKE_NEEDS} cases with a pause before a retry are needed, and there were {most}")
    }

    /// The shortest gap that is certainly a pause: longer than the client's own overhead, by
    /// more than the noise.
    fn sure(&self) -> Duration {
        let [first, later] = self.overhead;
        SURE.max(first.max(later) + self.beyond_noise())
    }

    /// The least difference that is no noise. A few processes may by chance start more evenly
    /// than the machine is: eight differ by less than a sixth of its range in one of forty
    /// thousand samples, twelve by less than a third in one of twenty thousand.
    fn beyond_noise(&self) -> Duration {
        self.noise
            * match self.starts {
                0 | 12.. => 3,
                8.. => 6,
                _ => 12,
            }
    }

    /// Whether the retries of this number came without a pause.
    fn is_at_once(&self, number: usize) -> bool {
        let [first, later] = self.overhead;
        let overhead = if number == 0 { first } else { later };
        let pool = self.pools.get(number);
        pool.is_some_and(|gaps| is_no_pause(gaps, PAUSE.max(overhead.min(SLOW))))
    }

    fn unclear(&self, why: &str) -> Shown {
        Shown::CannotTell(match self.noise.is_zero() {
            true => why.to_owned(),
            false => format!(
                "{why}: delays of this machine differed by {}. A calmer machine may tell",
                duration_left(self.noise)
            ),
        })
    }
}

/// Which of several waits.
fn ordinal(number: usize) -> String {
    match number {
        0 => "first".to_owned(),
        1 => "second".to_owned(),
        _ => format!("{}th", number + 1),
    }
}

/// Whether at most one correct client in a billion would have this many gaps below a limit.
///
/// Such a client draws each wait from whole milliseconds below 100, and its timer fires
/// [early](TOLERANCE) by up to 2 ms; the number of its short gaps has a binomial
/// distribution. If it draws below 50 ms, it is one in six million.
fn is_no_pause(gaps: &[Duration], limit: Duration) -> bool {
    let chance = (limit + TOLERANCE).as_millis() as f64 / 100.0;
    let short = gaps.iter().filter(|gap| **gap < limit).count();
    tail(gaps.len(), short, chance) <= 1e-9
}

/// The probability of at least this many successes; 1 if the expected number is at
/// least `successes`.
fn tail(trials: usize, successes: usize, chance: f64) -> f64 {
    if successes as f64 <= trials as f64 * chance {
        return 1.0;
    }
    // The logarithm, since a single factor may be too small for an `f64`.
    let ways = (1..=successes).map(|it| ((trials - successes + it) as f64 / it as f64).ln());
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
/// 100, and its timer fires [early](super::TOLERANCE) by up to 2 ms. Four gaps below 1 ms
/// are then draws of 0, 1 or 2: a chance of 0.03⁴, 8.1 in ten million. Five below 4 ms are
/// draws below 6: 0.06⁵, 7.8 in ten million. Six below 5 ms are draws below 7: 0.07⁶, 1.2
/// in ten million, and more gaps are even less likely. A wait that doubles is longer.
fn limit(gaps: usize) -> Duration {
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

    const fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    fn sample(pools: &[&[u64]], noise: u64, overhead: [u64; 2]) -> Sample {
        Sample {
            pools: pools
                .iter()
                .map(|pool| pool.iter().map(|it| ms(*it)).collect())
                .collect(),
            noise: ms(noise),
            starts: 12,
            overhead: overhead.map(ms),
            is_pooled: true,
        }
    }

    /// `short` gaps of this length, and then `long` pauses.
    fn gaps(short: usize, millis: u64, long: usize) -> Sample {
        sample(
            &[&[vec![millis; short], vec![70; long]].concat()],
            0,
            [0; 2],
        )
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

    /// What a sample shows, in a word.
    fn word(shown: &Shown) -> &'static str {
        match shown {
            Shown::Nothing | Shown::Skipped(_) => "skipped",
            Shown::Kept => "kept",
            Shown::Broken(..) => "broken",
            Shown::CannotTell(_) => "cannot tell",
        }
    }

    #[test]
    fn a_client_that_retries_at_once_is_found_despite_some_delayed_requests() {
        for (short, millis, long, shown) in [
            (11, 2, 2, "broken"),
            (7, 2, 6, "cannot tell"),
            (7, 2, 1, "cannot tell"),
            (8, 2, 0, "broken"),
            (11, 5, 2, "cannot tell"),
            (60, 10, 8, "cannot tell"),
            (4, 2, 9, "kept"),
        ] {
            let pauses = gaps(short, millis, long).has_pauses();

            assert_eq!(
                word(&pauses),
                shown,
                "{short} of {millis} ms, {long}: {pauses:?}"
            );
        }
    }

    #[test]
    fn gaps_are_pooled_by_their_number_and_compared_with_the_clients_overhead() {
        let slow = &[5, 9, 13, 12, 6, 7, 8, 10, 11, 5, 6, 7];
        let quick = &[1; 9];
        let wide = &[20, 60, 100, 130, 150, 40, 80, 170, 190];
        let waits = &[200, 205, 209, 213, 201, 206, 211, 207, 208];
        let even = &[400; 9];
        for (pools, overhead, pauses, jitter) in [
            // A slow runtime retries at once, as the second retries show.
            (&[&slow[..], quick][..], [0, 0], "broken", "cannot tell"),
            // As long as its way from page to page.
            (&[slow], [14, 1], "broken", "cannot tell"),
            (&[slow], [4, 1], "cannot tell", "cannot tell"),
            // It retries once at once, and then at random.
            (&[quick, wide], [0, 0], "cannot tell", "kept"),
            // Only the second waits are without the noise of the start.
            (&[waits, even], [0, 0], "kept", "broken"),
            (&[waits], [0, 0], "kept", "cannot tell"),
        ] {
            let sample = sample(pools, 0, overhead);
            let shown = (sample.has_pauses(), sample.has_jitter());

            assert_eq!(
                (word(&shown.0), word(&shown.1)),
                (pauses, jitter),
                "{pools:?} {shown:?}"
            );
        }
    }

    #[test]
    fn an_inconclusive_sample_says_why_and_how_large_the_noise_is() {
        let chance = "the gaps were short, possibly by chance";
        let unsure = "too few of the gaps were certainly pauses";
        for (short, long, noise, why) in [
            (2, 0, 0, chance.to_owned()),
            (3, 2, 0, unsure.to_owned()),
            (0, 8, 20, unsure.to_owned()),
            (
                0,
                8,
                90,
                format!(
                    "{unsure}: delays of this machine differed by 90 ms. A calmer machine may tell"
                ),
            ),
        ] {
            let mut gaps = gaps(short, 2, long);
            gaps.noise = ms(noise);
            let expected = match noise {
                20 => Shown::Kept,
                _ => Shown::CannotTell(why),
            };

            assert_eq!(gaps.has_pauses(), expected, "{short}, {long}, {noise}");
        }
    }

    /// The client of [`limit`], which draws whole milliseconds and may be early.
    #[test]
    fn at_most_one_correct_client_in_a_million_breaks_a_rule() {
        for below in [60.0, 100.0, 200.0] {
            let alike = (ALIKE + TOLERANCE).as_millis() as f64 + 1.0;
            let needed = ALIKE_NEEDS as f64;
            let chance = needed * (alike / below).powf(needed - 1.0);
            assert!(chance <= 1e-6, "waits below {below} ms: {chance}");
        }
        for number in 1..=100 {
            let limit = limit(number);
            let draws = match limit.is_zero() {
                true => 0,
                false => (limit + TOLERANCE).as_millis(),
            };
            let chance = (draws as f64 / 100.0).powi(number as i32);
            // Of the many shares of short gaps, each has a chance of one in a billion.
            assert!(chance + 20.0 * 1e-9 <= 1e-6, "{number} gaps: {chance}");
        }
    }

    /// A client: its wait before the retry of this number, in milliseconds, drawn with a
    /// number from 0 to 1 and its wait before.
    type Waits = fn(usize, f64, f64) -> f64;

    /// A machine: its delay of a process's start, of its first gap, and of its later gaps.
    type Delays = [std::ops::Range<f64>; 3];

    /// Whether the waits of the client differ; none if it does not wait.
    const CLIENTS: [(&str, Waits, Option<bool>); 7] = [
        ("at once", |_, _, _| 0.0, None),
        ("fixed", |_, _, _| 200.0, Some(false)),
        ("jitter below 100", |_, at, _| at * 100.0, Some(true)),
        ("jitter below 200", |_, at, _| at * 200.0, Some(true)),
        ("doubling", |number, _, _| doubled(number), Some(false)),
        ("doubling jitter", |n, at, _| at * doubled(n), Some(true)),
        ("decorrelated", decorrelated, Some(true)),
    ];

    fn doubled(number: usize) -> f64 {
        100.0 * f64::from(1 << number)
    }

    fn decorrelated(_: usize, at: f64, before: f64) -> f64 {
        50.0 + at * (before.max(50.0) * 3.0 - 50.0)
    }

    /// The retries in each case of `flaky` and of `down`.
    const RETRIES: [usize; 12] = [1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3];

    /// Each with the number of cases, and the share of clients that it must let be judged.
    fn machines() -> [(&'static str, Delays, usize, f64); 4] {
        let busy = || [30.0..290.0, 30.0..290.0, 30.0..290.0];
        [
            ("quiet", [0.0..1.0, 0.1..1.0, 0.1..1.0], 12, 0.8),
            ("slow runtime", [5.0..13.0, 5.0..13.0, 0.1..1.0], 12, 0.8),
            ("busy", busy(), 12, 0.0),
            ("busy, without down", busy(), 8, 0.0),
        ]
    }

    /// The gaps of the first cases, and the spread of their starts.
    fn drawn(waits: Waits, delays: &Delays, cases: usize, mut draw: impl FnMut() -> f64) -> Sample {
        let mut sample = Sample::EMPTY;
        let (mut earliest, mut latest) = (f64::MAX, 0.0_f64);
        for retries in RETRIES.into_iter().take(cases) {
            let mut within =
                |range: &std::ops::Range<f64>| range.start + draw() * (range.end - range.start);
            let start = within(&delays[0]);
            (earliest, latest) = (earliest.min(start), latest.max(start));
            let mut before = 0.0;
            let gaps: Vec<_> = (0..retries)
                .map(|number| {
                    before = waits(number, within(&(0.0..1.0)), before);
                    let delay = within(&delays[1 + usize::from(number > 0)]);
                    Duration::from_secs_f64((before + delay) / 1e3)
                })
                .collect();
            sample.add(gaps.into_iter());
        }
        sample.noise = Duration::from_secs_f64((latest - earliest) / 1e3);
        sample.starts = cases;
        sample
    }

    #[test]
    fn no_client_is_judged_wrongly_on_any_machine_and_most_are_judged_on_a_quiet_one() {
        const DRAWS: u32 = 10_000;
        for (machine, delays, cases, share) in machines() {
            for (client, waits, differs) in CLIENTS {
                // SplitMix64.
                let mut state = 7_u64;
                let mut draw = || {
                    state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
                    let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
                    ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
                };
                let mut right = [0; 2];
                for _ in 0..DRAWS {
                    let sample = drawn(waits, &delays, cases, &mut draw);
                    let (has_pauses, has_jitter) = (sample.has_pauses(), sample.has_jitter());
                    let words = [
                        (&has_pauses, Some(differs.is_some())),
                        (&has_jitter, differs),
                    ];
                    for (right, (shown, truth)) in right.iter_mut().zip(words) {
                        let told = match shown {
                            Shown::Kept => Some(true),
                            Shown::Broken(..) => Some(false),
                            _ => None,
                        };
                        let is_wrong = told.is_some() && told != truth;
                        assert!(!is_wrong, "{machine}, {client}: {shown:?} of {sample:?}");
                        *right += u32::from(told.is_some());
                    }
                }
                let needed = (f64::from(DRAWS) * share) as u32;
                let needed = [needed, differs.map_or(0, |_| needed)];
                let enough = right[0] >= needed[0] && right[1] >= needed[1];
                assert!(enough, "{machine}, {client}: {right:?}");
            }
        }
    }
}
