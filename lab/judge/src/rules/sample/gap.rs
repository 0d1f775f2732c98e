//! The gap between a failure and the request that repeats it, and the pauses that there can be
//! in it.

use std::{ops::RangeInclusive, time::Duration};

use wire::{ProcessRecord, WireRequest};

use crate::ties::Ties;

/// A gap between a failure and the request that repeats it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::rules) struct Gap {
    /// Its length by the wall clock.
    pub(in crate::rules) length: Duration,
    /// For how much of it the client was idle, at least; none if that is not known.
    pub(in crate::rules) idle: Option<Duration>,
    /// For how long its main thread slept, if a pause is hardly longer; none if that is not
    /// known.
    pub(in crate::rules) slept: Option<Duration>,
}

/// How long the pause in a gap can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::rules) enum Measure {
    /// By the wall clock.
    Length,
    /// By the sleep of the main thread.
    Sleep,
}

/// What shows that there was no pause, or that pauses were alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::rules) struct Shown {
    /// The numbers of the gaps that show it, from 0.
    pub(super) numbers: Vec<usize>,
    pub(super) measure: Measure,
    /// A gap that is longer by this measure does not show it.
    pub(super) longest: Duration,
    pub(in crate::rules) found: String,
}

/// A shorter gap is not a pause.
pub(super) const PAUSE: Duration = Duration::from_millis(5);

/// The longest gaps that may be work alone: for the first retry, and for the others. A client in
/// Node.js took 14 to 52 ms and 2 to 16 ms on a slow machine.
const WORKS: [Duration; 2] = [Duration::from_millis(60), Duration::from_millis(20)];

/// A client that is awake for longer in a gap is held up by other programs. A larger client in
/// Node.js was awake for up to 87 ms and 17 ms without any, and a small one for 20 to 110 ms and
/// 5 to 45 ms beside two busy ones.
const HELD_UP: [Duration; 2] = [Duration::from_millis(150), Duration::from_millis(50)];

/// The longest that a client is idle that does not pause: the lab is late to write the
/// response or to read the next request. Three slices in which it may be late count for 7 ms at
/// most, and in one of them the client is busy with its request.
const LATE: Duration = Duration::from_millis(14);

/// The same where the client itself is not held up.
const HARDLY_LATE: Duration = Duration::from_millis(10);

/// A machine without measurable noise makes equal waits differ by up to this.
const BLURRED: Duration = Duration::from_millis(20);

/// Each repetition of a failed request, and the gap before it.
pub(in crate::rules) fn of<'a>(
    ties: &Ties<'a>,
    process: Option<&ProcessRecord>,
    failed: impl Fn(&WireRequest) -> bool,
) -> impl Iterator<Item = (&'a WireRequest, Gap)> {
    let idle: Vec<_> = process.iter().flat_map(|process| &process.idle).collect();
    let retries = ties.repetitions().filter(move |(first, _)| failed(first));
    retries.filter_map(move |(first, next)| {
        let mut idle = idle.iter();
        let is_between = |(after, before)| (after, before) == (first.seq, next.seq);
        let measured = idle.find(|time| is_between((time.after, time.before)));
        let gap = Gap {
            length: next.arrived.checked_sub(first.head?)?,
            idle: measured.map(|time| time.idle),
            slept: measured.and_then(|time| time.slept),
        };
        Some((next, gap))
    })
}

impl Gap {
    /// The longest that its pause can be by this measure.
    pub(super) fn by(&self, measure: Measure) -> Option<Duration> {
        match measure {
            Measure::Length => Some(self.length),
            Measure::Sleep => self.slept,
        }
    }

    /// Whether a client that does not pause takes so long for its retry of this number.
    pub(super) fn is_work(&self, number: usize) -> bool {
        let is_awake = self.slept.is_some_and(|slept| slept < PAUSE);
        is_awake && self.length <= of_number(WORKS, number)
    }

    /// For how long its main thread was awake, if it was not held up.
    fn awake(&self, number: usize) -> Option<Duration> {
        let awake = self.length.saturating_sub(self.slept?);
        (awake <= of_number(HELD_UP, number)).then_some(awake)
    }

    /// The shortest and the longest pause that there can be in this gap: no longer than the gap,
    /// and no shorter than the idle time, but for the lab's own delay. Where that is not known,
    /// a pause is shorter than its gap by no more than the noise.
    pub(super) fn pause(&self, noise: Duration) -> RangeInclusive<Duration> {
        let shortest = match self.idle {
            Some(idle) => idle.saturating_sub(LATE),
            None => self.length.saturating_sub(BLURRED.max(noise)),
        };
        shortest..=self.length
    }

    /// The same for most gaps of a client whose main thread makes the pauses. If the
    /// thread is not held up, it is awake for a fifth of its work at most while the time of
    /// its pause runs.
    pub(super) fn likely_pause(&self, number: usize) -> RangeInclusive<Duration> {
        let measured = self.idle.zip(self.slept).zip(self.awake(number));
        let Some(((idle, slept), awake)) = measured else {
            return self.pause(self.length);
        };
        let longest = self.length.min(slept + PAUSE.max(awake / 5));
        idle.saturating_sub(HARDLY_LATE)..=longest
    }
}

/// The limit for the gap of this number.
pub(super) fn of_number([first, later]: [Duration; 2], number: usize) -> Duration {
    if number == 0 { first } else { later }
}

impl Shown {
    /// Whether the gap of this number shows it.
    pub(in crate::rules) fn is_shown_by(&self, number: usize, gap: &Gap) -> bool {
        let pause = gap.by(self.measure);
        self.numbers.contains(&number) && pause.is_some_and(|pause| pause <= self.longest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn a_pause_is_hardly_longer_than_the_sleep_of_a_thread_that_was_not_held_up() {
        let of = |number, length, slept: Option<u64>| {
            let (length, slept) = (ms(length), slept.map(ms));
            let idle = Some(ms(90));
            let gap = Gap {
                length,
                idle,
                slept,
            };
            let pauses = [gap.pause(ms(0)), gap.likely_pause(number)];
            pauses.map(|pause| (pause.start().as_millis(), pause.end().as_millis()))
        };

        // Its main thread was awake for 45 ms, for 9, and for longer than a retry takes.
        assert_eq!(of(0, 145, Some(100)), [(76, 145), (80, 109)]);
        assert_eq!(of(1, 109, Some(100)), [(76, 109), (80, 105)]);
        assert_eq!(of(1, 155, Some(100)), [(76, 155), (76, 155)]);
        assert_eq!(of(0, 145, None), [(76, 145), (76, 145)]);
    }
}
