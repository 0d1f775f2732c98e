//! The limits of calls: one set for a client or a middleware, and a deadline for one call.

use std::time::Duration;

use crate::error::{ConfigError, at_most, not_zero, positive};

/// The limits of the calls of a client or of a middleware.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// The maximum number of requests that one call may send; at least 1.
    pub(crate) max_attempts: u32,
    /// The maximum `Retry-After` that a call waits for; a longer one is returned to the
    /// caller, never shortened.
    pub(crate) max_retry_after: Duration,
    /// The time that one call may take, including attempts and waits.
    pub(crate) deadline: Option<Duration>,
    /// The maximum addition to a `Retry-After`.
    pub(crate) retry_after_spread: Duration,
    /// The maximum body size of a success; at least 1.
    pub(crate) max_body_bytes: usize,
}

/// The maximum of a `Retry-After`, a deadline, a timeout and a spread: a call that may take
/// more than a day belongs in a queue.
pub(crate) const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

impl Limits {
    /// 3 attempts, a `Retry-After` of up to 30 s, no deadline, no spread, a body of 8 MiB.
    pub(crate) const DEFAULT: Self = Self {
        max_attempts: 3,
        max_retry_after: Duration::from_secs(30),
        deadline: None,
        retry_after_spread: Duration::ZERO,
        max_body_bytes: 8 * 1024 * 1024,
    };

    /// Whether a call that has sent so many requests may send another.
    pub(super) fn leave_an_attempt(&self, attempts: u32) -> bool {
        attempts < self.max_attempts
    }

    /// Checks the rules of all limits.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] for the first limit that breaks its rule.
    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        positive("max_attempts", self.max_attempts)?;
        at_most("max_retry_after", self.max_retry_after, LONGEST)?;
        if let Some(deadline) = self.deadline {
            Deadline::new(deadline)?;
        }
        at_most("retry_after_spread", self.retry_after_spread, LONGEST)?;
        if self.max_body_bytes == 0 {
            return Err(ConfigError::ZeroCount {
                field: "max_body_bytes",
            });
        }
        Ok(())
    }
}

/// The deadline of one call, an extension of its request.
#[derive(Clone, Copy)]
pub(crate) struct Deadline(pub(super) Duration);

impl Deadline {
    /// Longer than zero, at most a day.
    pub(crate) fn new(deadline: Duration) -> Result<Self, ConfigError> {
        not_zero("the deadline", deadline)?;
        at_most("the deadline", deadline, LONGEST)?;
        Ok(Self(deadline))
    }
}
