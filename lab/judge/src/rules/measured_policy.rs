//! The retry policy of a client, as far as a card shows it.
//!
//! The waits are measured from the gaps by which the rules about pauses are judged. A gap
//! contains the client's own work and the delay of the machine, which only lengthen it. Where
//! they could be more than a quarter of a wait, its length is not told. The module `simulated`
//! measures clients whose policies are known.

use std::time::Duration;

use serde::Serialize;
use wire::{duration, nanoseconds};

use super::{
    CardContext, Case,
    backoff::{self, Gap, Place, Shown},
    finite_attempts, read_timeout,
};

/// The retry policy of a client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MeasuredPolicy {
    /// The number of requests in a call to which the service always responds with 503.
    pub attempts: Part<usize>,
    /// The waits before its retries.
    pub waits: Part<Waits>,
    /// Whether it sends another request after the timeout of one.
    pub after_timeout: Part<bool>,
}

/// A part of a policy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "is", content = "value", rename_all = "snake_case")]
pub enum Part<T> {
    /// The card shows it.
    Measured(T),
    /// The card does not show it, for this reason.
    CannotTell(String),
    /// The client makes one attempt, so that there is nothing to measure.
    NotNeeded,
}

/// The waits before retries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Waits {
    /// Every retry comes at once.
    None,
    /// There is a pause before each retry.
    Pauses {
        /// The first pause in two digits; the longest that it can be, if pauses are random.
        #[serde(rename = "first_ns", with = "nanoseconds")]
        first: Duration,
        /// Whether pauses are random.
        has_jitter: bool,
        /// How the later pauses differ from the first; none if there is one pause only.
        growth: Option<Growth>,
    },
}

/// How the later pauses of a call differ from its first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Growth {
    /// They are as long.
    Equal,
    /// Each is twice as long as the one before.
    Doubles,
}

/// The status of the failures before the pauses that are measured.
const STATUS: u16 = 503;

/// The longest work of a slow runtime before its first retry, on a quiet machine.
const WORK: Duration = Duration::from_millis(15);

/// The same on a machine that is busy although the lab's own timer is on time.
const WORK_UNSEEN: Duration = Duration::from_millis(120);

/// A gap at least this many times as long as the work in it is told: the work is then a quarter
/// of the wait, or less.
const GAP_PER_WORK: u32 = 5;

impl MeasuredPolicy {
    /// Measures the policy of a client, in all cases of its card and in two of them: `refusing`,
    /// in which the service responds with 503 for ever, and `silent`, in which it never responds
    /// to the first request.
    #[must_use]
    pub fn of(context: &CardContext, refusing: &Case<'_>, silent: &Case<'_>) -> Self {
        let attempts = attempts(refusing);
        if attempts == Part::Measured(1) {
            return Self {
                attempts,
                waits: Part::NotNeeded,
                after_timeout: Part::NotNeeded,
            };
        }
        let has_one_pause = attempts == Part::Measured(2);
        Self {
            attempts,
            waits: match waits(&context.gaps, has_one_pause) {
                Ok(waits) => Part::Measured(waits),
                Err(why) => Part::CannotTell(why),
            },
            after_timeout: after_timeout(silent),
        }
    }
}

fn attempts(refusing: &Case<'_>) -> Part<usize> {
    match unseen(refusing) {
        Some(why) => Part::CannotTell(why.to_owned()),
        None => Part::Measured(finite_attempts::retries(refusing).count() + 1),
    }
}

fn after_timeout(silent: &Case<'_>) -> Part<bool> {
    let mut repetitions = silent.ties.repetitions();
    if repetitions.any(|(first, _)| read_timeout::is_silent(first)) {
        return Part::Measured(true);
    }
    let was_exercised = silent.wire.entries.iter().any(read_timeout::is_silent);
    match unseen(silent) {
        _ if !was_exercised => {
            Part::CannotTell("no request was left without a response".to_owned())
        }
        Some(why) => Part::CannotTell(why.to_owned()),
        None => Part::Measured(false),
    }
}

/// Why a case does not show the number of its client's requests, if it does not.
fn unseen(case: &Case<'_>) -> Option<&'static str> {
    if case.wire.dropped > 0 {
        Some("not every request was recorded")
    } else if case.process.is_none() {
        Some("more requests might have followed")
    } else if case.was_stopped() {
        Some("the client was still running when the case ended")
    } else {
        None
    }
}

/// The waits that these gaps show, of a client that retries once or more often, or else the
/// reason why they do not.
pub(super) fn waits(gaps: &[Gap], has_one_pause: bool) -> Result<Waits, String> {
    match backoff::pauses(gaps) {
        Shown::Broken(..) => return Ok(Waits::None),
        Shown::Skipped(why) => return Err(why.to_owned()),
        Shown::CannotTell(why) => return Err(why),
        Shown::Kept => {}
    }
    let has_jitter = match backoff::jitter(gaps) {
        Shown::Kept => true,
        Shown::Broken(..) => false,
        Shown::Skipped(why) => return Err(why.to_owned()),
        Shown::CannotTell(why) => return Err(why),
    };
    let noise = backoff::noise(gaps);
    if noise >= backoff::QUIET {
        let late = duration(noise);
        return Err(format!(
            "the machine was busy, and a timer of the lab was {late} late: grade again"
        ));
    }
    let pools = backoff::pools(gaps);
    let pause = |number| {
        let place = Place {
            number,
            status: STATUS,
            unusable: None,
        };
        let pool = pools.iter().find(|(pooled, _)| *pooled == place);
        let (_, lengths) = pool.ok_or_else(|| backoff::too_few(gaps.len()))?;
        pause(lengths, has_jitter)
    };
    let first = pause(0)?;
    let growth = if has_one_pause {
        if has_jitter {
            // No second pause shows how much of the first one is work.
            check_work(first, WORK_UNSEEN)?;
        }
        None
    } else {
        Some(growth(first, pause(1)?, has_jitter)?)
    };
    Ok(Waits::Pauses {
        first: in_two_digits(first),
        has_jitter,
        growth,
    })
}

/// The pause in gaps of one place, in ascending order; if it is random, the longest that it can
/// be: that of n numbers between zero and a ceiling, the largest is n/(n + 1) of it on average.
fn pause(lengths: &[Duration], has_jitter: bool) -> Result<Duration, String> {
    if has_jitter {
        let largest = lengths.last().copied().unwrap_or_default();
        let ceiling = largest + largest / lengths.len().max(1) as u32;
        return check_work(ceiling, WORK);
    }
    // Equal pauses differ by the work in them, and there is some in the shortest gap as well.
    let work = 2 * backoff::span_but_one(lengths);
    check_work(backoff::median(lengths), work.max(WORK))
}

/// A pause, unless so much work would be more than a fifth of it.
fn check_work(pause: Duration, work: Duration) -> Result<Duration, String> {
    if pause < work * GAP_PER_WORK {
        let [pause, work] = [pause, work].map(duration);
        return Err(format!(
            "up to {work} of a pause of {pause} may be your client's own work"
        ));
    }
    Ok(pause)
}

/// How the second pause differs from the first. If random ones hardly grow, they may have one
/// ceiling, or the first ones may contain work.
fn growth(first: Duration, second: Duration, has_jitter: bool) -> Result<Growth, String> {
    if second * 5 >= first * 8 {
        Ok(Growth::Doubles)
    } else if has_jitter {
        let [first, second] = [first, second].map(duration);
        Err(format!(
            "the first pause is up to {first} long, and the second up to {second}: pauses do not \
             double, or the first contains your client's own work"
        ))
    } else {
        Ok(Growth::Equal)
    }
}

/// A length rounded to two digits: more are not measured.
fn in_two_digits(length: Duration) -> Duration {
    let micros = u64::try_from(length.as_micros()).unwrap_or(u64::MAX);
    let mut unit = 1;
    while micros / unit >= 100 {
        unit *= 10;
    }
    Duration::from_micros((micros + unit / 2) / unit * unit)
}

#[cfg(test)]
mod tests {
    use wire::{ClosedBy, FaultLabel, TimerDelay};

    use super::*;
    use crate::rules::{CardCase, CaseKind, card::NONE, testing::Script};

    fn case(script: &Script) -> Case<'_> {
        let (wire, process) = script.case();
        Case::with(wire, process, &NONE)
    }

    /// A call of so many requests that fail.
    fn refused(requests: u64) -> Script {
        (0..requests).fold(Script::new(), |script, number| {
            script.respond(400 * number, 503)
        })
    }

    #[test]
    fn the_attempts_are_the_requests_of_a_call_that_was_seen_to_its_end() {
        let head_first = Script::new()
            .respond(0, 503)
            .with(|request| request.method = "HEAD")
            .respond(1, 503)
            .respond(400, 503);
        for (script, attempts) in [
            (refused(1).exits(1, ""), Some(1)),
            (refused(4).exits(1, ""), Some(4)),
            (refused(30).exits(1, ""), Some(30)),
            (
                refused(4).rests(2_000, r#"{"error": "down"}"#, 20_000),
                Some(4),
            ),
            (head_first.exits(1, ""), Some(2)),
            (refused(4).stopped_at(20_000), None),
            (refused(4), None),
            (refused(4).exits(1, "").dropping(1), None),
        ] {
            let found = attempts_of(&script);

            match attempts {
                Some(attempts) => assert_eq!(found, Part::Measured(attempts), "{script:#?}"),
                None => assert!(matches!(found, Part::CannotTell(_)), "{script:#?}"),
            }
        }
    }

    fn attempts_of(script: &Script) -> Part<usize> {
        attempts(&case(script))
    }

    #[test]
    fn another_request_after_a_silence_is_an_attempt_after_a_timeout() {
        let silent = || {
            let silent = Script::new().respond(0, 200).fault(FaultLabel::SILENCE);
            let silent = silent.on(1, 1).lost();
            silent.connection(1, Some((3_000, ClosedBy::Client)))
        };
        let again = || silent().respond(3_100, 200);
        for (script, expected) in [
            (again().exits(0, r#"{"value": 1}"#), Some(true)),
            (again().stopped_at(20_000), Some(true)),
            (silent().exits(1, ""), Some(false)),
            (silent().stopped_at(20_000), None),
            (silent(), None),
            (silent().exits(1, "").dropping(1), None),
            // The silence was not delivered.
            (Script::new().respond(0, 200).exits(0, ""), None),
        ] {
            let found = after_timeout(&case(&script));

            match expected {
                Some(expected) => assert_eq!(found, Part::Measured(expected), "{script:#?}"),
                None => assert!(matches!(found, Part::CannotTell(_)), "{script:#?}"),
            }
        }
    }

    /// The policy of a client whose calls fail for ever, with these pauses in milliseconds in
    /// each of nine calls, while the lab's timer was late by so much.
    fn measured(calls: &[&[u64]; 9], late: u64) -> MeasuredPolicy {
        let scripts = calls.map(|gaps| Script::gaps(gaps, |script| script).exits(1, ""));
        let mut wires = scripts.clone().map(Script::record);
        let [due, late] = [10, late].map(Duration::from_millis);
        wires[0].delays = vec![TimerDelay { due, late }];
        let kind = CaseKind::FailsAlike;
        let cases: Vec<_> = wires.iter().map(|wire| CardCase { kind, wire }).collect();
        let silent = Script::new().exits(1, "");
        MeasuredPolicy::of(&CardContext::of(&cases), &case(&scripts[8]), &case(&silent))
    }

    /// The first pause, whether pauses are random, and their growth.
    fn pauses(first: u64, has_jitter: bool, growth: Option<Growth>) -> Part<Waits> {
        Part::Measured(Waits::Pauses {
            first: Duration::from_millis(first),
            has_jitter,
            growth,
        })
    }

    #[test]
    fn equal_pauses_are_their_median_in_two_digits() {
        for (gaps, expected) in [
            (&[501, 502][..], pauses(500, false, Some(Growth::Equal))),
            (&[104, 205], pauses(100, false, Some(Growth::Doubles))),
            (&[1_460, 2_300], pauses(1_500, false, Some(Growth::Equal))),
            (&[1_460, 2_400], pauses(1_500, false, Some(Growth::Doubles))),
            (&[501], pauses(500, false, None)),
            (&[1, 1], Part::Measured(Waits::None)),
            (&[], Part::NotNeeded),
        ] {
            let policy = measured(&[gaps; 9], 0);

            assert_eq!(policy.attempts, Part::Measured(gaps.len() + 1));
            assert_eq!(policy.waits, expected, "{gaps:?}");
        }
    }

    #[test]
    fn random_pauses_are_measured_by_the_longest() {
        let of = |firsts: [u64; 9], growth: u64| {
            let calls = firsts.map(|first| [first, first * growth / 10]);
            let calls: Vec<&[u64]> = calls.iter().map(|gaps| &gaps[..]).collect();
            measured(calls.as_slice().try_into().expect("nine calls"), 0).waits
        };
        let firsts = [90, 20, 50, 180, 120, 110, 60, 70, 150];
        let short = [41, 2, 5, 66, 66, 45, 66, 66, 42];

        assert_eq!(of(firsts, 20), pauses(200, true, Some(Growth::Doubles)));
        let Part::CannotTell(why) = of(firsts, 15) else {
            panic!("the pauses hardly grow")
        };
        assert!(
            why.contains("up to 200 ms long, and the second up to 300 ms"),
            "{why}"
        );
        let Part::CannotTell(why) = of(short, 20) else {
            panic!("the pauses are short")
        };
        assert_eq!(
            why,
            "up to 15 ms of a pause of 73 ms may be your client's own work"
        );
    }

    /// Without a second pause, work may be as long as on a busy machine.
    #[test]
    fn random_pauses_before_a_single_retry_must_be_longer() {
        let of = |factor: u64| {
            let calls = [90, 20, 50, 180, 120, 110, 60, 70, 150].map(|gap| [gap * factor]);
            let calls: Vec<&[u64]> = calls.iter().map(|gaps| &gaps[..]).collect();
            measured(calls.as_slice().try_into().expect("nine calls"), 0).waits
        };

        assert!(matches!(of(2), Part::CannotTell(_)));
        assert_eq!(of(3), pauses(600, true, None));
    }

    #[test]
    fn the_reason_is_named_where_waits_are_not_told() {
        let equal = [500, 500];
        let mut uneven = [&equal[..]; 9];
        (uneven[0], uneven[1]) = (&[552, 500], &[553, 500]);
        let reasons = [
            (
                measured(&[&equal; 9], 15),
                "the machine was busy, and a timer of the lab was 15 ms late: grade again",
            ),
            (
                measured(&uneven, 0),
                "up to 104 ms of a pause of 500 ms may be your client's own work",
            ),
            (
                measured(&[&[74, 74]; 9], 0),
                "up to 15 ms of a pause of 74 ms may be your client's own work",
            ),
        ];

        for (policy, why) in reasons {
            assert_eq!(policy.waits, Part::CannotTell(why.to_owned()));
        }
        assert_eq!(
            measured(&[&equal; 9], 14).waits,
            measured(&[&equal; 9], 0).waits
        );
    }
}
