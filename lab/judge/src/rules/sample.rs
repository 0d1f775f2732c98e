//! A sample of the gaps between failures and the requests that repeat them: were they
//! pauses, and did they differ?
//!
//! A gap is a pause, the client's own work, and time that it spent waiting for a processor
//! or for the lab. Two things are known of it: its length by the wall clock, and on Linux
//! how long the client was *idle*: no thread of its processes ran or waited for a processor
//! (`schedstat`). So the pause is at most the gap, and hardly shorter than
//! the idle time.
//!
//! **Kept** needs idle time. While up to four busy programs shared two cores, a client in
//! Node.js that retried at once had gaps of up to 67 ms, and was idle for at most 11 ms of
//! them (`LATE`: the lab came late itself). One that paused for 50 ms was idle for 33 to
//! 58 ms. More than half of the gaps must show a pause ([`SURE_IDLE`]); no pause of one
//! length may fit into most of the gaps of one number (`are_of_one_length`).
//!
//! **Broken** rests on the longest that a pause can be. That is the gap by the wall clock: threads
//! in the background are busy, too, and shorten the idle time of a client that pauses. If the
//! *main thread* slept before the gap, while the client waited for the response, it is also
//! the time for which this thread slept in the gap, whatever others did: for 1 to 9 ms in the
//! gaps of up to 85 ms of that client in Node.js which retried at once, and for 40 to 55 ms if it
//! paused for 50. A main thread may work, or wait for a processor, while the time of its
//! pause runs (`AWAKE`). One that pauses in a busy loop does not sleep at all, so a gap counts
//! only if a runtime may need it for the work of a retry (`WORKS`).
//!
//! A machine may be slow at any moment, and the first retry of a slow runtime takes longer than
//! the others. So gaps are pooled by their number in the call. At most one correct client in
//! a million is judged to retry at once or after equal pauses ([`chance`]): one whose waits have a
//! part that is drawn from whole milliseconds below 100, or below a fifteenth of the wait if that
//! is more. The tests play a thousand cards of each of eleven clients on each of seven machines,
//! and none of them is judged wrongly.
//!
//! Where idle time is not measured, the noise takes its place: the spread of the starts of
//! the client's processes and the delay of the lab's own timers. It says little about gaps
//! inside of a process, so that most cards can then tell nothing. A single gap proves
//! nothing anywhere.

mod chance;
mod gap;

use std::time::Duration;

use wire::duration_left;

use self::chance::{Alike, SLOW, are_of_one_length, differ, is_no_pause, limit, ordinal, work};
pub(super) use self::gap::{Gap, of};
use self::gap::{Measure, PAUSE, Shown, of_number};
use super::Remedy;

/// The gaps of several cases, and what is known of the noise in them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Sample {
    /// The gaps of each case, in order.
    pub(super) cases: Vec<Vec<Gap>>,
    /// By how much events that ought to be equal differed: the starts of the client's
    /// processes, and the lab's own timers.
    pub(super) noise: Duration,
    /// How many processes showed it.
    pub(super) starts: usize,
    /// The time that the client takes from a response to its next request without a pause:
    /// for its first one, and for the others.
    pub(super) overhead: [Duration; 2],
    /// Whether these are the gaps of all cases of the card that are judged together.
    pub(super) is_pooled: bool,
    /// How many cases are judged together on a card that has all of their tasks; zero if no
    /// other case can be added to these.
    pub(super) largest: usize,
}

/// The evidence of a sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SampleEvidence {
    Nothing,
    Kept,
    Broken(Shown),
    Skipped(&'static str),
    /// The reason, and how to run the client again so that a sample may show it.
    CannotTell(String, Option<Remedy>),
}

/// A client that is idle for this long pauses.
const SURE_IDLE: Duration = Duration::from_millis(25);

/// Without its idle time, a gap of this length is a pause even if no noise was measured. On
/// two cores, an interpreter that retried immediately took up to 48 ms for its first retry
/// while a second one and four busy programs were running, and up to 30 ms without these
/// programs.
const SURE: Duration = Duration::from_millis(40);

/// The number of gaps of one number that a verdict about their differences needs.
pub(super) const ALIKE_NEEDS: usize = 8;

impl Sample {
    pub(super) const EMPTY: Self = Self {
        cases: Vec::new(),
        noise: Duration::ZERO,
        starts: 0,
        overhead: [Duration::ZERO; 2],
        is_pooled: false,
        largest: 0,
    };

    /// The first gap of each case, then the second of each, and so on.
    pub(super) fn pools(&self) -> Vec<Vec<Gap>> {
        let most = self.cases.iter().map(Vec::len).max().unwrap_or_default();
        let pool = |number: usize| {
            let gaps = self.cases.iter().filter_map(|case| case.get(number));
            gaps.copied().collect()
        };
        (0..most).map(pool).collect()
    }

    /// Whether there were pauses, and otherwise how to find out.
    pub(super) fn has_pauses(&self) -> SampleEvidence {
        self.judged_by(Self::pauses)
    }

    /// The same where the header allows to retry at once: nobody needs to find out about a client
    /// that surely paused before none of its retries.
    pub(super) fn has_chosen_pauses(&self) -> SampleEvidence {
        let evidence = self.has_pauses();
        let sure = self.surely_paused(&self.cases.concat(), self.beyond_noise());
        match evidence {
            SampleEvidence::CannotTell(..) if sure == 0 => {
                SampleEvidence::Skipped("no retry surely came after a pause")
            }
            evidence => evidence,
        }
    }

    /// Whether the pauses differed, and otherwise how to find out.
    pub(super) fn has_jitter(&self) -> SampleEvidence {
        self.judged_by(Self::jitter)
    }

    /// Broken if gaps are too short and too many for this to be chance; kept if most of them,
    /// and more than one, are certainly pauses.
    fn pauses(&self) -> SampleEvidence {
        let pools = self.pools();
        let pools = numbered(&pools);
        let all: Vec<_> = self.cases.concat();
        let number = all.len();
        let Some(longest) = all.iter().map(|gap| gap.length).max() else {
            return SampleEvidence::Nothing;
        };
        let shown = self.at_once(&pools, &all, longest);
        let others = pools.iter();
        let others = others.filter(|(number, _)| !shown.numbers.contains(number));
        let others: Vec<_> = others.flat_map(|(_, pool)| *pool).collect();
        let maybe = others.iter().filter(|gap| gap.length > SLOW).count();
        if !shown.numbers.is_empty() {
            if maybe <= others.len() / 2 {
                return SampleEvidence::Broken(shown);
            }
            let why = "some retries came at once, and others perhaps after a pause";
            return SampleEvidence::CannotTell(why.to_owned(), None);
        }
        let sure = self.surely_paused(&all, self.beyond_noise());
        let needed = (number / 2 + 1).max(2);
        if sure >= needed {
            return SampleEvidence::Kept;
        }
        let why = format!(
            "{sure} of {number} retries surely came after a pause, and {needed} would show that the client waits"
        );
        SampleEvidence::CannotTell(why, None)
    }

    /// What shows that retries came without a pause: those of every number, or those of some.
    fn at_once(&self, pools: &[(usize, &[Gap])], all: &[Gap], longest: Duration) -> Shown {
        let number = all.len();
        let of_every_number = |measure, longest, found| Shown {
            numbers: pools.iter().map(|(number, _)| *number).collect(),
            measure,
            longest,
            found,
        };
        let limit_in_words = duration_left(PAUSE);
        if longest < limit(number) {
            let found = format!("{number} retries, each within {}", duration_left(longest));
            return of_every_number(Measure::Length, longest, found);
        }
        if is_no_pause(all, PAUSE) {
            let short = all.iter().filter(|gap| gap.length < PAUSE).count();
            let found = format!("{short} of {number} retries within {limit_in_words}");
            return of_every_number(Measure::Length, PAUSE, found);
        }
        if let Some(work) = work(pools) {
            let found = format!(
                "{work} of {number} retries as soon as the client could: it slept for less than \
                 {limit_in_words} before each"
            );
            return of_every_number(Measure::Sleep, PAUSE, found);
        }
        let at_once = pools.iter();
        let at_once = at_once.filter(|(number, pool)| self.is_at_once(*number, pool));
        let at_once: Vec<_> = at_once.collect();
        let short = at_once.iter().flat_map(|(number, pool)| {
            let is_short = |gap: &&Gap| gap.length <= SLOW || gap.is_work(*number);
            pool.iter().filter(is_short).map(|gap| gap.length)
        });
        let short: Vec<_> = short.collect();
        let longest = short.iter().max().copied().unwrap_or_default();
        let (count, within) = (short.len(), duration_left(longest));
        Shown {
            numbers: at_once.iter().map(|(number, _)| *number).collect(),
            measure: Measure::Length,
            longest,
            found: format!("{count} of {number} retries within {within}"),
        }
    }

    /// Broken if most waits are alike, whatever their number, or too many of one number: a wait
    /// may double. Kept by the first number of which there are enough, or by all together.
    fn jitter(&self) -> SampleEvidence {
        let mut why = None;
        let Some(longest) = self.cases.iter().flatten().map(|gap| gap.length).max() else {
            return SampleEvidence::Nothing;
        };
        let pools = self.pools();
        let pools = numbered(&pools);
        if longest < PAUSE || work(&pools).is_some() {
            return SampleEvidence::Skipped("no pause before a retry");
        }
        let paused: Vec<_> = pools
            .into_iter()
            .filter(|(number, pool)| !self.is_at_once(*number, pool))
            .collect();
        let all: Vec<_> = paused.iter().flat_map(|(_, pool)| *pool).copied().collect();
        let is_equal = |alike: &Alike| paused.len() > 1 && alike.is_most() && alike.is_no_chance();
        if let Some(alike) = Alike::among(&all).into_iter().find(is_equal) {
            let numbers = paused.iter().map(|(number, _)| *number).collect();
            let which = format!("{} waits", all.len());
            return SampleEvidence::Broken(alike.shown(numbers, &which));
        }
        let noise = self.beyond_noise();
        let enough = paused.iter().filter(|(_, pool)| pool.len() >= ALIKE_NEEDS);
        for &(number, pool) in enough {
            let alike = Alike::among(pool);
            if let Some(alike) = alike.into_iter().find(Alike::is_no_chance) {
                let which = format!("{} {} waits", pool.len(), ordinal(number));
                return SampleEvidence::Broken(alike.shown(vec![number], &which));
            }
            let pauses = self.surely_paused(pool, noise);
            if are_of_one_length(number, pool, noise) {
                why = Some("the waits may all be of one length");
            } else if pauses <= pool.len() / 2 {
                why = Some("too few of the retries came after a pause");
            } else {
                return SampleEvidence::Kept;
            }
        }
        let is_measured = all.iter().all(|gap| gap.idle.is_some());
        if is_measured && differ(&paused) && self.surely_paused(&all, noise) > all.len() / 2 {
            return SampleEvidence::Kept;
        }
        let why = why.map_or_else(|| too_few(&paused), str::to_owned);
        SampleEvidence::CannotTell(why, None)
    }

    /// How many of these gaps are certainly pauses. Where idle time is not known, one is that
    /// exceeds the client's own overhead by more than the noise.
    fn surely_paused(&self, gaps: &[Gap], noise: Duration) -> usize {
        let [first, later] = self.overhead;
        let sure = SURE.max(first.max(later) + noise);
        let sure = gaps.iter().filter(|gap| match gap.idle {
            Some(idle) => idle >= SURE_IDLE,
            None => gap.length >= sure,
        });
        sure.count()
    }

    /// The smallest difference that noise does not explain. A few processes may by chance
    /// start more evenly than the machine is: eight differ by less than a sixth of its range
    /// in one of forty thousand samples, twelve by less than a third in one of twenty
    /// thousand.
    fn beyond_noise(&self) -> Duration {
        self.noise
            * match self.starts {
                0 | 12.. => 3,
                8.. => 6,
                _ => 12,
            }
    }

    /// Whether the retries of this number, after these gaps, came without a pause.
    fn is_at_once(&self, number: usize, pool: &[Gap]) -> bool {
        let overhead = of_number(self.overhead, number);
        let is_work = work(&[(number, pool)]).is_some();
        is_no_pause(pool, PAUSE.max(overhead.min(SLOW))) || is_work
    }

    /// The evidence of this sample; if it shows nothing, that of a quiet machine or of more
    /// cases says whether either could show it.
    fn judged_by(&self, judge: fn(&Self) -> SampleEvidence) -> SampleEvidence {
        let evidence = judge(self);
        let SampleEvidence::CannotTell(why, _) = evidence else {
            return evidence;
        };
        let tells = |sample: &Self| !matches!(judge(sample), SampleEvidence::CannotTell(..));
        let quiet = [Self::of_shortest_gaps, Self::of_longest_pauses];
        let remedy = if quiet.iter().any(|quiet| tells(&quiet(self))) {
            Some(Remedy::QuietMachine)
        } else if tells(&self.of_more_cases()) {
            Some(Remedy::MoreCases)
        } else if quiet
            .iter()
            .any(|quiet| tells(&quiet(self).of_more_cases()))
        {
            Some(Remedy::MoreCasesOnQuietMachine)
        } else {
            None
        };
        let why = match remedy {
            Some(Remedy::QuietMachine | Remedy::MoreCasesOnQuietMachine) => {
                let delay = duration_left(self.longest_delay());
                format!("{why}; work or delays of up to {delay} may hide more")
            }
            _ => why,
        };
        SampleEvidence::CannotTell(why, remedy)
    }

    /// The longest work of the client, or delay of the machine, that may hide the length of a
    /// pause.
    fn longest_delay(&self) -> Duration {
        let gaps = self.cases.iter().flatten();
        let delays = gaps.map(|gap| match gap.idle {
            Some(idle) => gap.length.saturating_sub(idle),
            None => self.noise,
        });
        delays.max().unwrap_or_default()
    }

    /// This sample on a quiet machine, if all delays lengthened its gaps.
    fn of_shortest_gaps(&self) -> Self {
        self.without_noise(|gap| Gap {
            length: gap.idle.unwrap_or(gap.length),
            ..gap
        })
    }

    /// This sample on a quiet machine, if no delay lengthened its gaps: a client that pauses may
    /// be busy with other work.
    fn of_longest_pauses(&self) -> Self {
        self.without_noise(|gap| Gap {
            idle: gap.idle.map(|_| gap.length),
            ..gap
        })
    }

    fn without_noise(&self, quiet: impl Fn(Gap) -> Gap) -> Self {
        let cases = self.cases.iter();
        let cases = cases.map(|gaps| gaps.iter().map(|gap| quiet(*gap)).collect());
        Self {
            cases: cases.collect(),
            noise: Duration::ZERO,
            ..self.clone()
        }
    }

    /// This sample with all cases that are judged together, if the client does in the others
    /// as it did in these.
    fn of_more_cases(&self) -> Self {
        let number = self.largest.max(self.cases.len());
        let cases = self.cases.iter().cycle().take(number);
        Self {
            cases: cases.cloned().collect(),
            ..self.clone()
        }
    }
}

/// The gaps of each number, with the number.
fn numbered(pools: &[Vec<Gap>]) -> Vec<(usize, &[Gap])> {
    let pools = pools.iter().map(Vec::as_slice);
    pools.enumerate().collect()
}

/// Why no pool is large enough to show whether waits differ.
fn too_few(paused: &[(usize, &[Gap])]) -> String {
    let most = paused.iter().map(|(_, pool)| pool.len()).max();
    let most = most.unwrap_or_default();
    format!("{ALIKE_NEEDS} cases with a pause before a retry are needed, and there were {most}")
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use super::*;

    const fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    /// A gap of this length, of which nothing more is known.
    fn unmeasured(millis: &u64) -> Gap {
        Gap {
            length: ms(*millis),
            idle: None,
            slept: None,
        }
    }

    /// The first gaps of all cases, then their second gaps, and so on.
    fn sample(pools: &[&[u64]], noise: u64, overhead: [u64; 2]) -> Sample {
        let cases = (0..pools[0].len()).map(|case| {
            let gaps = pools.iter().map_while(|pool| pool.get(case));
            gaps.map(unmeasured).collect()
        });
        Sample {
            cases: cases.collect(),
            noise: ms(noise),
            starts: 12,
            overhead: overhead.map(ms),
            is_pooled: true,
            largest: 12,
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

    /// The evidence of a sample, in a word.
    fn word(shown: &SampleEvidence) -> &'static str {
        match shown {
            SampleEvidence::Nothing | SampleEvidence::Skipped(_) => "skipped",
            SampleEvidence::Kept => "kept",
            SampleEvidence::Broken(..) => "broken",
            SampleEvidence::CannotTell(..) => "cannot tell",
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

    /// However noisy the machine was: another run is named only if it would help.
    #[test]
    fn an_inconclusive_sample_says_how_many_pauses_it_has_and_which_run_may_tell() {
        use Remedy::{MoreCases, MoreCasesOnQuietMachine, QuietMachine};
        let delays = "work or delays of up to 90 ms may hide more";
        for (short, long, noise, counts, remedy) in [
            (
                2,
                0,
                0,
                "0 of 2 retries surely came after a pause, and 2 would show that the client waits",
                Some(MoreCases),
            ),
            (
                0,
                1,
                0,
                "1 of 1 retries surely came after a pause, and 2 would show that the client waits",
                Some(MoreCases),
            ),
            (
                3,
                2,
                0,
                "2 of 5 retries surely came after a pause, and 3 would show that the client waits",
                None,
            ),
            (
                9,
                9,
                90,
                "0 of 18 retries surely came after a pause, and 10 would show that the client waits",
                None,
            ),
            (
                6,
                2,
                90,
                "0 of 8 retries surely came after a pause, and 5 would show that the client waits",
                Some(MoreCases),
            ),
            (
                0,
                8,
                90,
                "0 of 8 retries surely came after a pause, and 5 would show that the client waits",
                Some(QuietMachine),
            ),
            (
                2,
                6,
                90,
                "0 of 8 retries surely came after a pause, and 5 would show that the client waits",
                Some(QuietMachine),
            ),
            (
                0,
                1,
                90,
                "0 of 1 retries surely came after a pause, and 2 would show that the client waits",
                Some(MoreCasesOnQuietMachine),
            ),
        ] {
            let mut gaps = gaps(short, 2, long);
            gaps.noise = ms(noise);

            let expected = match remedy {
                Some(QuietMachine | MoreCasesOnQuietMachine) => {
                    format!("{counts}; {delays}")
                }
                _ => counts.to_owned(),
            };
            assert_eq!(
                gaps.has_pauses(),
                SampleEvidence::CannotTell(expected, remedy),
                "{short}, {long}, {noise}"
            );
        }
    }

    /// Gaps and how much of each the client was idle, in milliseconds.
    fn measured(gaps: &[(u64, u64)]) -> Sample {
        let gap = |(length, idle): &(u64, u64)| Gap {
            length: ms(*length),
            idle: Some(ms(*idle)),
            slept: None,
        };
        Sample {
            cases: gaps.iter().map(|one| vec![gap(one)]).collect(),
            noise: ms(200),
            starts: 12,
            ..Sample::EMPTY
        }
    }

    #[test]
    fn a_quiet_machine_is_advised_where_the_client_was_busy_and_not_where_its_pauses_are_short() {
        let at_once = [(67, 11), (40, 3), (55, 8), (30, 1), (62, 9), (20, 2)];
        let short = [(20, 20), (21, 20), (20, 19), (22, 21), (20, 20), (19, 19)];
        for (gaps, why, remedy) in [
            (
                at_once,
                "0 of 6 retries surely came after a pause, and 4 would show that the client waits; work or delays of up to 56 ms may hide more",
                Some(Remedy::QuietMachine),
            ),
            (
                short,
                "0 of 6 retries surely came after a pause, and 4 would show that the client waits",
                None,
            ),
        ] {
            let shown = measured(&gaps).has_pauses();

            assert_eq!(shown, SampleEvidence::CannotTell(why.to_owned(), remedy));
        }
    }

    #[test]
    fn idle_time_decides_where_it_is_known() {
        for (gaps, pauses, jitter) in [
            // At once, on a busy machine.
            (
                &[
                    (67, 11),
                    (40, 3),
                    (55, 8),
                    (30, 1),
                    (62, 9),
                    (20, 2),
                    (25, 0),
                    (50, 10),
                ][..],
                "cannot tell",
                "cannot tell",
            ),
            // For 50 ms, there and on a quiet machine.
            (
                &[
                    (60, 33),
                    (90, 58),
                    (71, 49),
                    (55, 50),
                    (66, 40),
                    (80, 45),
                    (59, 52),
                    (61, 47),
                ],
                "kept",
                "cannot tell",
            ),
            (
                &[
                    (51, 50),
                    (53, 50),
                    (51, 51),
                    (52, 50),
                    (51, 50),
                    (52, 51),
                    (51, 50),
                    (52, 50),
                ],
                "kept",
                "broken",
            ),
            // For a second, while its own threads are busy.
            (
                &[
                    (1010, 300),
                    (1020, 900),
                    (1030, 600),
                    (1040, 100),
                    (1012, 990),
                    (1025, 500),
                    (1035, 700),
                    (1045, 40),
                ],
                "kept",
                "cannot tell",
            ),
            // At random, on a quiet machine and on a busy one.
            (
                &[
                    (61, 60),
                    (143, 142),
                    (88, 87),
                    (102, 101),
                    (120, 119),
                    (75, 74),
                    (133, 132),
                    (52, 51),
                ],
                "kept",
                "kept",
            ),
            (
                &[
                    (91, 60),
                    (163, 142),
                    (98, 87),
                    (132, 101),
                    (140, 119),
                    (85, 74),
                    (153, 132),
                    (72, 51),
                ],
                "kept",
                "kept",
            ),
        ] {
            let sample = measured(gaps);
            let shown = (sample.has_pauses(), sample.has_jitter());

            let words = (word(&shown.0), word(&shown.1));
            assert_eq!(words, (pauses, jitter), "{gaps:?} {shown:?}");
        }
    }

    /// Gaps of one number: the length of each, and for how long the main thread slept.
    fn slept(gaps: impl IntoIterator<Item = (u64, Option<u64>)>) -> Sample {
        let gap = |(length, slept): (u64, Option<u64>)| Gap {
            length: ms(length),
            idle: Some(Duration::ZERO),
            slept: slept.map(ms),
        };
        Sample {
            cases: gaps.into_iter().map(|one| vec![gap(one)]).collect(),
            noise: ms(200),
            starts: 12,
            ..Sample::EMPTY
        }
    }

    #[test]
    fn the_sleep_of_the_main_thread_shows_that_there_was_no_pause() {
        let of_retries = |lengths: [u64; 12], slept: Option<u64>| {
            slept_for(lengths, slept.map(|slept| [slept; 12]))
        };
        fn slept_for(lengths: [u64; 12], slept: Option<[u64; 12]>) -> Sample {
            let slept = slept.map_or([None; 12], |slept| slept.map(Some));
            self::slept(lengths.into_iter().zip(slept))
        }
        let slow = [20, 25, 31, 44, 50, 27, 38, 22, 29, 41, 33, 45];
        let held_up = slow.map(|length| 3 * length);
        let mut some_held_up = slow;
        some_held_up[..2].copy_from_slice(&[90, 140]);
        let random = [8, 91, 33, 64, 75, 12, 99, 47, 58, 26, 83, 71];
        let near = [47, 53, 50, 49, 51, 52, 48, 50, 53, 47, 51, 80];
        let longer = near.map(|pause| pause + 20);
        for (sample, pauses, jitter) in [
            (of_retries(slow, Some(2)), "broken", "skipped"),
            (of_retries(slow, Some(5)), "cannot tell", "cannot tell"),
            (of_retries(slow, None), "cannot tell", "cannot tell"),
            // A busy machine.
            (of_retries(held_up, Some(2)), "cannot tell", "cannot tell"),
            (
                of_retries(some_held_up, Some(2)),
                "cannot tell",
                "cannot tell",
            ),
            // It pauses in a busy loop.
            (of_retries(random, Some(0)), "cannot tell", "cannot tell"),
            // Pauses that its work makes unequal, and pauses at random.
            (slept_for(longer, Some(near)), "cannot tell", "broken"),
            (
                slept_for(random.map(|pause| pause + 20), Some(random)),
                "cannot tell",
                "cannot tell",
            ),
        ] {
            let shown = (sample.has_pauses(), sample.has_jitter());

            let words = (word(&shown.0), word(&shown.1));
            assert_eq!(words, (pauses, jitter), "{shown:?} {sample:?}");
        }
    }

    #[test]
    fn equal_waits_of_all_numbers_are_one_sample() {
        // Each number alone has too few of them.
        let first = &[50, 49, 51, 52, 50, 48, 51, 50, 90, 95, 100, 105];
        let second = &[50, 52, 51, 49, 50, 51, 50, 110, 115];
        let found = sample(&[first, second], 0, [0; 2]).has_jitter();

        let SampleEvidence::Broken(shown) = found else {
            panic!("{found:?}");
        };
        assert_eq!(shown.found, "14 of 21 waits differ by at most 3 ms");
        assert_eq!(shown.numbers, [0, 1]);
        let doubled = sample(&[&[50; 12], &[100; 9], &[200; 4]], 0, [0; 2]).has_jitter();
        let SampleEvidence::Broken(shown) = doubled else {
            panic!("{doubled:?}");
        };
        assert_eq!(shown.found, "12 of 12 1st waits differ by at most 0 ms");
    }

    #[test]
    fn waits_of_several_numbers_show_together_that_they_differ() {
        let gap = |pause: u64| Gap {
            length: ms(pause + 4),
            idle: Some(ms(pause)),
            slept: Some(ms(pause)),
        };
        let first = [vec![100; 7], vec![200; 5]].concat();
        let second = [vec![150; 5], vec![300; 4]].concat();
        let cases = |second: &[u64]| {
            let second = second.iter().map(Some).chain([None; 3]);
            let waits = first.iter().zip(second);
            let gaps = waits.map(|(first, second)| {
                let waits = [Some(first), second].into_iter().flatten();
                waits.map(|pause| gap(*pause)).collect()
            });
            Sample {
                cases: gaps.collect(),
                ..Sample::EMPTY
            }
        };

        assert_eq!(cases(&second).has_jitter(), SampleEvidence::Kept);
        let doubled = cases(&[300; 9]).has_jitter();
        assert!(matches!(doubled, SampleEvidence::Broken(_)), "{doubled:?}");
        let few = cases(&second[3..]).has_jitter();
        assert!(matches!(few, SampleEvidence::CannotTell(..)), "{few:?}");
    }

    /// A client: its wait before the retry of this number, in milliseconds, drawn with a
    /// number from 0 to 1 and its wait before.
    type Waits = fn(usize, f64, f64) -> f64;

    /// A machine, in milliseconds.
    #[derive(Clone)]
    struct Machine {
        /// The delay of a process's start.
        start: Range<f64>,
        /// For how long a client is busy in its first gap, and in its later ones: it runs, or
        /// waits for a processor.
        busy: [Range<f64>; 2],
        /// For how long the lab is late.
        late: Range<f64>,
        /// For how long the main thread is awake while the time of its pause runs: usually,
        /// and in one gap of eight, as of that client in Node.js beside the build of a program.
        awake: [Range<f64>; 2],
        /// The part of a gap for which threads in the background are busy; none if idle time
        /// is not measured.
        background: Option<Range<f64>>,
    }

    /// Whether the waits of the client differ; none if it does not wait.
    const CLIENTS: [(&str, Waits, Option<bool>); 11] = [
        ("at once", |_, _, _| 0.0, None),
        ("50 ms", |_, _, _| 50.0, Some(false)),
        ("200 ms", |_, _, _| 200.0, Some(false)),
        ("1 s", |_, _, _| 1_000.0, Some(false)),
        ("3 s", |_, _, _| 3_000.0, Some(false)),
        ("jitter below 100", |_, at, _| at * 100.0, Some(true)),
        ("jitter below 200", |_, at, _| at * 200.0, Some(true)),
        ("doubling", |number, _, _| doubled(number), Some(false)),
        (
            "doubling jitter",
            |n, at, _| (0.5 + at) * doubled(n),
            Some(true),
        ),
        ("decorrelated", decorrelated, Some(true)),
        (
            "doubling and 100 ms at random",
            |n, at, _| 10.0 * doubled(n) + at * 100.0,
            Some(true),
        ),
    ];

    fn doubled(number: usize) -> f64 {
        100.0 * f64::from(1 << number)
    }

    fn decorrelated(_: usize, at: f64, before: f64) -> f64 {
        50.0 + at * (before.max(50.0) * 3.0 - 50.0)
    }

    /// The retries in each case of `flaky` and of `down`.
    const RETRIES: [usize; 15] = [1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3];

    /// Each with the number of cases, and the shares of clients that it must let be judged:
    /// those that are wrong, and those that pause at random.
    fn machines() -> [(&'static str, Machine, usize, [f64; 2]); 7] {
        let quiet = Machine {
            start: 0.0..1.0,
            busy: [0.1..0.6, 0.1..0.6],
            late: 0.0..0.4,
            awake: [0.0..1.0, 0.0..1.0],
            background: Some(0.0..0.0),
        };
        let slow = Machine {
            busy: [5.0..13.0, 0.1..0.6],
            ..quiet.clone()
        };
        let slower = Machine {
            busy: [18.0..45.0, 3.0..13.0],
            late: 0.0..2.0,
            awake: [0.0..3.0, 0.0..5.0],
            ..quiet.clone()
        };
        let busy = Machine {
            start: 30.0..290.0,
            busy: [0.1..55.0, 0.1..55.0],
            late: 0.0..11.0,
            awake: [0.0..3.0, 0.0..40.0],
            ..quiet.clone()
        };
        let background = Machine {
            background: Some(0.0..0.9),
            ..quiet.clone()
        };
        let unmeasured = |machine: &Machine| Machine {
            background: None,
            ..machine.clone()
        };
        [
            ("quiet", quiet.clone(), 15, [0.95, 0.9]),
            ("slow runtime", slow, 15, [0.95, 0.9]),
            ("slower runtime", slower, 15, [0.95, 0.3]),
            ("busy", busy.clone(), 15, [0.0, 0.3]),
            ("busy in the background", background, 15, [0.0, 0.0]),
            ("quiet, unmeasured", unmeasured(&quiet), 15, [0.95, 0.8]),
            ("busy, unmeasured", unmeasured(&busy), 11, [0.0, 0.0]),
        ]
    }

    /// The gaps of the first cases, and the spread of their starts.
    fn drawn(
        waits: Waits,
        machine: &Machine,
        cases: usize,
        mut draw: impl FnMut() -> f64,
    ) -> Sample {
        let mut sample = Sample::EMPTY;
        let (mut earliest, mut latest) = (f64::MAX, 0.0_f64);
        for retries in RETRIES.into_iter().take(cases) {
            let mut within = |range: &Range<f64>| range.start + draw() * (range.end - range.start);
            let start = within(&machine.start);
            (earliest, latest) = (earliest.min(start), latest.max(start));
            let mut before = 0.0;
            let gaps = (0..retries)
                .map(|number| {
                    before = waits(number, within(&(0.0..1.0)), before);
                    let late = within(&machine.late);
                    let is_rare = within(&(0.0..8.0)) < 1.0;
                    let awake = within(&machine.awake[usize::from(is_rare)]);
                    let slept = (before - awake).max(0.0) + late;
                    let length =
                        before.max(awake) + late + within(&machine.busy[usize::from(number > 0)]);
                    let background = machine.background.as_ref().map(&mut within);
                    let gap = |millis| Duration::from_secs_f64(millis / 1e3);
                    Gap {
                        length: gap(length),
                        idle: background.map(|share| gap(slept * (1.0 - share))),
                        slept: background.map(|_| gap(slept)),
                    }
                })
                .collect();
            sample.cases.push(gaps);
        }
        sample.noise = Duration::from_secs_f64((latest - earliest) / 1e3);
        sample.starts = cases;
        sample
    }

    #[test]
    fn no_client_is_judged_wrongly_on_any_machine_and_most_are_judged_on_a_quiet_one() {
        const DRAWS: u32 = 400;
        for (machine, delays, cases, [of_wrong, of_right]) in machines() {
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
                        let read = match shown {
                            SampleEvidence::Kept => Some(true),
                            SampleEvidence::Broken(..) => Some(false),
                            _ => None,
                        };
                        let is_wrong = read.is_some() && read != truth;
                        assert!(!is_wrong, "{machine}, {client}: {shown:?} of {sample:?}");
                        *right += u32::from(read.is_some());
                    }
                }
                let shares = match differs {
                    None => [of_wrong, 0.0],
                    Some(false) => [of_right, of_wrong],
                    Some(true) => [of_right, of_right],
                };
                let needed = shares.map(|share| (f64::from(DRAWS) * share) as u32);
                let enough = right[0] >= needed[0] && right[1] >= needed[1];
                assert!(enough, "{machine}, {client}: {right:?} of {needed:?}");
            }
        }
    }
}
