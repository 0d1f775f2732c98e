//! The limits of a call: the settings that can be given in several places.

use std::{num::NonZeroU32, time::Duration};

use reqwest::{Request, Response};
use reqwest_middleware::{Middleware, Next, Result};

use super::decision::Limits;
use crate::error::{ConfigError, at_most, not_zero, positive};

/// The limits of one call.
///
/// Each setting can be given in three places. The one nearest to the call wins:
///
/// 1. as an extension of the request, for a stack with
///    [`RetryMiddleware`](crate::RetryMiddleware);
/// 2. through [`with_settings`](crate::ApiClient::with_settings), for the calls of
///    one handle of a client;
/// 3. on the [`Builder`](crate::Builder) or on the
///    [`RetryMiddleware`](crate::RetryMiddleware), for all calls.
///
/// A setting has the same rule in all of them. A value that breaks the rule is a
/// [`ConfigError`]: no client is built and no request is sent with it.
///
/// ```
/// # use std::time::Duration;
/// use reliable_api_client::CallSettings;
///
/// # reliable_api_client::install_tls_provider();
/// # let http = reqwest::Client::builder().tls_certs_only([]).build()?;
/// # let stack = reqwest_middleware::ClientBuilder::new(http).build();
/// let request = stack
///     .get("http://127.0.0.1:8765/flaky")
///     .with_extension(CallSettings::new().deadline(Duration::from_secs(2)));
/// # Ok::<(), reqwest::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CallSettings {
    max_attempts: Option<u32>,
    max_retry_after: Option<Duration>,
    pub(crate) deadline: Option<Duration>,
}

impl CallSettings {
    /// The default of [`max_attempts`](Self::max_attempts).
    pub const DEFAULT_MAX_ATTEMPTS: NonZeroU32 = NonZeroU32::new(3).unwrap();

    /// The default of [`max_retry_after`](Self::max_retry_after).
    pub const DEFAULT_MAX_RETRY_AFTER: Duration = Duration::from_secs(30);

    /// The maximum `max_retry_after`, deadline, timeout and spread: a call that may
    /// take more than a day belongs in a queue.
    pub const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

    /// Creates settings with no value, so that the more distant places apply.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            max_attempts: None,
            max_retry_after: None,
            deadline: None,
        }
    }

    /// The maximum number of requests that the call may send; at least 1.
    #[must_use]
    pub const fn max_attempts(mut self, max_attempts: u32) -> Self {
        self.max_attempts = Some(max_attempts);
        self
    }

    /// The maximum `Retry-After` that the client waits for; at most a day. A longer one
    /// ends the call immediately: it is neither shortened nor ignored.
    #[must_use]
    pub const fn max_retry_after(mut self, max_retry_after: Duration) -> Self {
        self.max_retry_after = Some(max_retry_after);
        self
    }

    /// The time that the call may take, including attempts and waits; longer than zero,
    /// at most a day.
    ///
    /// A wait that would reach the deadline is not started. The
    /// [spread](crate::Builder::retry_after_spread) of a wait counts, too: it may make
    /// a wait too long that would have ended in time without it.
    #[must_use]
    pub const fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// These settings, with those of a more distant place for the values that are not
    /// set.
    pub(super) fn or(self, further: Self) -> Self {
        Self {
            max_attempts: self.max_attempts.or(further.max_attempts),
            max_retry_after: self.max_retry_after.or(further.max_retry_after),
            deadline: self.deadline.or(further.deadline),
        }
    }

    /// The limits from these settings, with the defaults for the values that are not
    /// set.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] for the first setting that breaks a rule.
    pub(crate) fn limits(&self) -> std::result::Result<Limits, ConfigError> {
        let max_attempts = match self.max_attempts {
            Some(attempts) => positive("max_attempts", attempts)?,
            None => Self::DEFAULT_MAX_ATTEMPTS,
        };
        let max_retry_after = self
            .max_retry_after
            .unwrap_or(Self::DEFAULT_MAX_RETRY_AFTER);
        at_most("max_retry_after", max_retry_after, Self::LONGEST)?;
        if let Some(deadline) = self.deadline {
            not_zero("the deadline", deadline)?;
            at_most("the deadline", deadline, Self::LONGEST)?;
        }
        Ok(Limits {
            max_attempts,
            max_retry_after,
        })
    }
}

/// The settings of one handle of a client. Its middleware passes them to the retry rules.
#[derive(Clone, Copy)]
pub(crate) struct OfHandle(pub(crate) CallSettings);

#[async_trait::async_trait]
impl Middleware for OfHandle {
    async fn handle(
        &self,
        request: Request,
        extensions: &mut http::Extensions,
        next: Next<'_>,
    ) -> Result<Response> {
        extensions.insert(*self);
        next.run(request, extensions).await
    }
}
