//! A policy with doubling waits and no jitter, which the client does not include.

use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

use client::Clock;
use reqwest_retry::{RetryDecision, RetryPolicy};

/// Each wait is twice as long as the one before, up to the longest.
pub(super) struct Exponential {
    pub(super) base: Duration,
    pub(super) cap: Duration,
    pub(super) clock: Arc<dyn Clock>,
}

impl RetryPolicy for Exponential {
    fn should_retry(&self, _: SystemTime, past_retries: u32) -> RetryDecision {
        let doubled = 2_u32.checked_pow(past_retries);
        let wait = doubled.and_then(|factor| self.base.checked_mul(factor));
        RetryDecision::Retry {
            execute_after: self.clock.wall() + wait.map_or(self.cap, |wait| wait.min(self.cap)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::timeline::Timeline;

    #[test]
    fn waits_double_from_the_first_to_the_longest() {
        let policy = Exponential {
            base: Duration::from_millis(10),
            cap: Duration::from_secs(2),
            clock: Arc::new(Timeline::default()),
        };

        let waits = [0, 1, 2, 7, 8, 31, 32, u32::MAX].map(|past_retries| {
            let offered = policy.should_retry(SystemTime::UNIX_EPOCH, past_retries);
            let RetryDecision::Retry { execute_after } = offered else {
                panic!("it never declines")
            };
            let wait = execute_after.duration_since(SystemTime::UNIX_EPOCH);
            wait.expect("not in the past").as_millis()
        });

        assert_eq!(waits, [10, 20, 40, 1280, 2000, 2000, 2000, 2000]);
    }
}
