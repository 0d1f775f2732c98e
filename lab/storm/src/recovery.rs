//! Whether a service recovered from an incident, judged so that chance does not decide.
//!
//! Judging second by second does not work: with twenty calls a second, a steady 94 % of
//! successes falls below nine tenths now and then. So the calls move a score, which has to
//! go a long way before the judgement changes.

use std::time::Duration;

use serde::Serialize;
use wire::nanoseconds;

use crate::{Incident, STEP, Settings, Step, calls::Calls, step::step_of};

/// Whether the service recovered after the incident.
///
/// A score runs over the whole storm, in the order in which calls began. With θ for nine
/// tenths of the share that succeeded before the incident, a success adds 1 to the score,
/// and a failure subtracts θ/(1 − θ): it rises while more than θ succeed, and falls while
/// fewer do. It stays within ±B, where B is the calls of a second, or 30 if those are fewer.
/// At +B the service is up, at −B it is down, and between them the last state holds.
///
/// The judgement ends at the first step in which calls that had not ended could decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Recovery {
    /// It was up at the end.
    Recovered {
        /// The end of the last second in which the score was at −B, counted from the end of
        /// the incident; zero if there was none.
        #[serde(rename = "after_ns", with = "nanoseconds")]
        after: Duration,
    },
    /// It was down at the end.
    Down,
    /// Less than nine tenths of the calls succeeded before the incident, by more than chance
    /// explains.
    NotUpBefore,
    /// There was no incident.
    NoIncident,
    /// The calls do not tell: the score reached neither end, or left the last one far behind.
    Unknown,
}

/// The share of successes below which a service is not up.
const NINE_TENTHS: f64 = 0.9;

/// How many standard errors chance explains.
const ERRORS: f64 = 3.0;

/// The least score that decides.
const LEAST: f64 = 30.0;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Up,
    Down,
}

/// The evidence for a service that is up or down.
#[derive(Clone, Copy, Debug)]
struct Score {
    value: f64,
    /// B.
    limit: f64,
    /// The points that a failure subtracts.
    failure: f64,
    state: Option<State>,
}

impl Score {
    /// A score for a service of which this share of the calls succeeded before the incident.
    fn new(settings: &Settings, share: f64) -> Self {
        let threshold = NINE_TENTHS * share;
        Self {
            value: 0.0,
            limit: settings.usual_load().max(LEAST),
            failure: threshold / (1.0 - threshold),
            state: None,
        }
    }

    fn add(&mut self, succeeded: u32, failed: u32) {
        let change = f64::from(succeeded) - self.failure * f64::from(failed);
        self.value = (self.value + change).clamp(-self.limit, self.limit);
        if self.value >= self.limit {
            self.state = Some(State::Up);
        } else if self.is_lowest() {
            self.state = Some(State::Down);
        }
    }

    fn is_lowest(&self) -> bool {
        self.value <= -self.limit
    }

    /// The state, unless the score has gone more than half of the way to the other one.
    fn settled(&self) -> Option<State> {
        self.state.filter(|state| match state {
            State::Up => self.value >= 0.0,
            State::Down => self.value <= 0.0,
        })
    }
}

impl Recovery {
    pub(super) fn of(settings: &Settings, steps: &[Step]) -> Self {
        if settings.incident == Incident::None {
            return Self::NoIncident;
        }
        let before = before(settings, steps);
        if is_certainly_below(NINE_TENTHS, before) {
            return Self::NotUpBefore;
        }
        let share = before.share();
        // The calls that had not ended all fail, or all succeed.
        let mut worst = Score::new(settings, share);
        let mut best = worst;
        let ends = step_of(settings.incident_ends());
        let mut last_lowest = None;
        let mut settled = None;
        for (number, step) in steps.iter().enumerate() {
            worst.add(step.answered, step.calls - step.answered);
            best.add(step.calls - step.failed, step.failed);
            if worst.state != best.state {
                break;
            }
            if number >= ends && worst.settled() == best.settled() {
                settled = worst.settled();
                if worst.is_lowest() {
                    last_lowest = Some(number - ends);
                }
            }
        }
        match settled {
            Some(State::Up) => Self::Recovered {
                after: last_lowest.map_or(Duration::ZERO, end_of_its_second),
            },
            Some(State::Down) => Self::Down,
            None => Self::Unknown,
        }
    }
}

/// The calls that the incident could not touch: those that began at least a timeout earlier.
fn before(settings: &Settings, steps: &[Step]) -> Calls {
    let untouched = settings.incident_starts.saturating_sub(settings.timeout);
    let until = (untouched.as_nanos() / STEP.as_nanos()) as usize;
    Calls::of(steps.get(..until).unwrap_or(steps))
}

/// Whether the share that succeeded is below another by more than chance explains.
fn is_certainly_below(share: f64, calls: Calls) -> bool {
    let error = (share * (1.0 - share) / calls.ended().max(1.0)).sqrt();
    calls.share() + ERRORS * error < share
}

/// The end of the second that this step lies in.
fn end_of_its_second(step: usize) -> Duration {
    let seconds = (STEP * u32::try_from(step).unwrap_or(u32::MAX)).as_secs() + 1;
    Duration::from_secs(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECONDS: usize = 60;

    fn settings(calls_per_second: f64) -> Settings {
        Settings {
            calls_per_second,
            ..Settings::DEFAULT
        }
    }

    /// Draws between zero and one by xorshift: the tests need millions of them.
    struct Draws(u64);

    impl Draws {
        fn unit(&mut self) -> f64 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 >> 11) as f64 / (1_u64 << 53) as f64
        }
    }

    /// A minute of calls, each of which succeeds with the probability of its second.
    fn series(calls_per_second: f64, seed: u64, share: impl Fn(usize) -> f64) -> Vec<Step> {
        let mut draws = Draws((seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let per_step = calls_per_second * STEP.as_secs_f64();
        let step = |number: usize| {
            // Rounded at random, so that few calls a second are some.
            let calls = (2.0 * per_step * draws.unit() + draws.unit()).floor() as u32;
            let share = share(number / 10);
            let answered = (0..calls).filter(|_| draws.unit() < share).count() as u32;
            Step {
                calls,
                answered,
                failed: calls - answered,
                ..Step::default()
            }
        };
        (0..SECONDS * 10).map(step).collect()
    }

    /// How many of fifty seeds are judged so.
    fn judged(
        calls_per_second: f64,
        share: impl Fn(usize) -> f64,
        is_right: impl Fn(Recovery) -> bool,
    ) -> usize {
        let right = (0..50).filter(|seed| {
            let steps = series(calls_per_second, *seed, &share);
            is_right(Recovery::of(&settings(calls_per_second), &steps))
        });
        right.count()
    }

    const RATES: [f64; 4] = [5.0, 20.0, 60.0, 120.0];

    #[test]
    fn a_service_that_stays_as_it_was_is_back_at_once() {
        let at_once = |recovery| {
            recovery
                == Recovery::Recovered {
                    after: Duration::ZERO,
                }
        };
        for rate in RATES {
            for share in [1.0, 0.97, 0.94, 0.92] {
                let right = judged(rate, |_| share, at_once);
                assert!(right >= 48, "{rate}/s at {share}: {right}");
            }
        }
    }

    #[test]
    fn a_service_that_stays_down_is_down_whatever_share_still_succeeds() {
        for rate in RATES {
            for (before, after) in [(1.0, 0.0), (1.0, 0.5), (0.97, 0.7), (0.94, 0.6)] {
                let share = |second| if second < 10 { before } else { after };
                let right = judged(rate, share, |recovery| recovery == Recovery::Down);
                assert!(right >= 48, "{rate}/s, {before} to {after}: {right}");
            }
        }
    }

    #[test]
    fn a_service_is_back_when_its_calls_succeed_again() {
        for rate in [20.0, 60.0, 120.0] {
            for (before, back) in [(1.0, 5), (0.97, 5), (1.0, 20), (0.95, 20)] {
                let share = |second| {
                    if (10..15 + back).contains(&second) {
                        0.1
                    } else {
                        before
                    }
                };
                let near = |recovery| match recovery {
                    Recovery::Recovered { after } => after.as_secs().abs_diff(back as u64) <= 2,
                    _ => false,
                };
                let right = judged(rate, share, near);
                assert!(
                    right >= 48,
                    "{rate}/s, {before}, back after {back} s: {right}"
                );
            }
        }
    }

    #[test]
    fn no_word_is_said_without_an_incident_or_of_a_service_that_was_not_up() {
        let steps = series(20.0, 1, |_| 0.94);
        let quiet = Settings {
            incident: Incident::None,
            ..settings(20.0)
        };

        assert_eq!(Recovery::of(&quiet, &steps), Recovery::NoIncident);
        let not_up = |recovery| recovery == Recovery::NotUpBefore;
        assert_eq!(judged(60.0, |_| 0.8, not_up), 50);
        assert_eq!(Recovery::of(&settings(60.0), &[]), Recovery::Unknown);
    }

    #[test]
    fn a_score_that_reached_neither_end_or_left_the_last_one_tells_nothing() {
        let few = series(0.2, 1, |_| 1.0);
        assert_eq!(Recovery::of(&settings(0.2), &few), Recovery::Unknown);
        // After an outage, the successes of a minute are too few to be sure.
        let back = |second| if (10..15).contains(&second) { 0.0 } else { 1.0 };
        let said_down = judged(1.0, back, |recovery| recovery == Recovery::Down);
        assert_eq!(said_down, 0);
    }

    #[test]
    fn calls_that_had_not_ended_never_decide() {
        let lasting = |second: usize| if second < 10 { 1.0 } else { 0.4 };
        let passing = |second: usize| if (10..20).contains(&second) { 0.0 } else { 1.0 };
        for (share, seconds) in [
            (&lasting as &dyn Fn(usize) -> f64, 3),
            (&passing, 1),
            (&passing, 4),
        ] {
            for seed in 0..25 {
                let mut steps = series(60.0, seed, share);
                let judged = Recovery::of(&settings(60.0), &steps);
                for step in &mut steps[(SECONDS - seconds) * 10..] {
                    (step.answered, step.failed) = (0, 0);
                }

                let open = Recovery::of(&settings(60.0), &steps);
                assert_eq!(open, judged, "{seed}, {seconds} s open");
            }
        }
    }
}
