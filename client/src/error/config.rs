//! A configuration that cannot be built.

use std::{num::NonZeroU32, time::Duration};

use http::{HeaderName, StatusCode};

use super::RequestName;
use crate::idempotency_key::InvalidIdempotencyKey;

/// A value that breaks a rule of the configuration. Each text names the field and the
/// rule, and the value unless it may hold a secret, as a base URL may hold a password.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The base URL does not parse.
    #[error("base_url must be an absolute URL such as http://127.0.0.1:8765")]
    BaseUrl(#[source] url::ParseError),
    /// The base URL has a scheme that this client does not speak. It is not
    /// quoted: if `http://` was forgotten, a user name may stand in its place.
    #[error("base_url must begin with http:// or https://")]
    BaseUrlScheme,
    /// The base URL has a part that does not belong there.
    #[error("base_url must not have a {part}: {why}")]
    BaseUrlPart {
        /// `user name or password`, `query` or `fragment`.
        part: &'static str,
        /// Why it is refused.
        why: &'static str,
    },
    /// A count is zero.
    #[error("{field} must be a positive integer, got 0")]
    ZeroCount {
        /// The field.
        field: &'static str,
    },
    /// A duration is zero.
    #[error("{field} must be longer than 0 s")]
    ZeroDuration {
        /// The field.
        field: &'static str,
    },
    /// A duration is longer than its rule allows.
    #[error("{field} must be at most {} s, got {} s", .max.as_secs_f64(), .got.as_secs_f64())]
    DurationTooLong {
        /// The field.
        field: &'static str,
        /// The duration.
        got: Duration,
        /// The maximum.
        max: Duration,
    },
    /// The first backoff is longer than the longest.
    #[error(
        "the backoff's base must be at most its cap, got {} s and {} s",
        .base.as_secs_f64(), .cap.as_secs_f64()
    )]
    BackoffOrder {
        /// The ceiling of the first wait.
        base: Duration,
        /// The ceiling of every wait.
        cap: Duration,
    },
    /// A status that must not be retried.
    #[error("retry_statuses must not hold {}: {why}", .status.as_u16())]
    RetryStatus {
        /// The status.
        status: StatusCode,
        /// Why it is refused.
        why: &'static str,
    },
    /// The values of a request do not fit the template of its endpoint.
    #[error("the path parameter {name} of {template} {why}")]
    PathParameter {
        /// The template of the endpoint.
        template: &'static str,
        /// The name of the parameter. Its value is not quoted.
        name: &'static str,
        /// Why the request was not sent.
        why: &'static str,
    },
    /// The path of a request would have a segment `.` or `..`, which leads to another path.
    #[error("the path of {template} must not have a segment `.` or `..`")]
    DotSegment {
        /// The template of the endpoint.
        template: &'static str,
    },
    /// The query of a listing has a parameter that the listing adds.
    #[error(
        "{request} must not have the query parameter {name}, which the listing adds; \
         set the page size instead"
    )]
    QueryParameter {
        /// Which request it was.
        request: RequestName,
        /// The name of the parameter.
        name: &'static str,
    },
    /// A header of a request is invalid. Its value is not quoted.
    #[error("{request} must have {}", header_rule(.name.as_ref()))]
    Header {
        /// Which request it was.
        request: RequestName,
        /// The header whose value is invalid; `None` if its name already is.
        name: Option<HeaderName>,
    },
    /// An idempotency key is invalid.
    #[error(transparent)]
    IdempotencyKey(#[from] InvalidIdempotencyKey),
    /// The body of a request cannot be written as JSON: its `Serialize` failed, or it has a
    /// map whose keys are not strings.
    #[error("{request} must have a body that can be written as JSON")]
    Body {
        /// Which request it was.
        request: RequestName,
    },
    /// Both a session and a transport in its place were given.
    #[error(
        "session and transport must not both be given: a transport stands in the place of the session"
    )]
    SessionAndTransport,
    /// `reqwest` could not build the session.
    #[error("the session could not be built; check its certificates, proxies and headers")]
    Session(#[source] reqwest::Error),
}

/// The rule that a request breaks with the value of this header, or with a name.
fn header_rule(name: Option<&HeaderName>) -> String {
    match name {
        Some(name) => format!("a valid value for the header {name}"),
        None => "valid names of headers".to_owned(),
    }
}

/// The rule that a count is at least 1.
pub(crate) fn positive(field: &'static str, count: u32) -> Result<NonZeroU32, ConfigError> {
    NonZeroU32::new(count).ok_or(ConfigError::ZeroCount { field })
}

/// The rule that a duration is longer than zero.
pub(crate) fn not_zero(field: &'static str, got: Duration) -> Result<(), ConfigError> {
    if got.is_zero() {
        return Err(ConfigError::ZeroDuration { field });
    }
    Ok(())
}

/// The rule that a duration is at most `max`.
pub(crate) fn at_most(
    field: &'static str,
    got: Duration,
    max: Duration,
) -> Result<(), ConfigError> {
    if got > max {
        return Err(ConfigError::DurationTooLong { field, got, max });
    }
    Ok(())
}
