//! The local backoff: exponential, capped, with full jitter.

use std::{
    any::Any,
    sync::Arc,
    time::{Duration, SystemTime},
};

use reqwest_retry::{RetryDecision, RetryPolicy};

use crate::{
    clock::Clock,
    error::{ConfigError, at_most, not_zero},
    random::Random,
};

/// This crate's [`RetryPolicy`]: before retry *n* (from 0), a wait drawn uniformly
/// between zero and `base · 2ⁿ`, but at most `cap`.
///
/// "Full jitter" spreads clients that failed together over the whole interval; with a
/// fixed backoff they would retry together. The policy offers a wait and never
/// declines: the number of attempts is limited elsewhere.
///
/// `ExponentialBackoff` of `reqwest-retry` has the same formula, but uses the clock and
/// the randomness of the system, so tests cannot reproduce its waits.
#[derive(Clone)]
pub struct Backoff {
    base: Duration,
    cap: Duration,
    clock: Arc<dyn Clock>,
    random: Arc<dyn Random>,
}

impl Backoff {
    /// The default `base`: the ceiling of the first wait.
    pub const DEFAULT_BASE: Duration = Duration::from_millis(200);
    /// The default `cap`: the ceiling of every wait.
    pub const DEFAULT_CAP: Duration = Duration::from_secs(5);

    /// The maximum `cap`: a longer local wait is no longer a backoff.
    pub const LONGEST_CAP: Duration = Duration::from_secs(24 * 60 * 60);

    /// A backoff whose ceiling starts at `base`, doubles with each retry and
    /// stays at `cap`.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] if `base` is zero or longer than `cap`, and if `cap` is longer than
    /// [`Backoff::LONGEST_CAP`].
    pub fn new(
        base: Duration,
        cap: Duration,
        clock: Arc<dyn Clock>,
        random: Arc<dyn Random>,
    ) -> Result<Self, ConfigError> {
        not_zero("the backoff's base", base)?;
        at_most("the backoff's cap", cap, Self::LONGEST_CAP)?;
        if base > cap {
            return Err(ConfigError::BackoffOrder { base, cap });
        }
        Ok(Self {
            base,
            cap,
            clock,
            random,
        })
    }

    /// The default base and cap.
    pub(crate) fn default_over(clock: Arc<dyn Clock>, random: Arc<dyn Random>) -> Self {
        Self {
            base: Self::DEFAULT_BASE,
            cap: Self::DEFAULT_CAP,
            clock,
            random,
        }
    }

    /// The upper bound of the wait before retry number `past_retries` (from 0):
    /// `base · 2^past_retries`, at most `cap`.
    #[must_use]
    pub fn ceiling(&self, past_retries: u32) -> Duration {
        let factor = 2_u32.checked_pow(past_retries);
        let ceiling = factor.and_then(|factor| self.base.checked_mul(factor));
        ceiling.map_or(self.cap, |ceiling| ceiling.min(self.cap))
    }
}

impl std::fmt::Debug for Backoff {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Backoff")
            .field("base", &self.base)
            .field("cap", &self.cap)
            .finish_non_exhaustive()
    }
}

impl RetryPolicy for Backoff {
    fn should_retry(&self, _start: SystemTime, past_retries: u32) -> RetryDecision {
        let wait = jittered(self.ceiling(past_retries), self.random.unit());
        RetryDecision::Retry {
            execute_after: self.clock.wall() + wait,
        }
    }
}

/// The policy of a client: its own backoff, or one set by the caller.
#[derive(Clone)]
pub(crate) enum ClientPolicy {
    /// The backoff of this crate.
    Backoff(Backoff),
    /// A policy set by the caller, of which only the offered wait is known.
    Given(Arc<dyn RetryPolicy + Send + Sync>),
}

impl RetryPolicy for ClientPolicy {
    fn should_retry(&self, start: SystemTime, past_retries: u32) -> RetryDecision {
        match self {
            Self::Backoff(policy) => policy.should_retry(start, past_retries),
            Self::Given(policy) => policy.should_retry(start, past_retries),
        }
    }
}

/// The upper bound of a policy's wait, if the policy is the backoff of this crate. The
/// trait of `reqwest-retry` has no method for it, so the type of the policy is checked.
pub(super) fn ceiling_of(policy: &dyn Any, past_retries: u32) -> Option<Duration> {
    let backoff = match policy.downcast_ref() {
        Some(ClientPolicy::Backoff(backoff)) => Some(backoff),
        Some(ClientPolicy::Given(_)) => None,
        None => policy.downcast_ref::<Backoff>(),
    };
    backoff.map(|backoff| backoff.ceiling(past_retries))
}

/// A [`RetryPolicy`] without any wait: a retry is sent immediately, unless a
/// `Retry-After` asks for a wait.
///
/// Many clients with this policy can keep a service down after a single fault; it
/// exists for comparison.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoWait;

impl RetryPolicy for NoWait {
    fn should_retry(&self, _start: SystemTime, _past_retries: u32) -> RetryDecision {
        RetryDecision::Retry {
            execute_after: SystemTime::UNIX_EPOCH,
        }
    }
}

/// The part of `ceiling` that `unit` (0.0 to 1.0) draws. NaN counts as zero.
pub(super) fn jittered(ceiling: Duration, unit: f64) -> Duration {
    let unit = if unit.is_nan() { 0.0 } else { unit };
    ceiling.mul_f64(unit.clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{clock::VirtualClock, random::SeededRandom};

    #[test]
    fn the_ceiling_doubles_up_to_the_cap() {
        let clock = Arc::new(VirtualClock::starting_at(SystemTime::UNIX_EPOCH));
        let backoff = Backoff::default_over(clock, Arc::new(SeededRandom::new(1)));

        let ceilings = [0, 1, 2, 3, 4, 5, 31, 32, u32::MAX];
        let ceilings = ceilings.map(|past_retries| backoff.ceiling(past_retries).as_millis());

        assert_eq!(ceilings[..5], [200, 400, 800, 1600, 3200]);
        assert_eq!(ceilings[5..], [5000; 4]);
    }

    #[test]
    fn full_jitter_reaches_from_zero_to_the_ceiling() {
        let ceiling = Duration::from_millis(400);

        assert_eq!(jittered(ceiling, 0.0), Duration::ZERO);
        assert_eq!(jittered(ceiling, 0.25), Duration::from_millis(100));
        assert_eq!(jittered(ceiling, 1.0), ceiling);
        for odd in [f64::NAN, -1.0, f64::NEG_INFINITY] {
            assert_eq!(jittered(ceiling, odd), Duration::ZERO);
        }
    }
}
