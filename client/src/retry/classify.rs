//! Which results are worth another attempt, and which requests may be repeated.

use http::{Method, StatusCode};
use reqwest::Response;
use reqwest_middleware::Error;
use reqwest_retry::{Retryable, RetryableStrategy};

use super::decision::{RetryReason, Verdict};
use crate::error::{ConfigError, FailureKind};

/// The statuses that indicate a temporary failure. Not every 5xx does: a 501 or a 505
/// is permanent.
pub const RETRY_STATUSES: [StatusCode; 5] = [
    StatusCode::TOO_MANY_REQUESTS,
    StatusCode::INTERNAL_SERVER_ERROR,
    StatusCode::BAD_GATEWAY,
    StatusCode::SERVICE_UNAVAILABLE,
    StatusCode::GATEWAY_TIMEOUT,
];

/// The statuses that no setting of a [`Builder`](crate::Builder) makes
/// worth another attempt: the request itself is at fault, or not allowed. A strategy of
/// the caller may still retry them.
pub const FINAL_STATUSES: [StatusCode; 6] = [
    StatusCode::BAD_REQUEST,
    StatusCode::UNAUTHORIZED,
    StatusCode::FORBIDDEN,
    StatusCode::NOT_FOUND,
    StatusCode::CONFLICT,
    StatusCode::UNPROCESSABLE_ENTITY,
];

impl FailureKind {
    /// Whether a second attempt could succeed.
    #[must_use]
    pub const fn is_transient(self) -> bool {
        match self {
            Self::ConnectTimeout
            | Self::ReadTimeout
            | Self::Connect
            | Self::ConnectionLost
            | Self::Protocol => true,
            Self::Tls
            | Self::BodyTooLarge
            | Self::Undecodable
            | Self::Request
            | Self::QueueTimeout => false,
        }
    }
}

/// This crate's [`RetryableStrategy`]: a set of statuses, the five
/// [`RETRY_STATUSES`] by default, and the failures whose kind
/// [is transient](FailureKind::is_transient).
///
/// `DefaultRetryableStrategy` of `reqwest-retry` cannot replace it: it retries a 408
/// and every 5xx, treats a failed TLS handshake as a connection error, and treats a
/// body that was cut off as fatal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Classifier {
    retried: Vec<StatusCode>,
}

impl Classifier {
    /// Creates a classifier that retries only `statuses`.
    ///
    /// # Errors
    ///
    /// [`ConfigError::RetryStatus`] for one of the six [`FINAL_STATUSES`], and for one
    /// that is not an error (below 400, above 599).
    pub(crate) fn new(statuses: impl IntoIterator<Item = StatusCode>) -> Result<Self, ConfigError> {
        let statuses = statuses.into_iter().map(|status| {
            let refused = |why| Err(ConfigError::RetryStatus { status, why });
            if FINAL_STATUSES.contains(&status) {
                refused("it is final: the same request would fail again")
            } else if status.is_client_error() || status.is_server_error() {
                Ok(status)
            } else {
                refused("it is not an error")
            }
        });
        let retried = statuses.collect::<Result<_, _>>()?;
        Ok(Self { retried })
    }
}

impl Default for Classifier {
    fn default() -> Self {
        Self {
            retried: RETRY_STATUSES.to_vec(),
        }
    }
}

impl RetryableStrategy for Classifier {
    fn handle(&self, result: &Result<Response, Error>) -> Option<Retryable> {
        match result {
            Ok(response) => {
                let retried = self.retried.contains(&response.status());
                retried.then_some(Retryable::Transient)
            }
            Err(error) if FailureKind::of(error).is_transient() => Some(Retryable::Transient),
            Err(_) => Some(Retryable::Fatal),
        }
    }
}

/// The verdict of `strategy` about a result.
///
/// A failed handshake is [`Verdict::Tls`] whatever the strategy says: the strategies of
/// `reqwest-retry` treat it as a connection error.
pub(super) fn verdict(
    strategy: &dyn RetryableStrategy,
    result: &Result<Response, Error>,
) -> Verdict {
    let reason = match result {
        Ok(response) => RetryReason::Status(response.status()),
        Err(error) => RetryReason::Failure(FailureKind::of(error)),
    };
    match (reason, strategy.handle(result)) {
        (RetryReason::Failure(FailureKind::Tls), _) => Verdict::Tls,
        (reason, Some(Retryable::Transient)) => Verdict::Transient(reason),
        (_, Some(Retryable::Fatal) | None) => Verdict::Final,
    }
}

/// Permission to repeat a request whose method alone does not allow it.
///
/// Add it to the extensions of a request only if the endpoint recognises a repetition,
/// for example by an idempotency key. The caller who adds it makes that promise. A
/// header makes no such promise, since any caller can send an `Idempotency-Key` to a
/// service that ignores it.
///
/// ```
/// # reliable_api_client::install_tls_provider();
/// # let http = reqwest::Client::builder().tls_certs_only([]).build()?;
/// # let client = reqwest_middleware::ClientBuilder::new(http).build();
/// let request = client
///     .post("http://127.0.0.1:8765/jobs")
///     .header("Idempotency-Key", "order-4711")
///     .with_extension(reliable_api_client::RepeatPermission);
/// # Ok::<(), reqwest::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RepeatPermission;

/// Whether a request may be sent a second time.
///
/// The idempotent methods may (RFC 9110 §9.2.2). POST is not idempotent and PATCH need
/// not be, so both need a [`RepeatPermission`]; so does any unknown method.
pub(crate) fn may_repeat(method: &Method, permission: Option<RepeatPermission>) -> bool {
    const IDEMPOTENT: [Method; 6] = [
        Method::GET,
        Method::HEAD,
        Method::PUT,
        Method::DELETE,
        Method::OPTIONS,
        Method::TRACE,
    ];
    permission.is_some() || IDEMPOTENT.contains(method)
}

/// Whether a request may be sent a second time, and the reason if it may not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Eligibility {
    /// It may be sent again.
    Repeatable,
    /// Its method does not allow a repetition and it carries no permission: see
    /// [`may_repeat`].
    NotPermitted,
    /// A repetition is allowed, but the body is a stream, which the first attempt has
    /// consumed.
    BodyIsStream,
}

impl Eligibility {
    /// Judges a request by its method, by the permission that it carries, and by
    /// whether its body can be sent twice. The permission is checked before the body.
    pub(crate) fn of(
        method: &Method,
        permission: Option<RepeatPermission>,
        body_can_be_sent_twice: bool,
    ) -> Self {
        if !may_repeat(method, permission) {
            Self::NotPermitted
        } else if body_can_be_sent_twice {
            Self::Repeatable
        } else {
            Self::BodyIsStream
        }
    }
}

#[cfg(test)]
mod tests {
    use reqwest_retry::DefaultRetryableStrategy;

    use super::*;
    use crate::error::Failure;

    fn response(status: u16) -> Result<Response, Error> {
        let response = http::Response::builder()
            .status(status)
            .body("")
            .expect("a valid status");
        Ok(response.into())
    }

    #[test]
    fn only_the_five_statuses_are_transient_unless_others_are_chosen() {
        let chosen = Classifier::new([408, 425, 503, 599].map(status_code));
        let chosen = chosen.expect("none of them is final");
        for (classifier, transient) in [
            (Classifier::default(), &[429, 500, 502, 503, 504][..]),
            (chosen, &[408, 425, 503, 599]),
        ] {
            let statuses = (100..=599).filter(|status| {
                let verdict = verdict(&classifier, &response(*status));
                matches!(verdict, Verdict::Transient(_))
            });

            assert_eq!(statuses.collect::<Vec<u16>>(), transient);
        }
    }

    #[test]
    fn final_statuses_and_statuses_that_are_not_errors_are_refused() {
        for status in [
            100, 200, 202, 302, 304, 400, 401, 403, 404, 409, 422, 600, 999,
        ] {
            let refused = Classifier::new([StatusCode::BAD_GATEWAY, status_code(status)]);

            let text = refused.expect_err("a status to refuse").to_string();
            assert!(text.contains(&status.to_string()), "{text}");
        }
    }

    fn status_code(status: u16) -> StatusCode {
        StatusCode::from_u16(status).expect("a valid status")
    }

    #[test]
    fn another_strategy_may_decide_but_not_about_tls() {
        let not_implemented = RetryReason::Status(StatusCode::NOT_IMPLEMENTED);
        for (result, expected) in [
            (response(501), Verdict::Transient(not_implemented)),
            (Err(Failure(FailureKind::Tls).into()), Verdict::Tls),
        ] {
            assert_eq!(verdict(&DefaultRetryableStrategy, &result), expected);
        }
    }

    #[test]
    fn only_idempotent_methods_need_no_permission_and_a_stream_is_sent_once() {
        use Eligibility::{BodyIsStream, NotPermitted, Repeatable};
        for (methods, without, with, of_a_stream) in [
            (
                &["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"][..],
                Repeatable,
                Repeatable,
                BodyIsStream,
            ),
            (
                &["POST", "PATCH", "CONNECT", "PURGE", "get"],
                NotPermitted,
                Repeatable,
                NotPermitted,
            ),
        ] {
            for method in methods {
                let method = method.parse().expect("a method");
                let permission = Some(RepeatPermission);

                assert_eq!(Eligibility::of(&method, None, true), without, "{method}");
                assert_eq!(Eligibility::of(&method, permission, true), with, "{method}");
                assert_eq!(Eligibility::of(&method, None, false), of_a_stream);
                assert_eq!(Eligibility::of(&method, permission, false), BodyIsStream);
            }
        }
    }
}
