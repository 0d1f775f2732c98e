//! Classification: which results are worth another attempt.

use http::StatusCode;
use reqwest::Response;
use reqwest_middleware::Error;
use reqwest_retry::{Retryable, RetryableStrategy};

use super::{
    decision::{RetryReason, Verdict},
    failure::FailureKind,
};

/// The statuses that speak of a passing condition. Not every 5xx does: a 501
/// or a 505 will be the same in a second.
pub const RETRY_STATUSES: [StatusCode; 5] = [
    StatusCode::TOO_MANY_REQUESTS,
    StatusCode::INTERNAL_SERVER_ERROR,
    StatusCode::BAD_GATEWAY,
    StatusCode::SERVICE_UNAVAILABLE,
    StatusCode::GATEWAY_TIMEOUT,
];

/// This crate's [`RetryableStrategy`]: the five [`RETRY_STATUSES`] and the
/// failures whose kind [is transient](FailureKind::is_transient).
#[derive(Debug, Clone, Copy, Default)]
pub struct Classifier;

impl RetryableStrategy for Classifier {
    fn handle(&self, result: &Result<Response, Error>) -> Option<Retryable> {
        match result {
            Ok(response) => RETRY_STATUSES
                .contains(&response.status())
                .then_some(Retryable::Transient),
            Err(error) if FailureKind::of(error).is_transient() => Some(Retryable::Transient),
            Err(_) => Some(Retryable::Fatal),
        }
    }
}

/// What `strategy` makes of a result, in the decision's own terms.
///
/// A failed handshake is [`Verdict::Tls`] whatever the strategy says: the
/// strategies that `reqwest-retry` brings take it for a connection problem.
pub(super) fn verdict(
    strategy: &impl RetryableStrategy,
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

#[cfg(test)]
mod tests {
    use reqwest_retry::DefaultRetryableStrategy;

    use super::*;
    use crate::retry::failure::Failure;

    fn answered(status: u16) -> Result<Response, Error> {
        let answer = http::Response::builder()
            .status(status)
            .body("")
            .expect("a valid status");
        Ok(answer.into())
    }

    #[test]
    fn only_the_five_statuses_are_transient() {
        for status in 100..=599 {
            let verdict = verdict(&Classifier, &answered(status));

            let transient = matches!(status, 429 | 500 | 502 | 503 | 504);
            assert_eq!(
                matches!(verdict, Verdict::Transient(_)),
                transient,
                "{status}"
            );
        }
    }

    #[test]
    fn failures_follow_their_kind() {
        for kind in FailureKind::ALL {
            let expected = match kind {
                FailureKind::Tls => Verdict::Tls,
                kind if kind.is_transient() => Verdict::Transient(RetryReason::Failure(kind)),
                _ => Verdict::Final,
            };

            assert_eq!(verdict(&Classifier, &Err(Failure(kind).into())), expected);
        }
    }

    #[test]
    fn another_strategy_may_decide_but_not_about_tls() {
        let strategy = DefaultRetryableStrategy;

        assert_eq!(
            verdict(&strategy, &answered(501)),
            Verdict::Transient(RetryReason::Status(StatusCode::NOT_IMPLEMENTED))
        );
        assert_eq!(
            verdict(&strategy, &Err(Failure(FailureKind::Tls).into())),
            Verdict::Tls
        );
    }
}
