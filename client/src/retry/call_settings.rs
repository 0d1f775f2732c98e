//! Settings of one call, in place of those of its client.

use std::{num::NonZeroU32, time::Duration};

use http::Method;

use super::{
    decision::Limits,
    eligibility::{Eligibility, RepeatPermission},
};
use crate::timeouts::LONGEST;

/// What one call allows, in place of what its client allows. Whatever is not set
/// here is taken from the client.
///
/// As a request extension it holds for one request of a stack with
/// [`RetryMiddleware`](crate::RetryMiddleware); through
/// [`with_settings`](crate::ReliableApiClient::with_settings) for the calls of a
/// client.
///
/// ```
/// # use std::time::Duration;
/// use client::CallSettings;
///
/// # client::install_tls_provider();
/// # let http = reqwest::Client::builder().tls_certs_only([]).build()?;
/// # let stack = reqwest_middleware::ClientBuilder::new(http).build();
/// let request = stack
///     .get("http://127.0.0.1:8765/flaky")
///     .with_extension(CallSettings::new().deadline(Duration::from_secs(2)));
/// # Ok::<(), reqwest::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CallSettings {
    max_attempts: Option<NonZeroU32>,
    max_retry_after: Option<Duration>,
    deadline: Option<Duration>,
    not_repeatable: bool,
}

impl CallSettings {
    /// Leaves everything as the client has it.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            max_attempts: None,
            max_retry_after: None,
            deadline: None,
            not_repeatable: false,
        }
    }

    /// The most requests that the call may put on the wire.
    #[must_use]
    pub const fn max_attempts(mut self, max_attempts: NonZeroU32) -> Self {
        self.max_attempts = Some(max_attempts);
        self
    }

    /// The longest `Retry-After` that is waited for. More than
    /// [`Builder::LONGEST`](crate::Builder::LONGEST), a day, counts as that.
    #[must_use]
    pub fn max_retry_after(mut self, max_retry_after: Duration) -> Self {
        self.max_retry_after = Some(max_retry_after.min(LONGEST));
        self
    }

    /// The time that the call may take, its attempts and waits together. More than
    /// a day ([`Builder::LONGEST`](crate::Builder::LONGEST)) counts as a day; a
    /// call whose deadline is zero is never sent.
    #[must_use]
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = Some(deadline.min(LONGEST));
        self
    }

    /// Forbids a second attempt, whatever the method and whoever gave a
    /// [`RepeatPermission`](crate::RepeatPermission): a GET of this endpoint has
    /// effects, say, or its reader would rather have the error at once.
    #[must_use]
    pub const fn do_not_repeat(mut self) -> Self {
        self.not_repeatable = true;
        self
    }

    /// The limits of a client, with what is set here in their place.
    pub(super) fn limits(&self, of_client: Limits) -> Limits {
        Limits {
            max_attempts: self.max_attempts.unwrap_or(of_client.max_attempts),
            max_retry_after: self.max_retry_after.unwrap_or(of_client.max_retry_after),
        }
    }

    /// The deadline of a client, or the one set here.
    pub(super) fn deadline_or(&self, of_client: Option<Duration>) -> Option<Duration> {
        self.deadline.or(of_client)
    }

    /// Whether the request may be sent a second time: see [`Eligibility::of`].
    pub(super) fn eligibility(
        &self,
        method: &Method,
        permission: Option<RepeatPermission>,
        body_can_be_sent_twice: bool,
    ) -> Eligibility {
        if self.not_repeatable {
            return Eligibility::NotPermitted;
        }
        Eligibility::of(method, permission, body_can_be_sent_twice)
    }
}
