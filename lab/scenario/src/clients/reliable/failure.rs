//! Turns the reference client's errors into outcomes.

use std::time::Duration;

use client::{ApiError, CrawlError};

use crate::{Ending, Outcome, StopReason};

/// The outcome of a failed call, with the facts of its error.
pub(crate) fn failure(error: ApiError) -> Outcome {
    let ended = |ending| Outcome::ended(ending, error.to_string());
    match &error {
        ApiError::Http(error) => {
            let mut outcome = ended(Ending::HttpError)
                .with("status", u64::from(error.status.as_u16()))
                .with("request_id_kept", error.request_id().is_some());
            if let Some(code) = error.printable_code() {
                outcome = outcome.with("code", code);
            }
            if let Some(wait) = error.retry_after {
                outcome = outcome.with("retry_after_seconds", whole_seconds(wait));
            }
            gave_up(outcome, error.stopped)
        }
        ApiError::Response(error) => {
            ended(Ending::ResponseError).with("problem", error.problem.as_str())
        }
        ApiError::Contract(error) => ended(Ending::ContractError).with("problem", error.as_str()),
        ApiError::Transport(error) => {
            let outcome = ended(Ending::TransportError).with("problem", error.kind.as_str());
            gave_up(outcome, error.stopped)
        }
        // A client that exists was configured well, so its calls never fail
        // with the class `Config`.
        _ => ended(Ending::TransportError),
    }
}

/// The outcome of a crawl that stopped.
pub(crate) fn crawl_failure(error: CrawlError) -> Outcome {
    match error {
        CrawlError::Api(error) => failure(error),
        // The runs commit each page, to a store that does not fail.
        other => Outcome::ended(Ending::ContractError, other.to_string()),
    }
}

fn gave_up(outcome: Outcome, why: Option<client::StopReason>) -> Outcome {
    match why.and_then(stop_reason) {
        Some(why) => outcome.with("gave_up", why),
        None => outcome,
    }
}

const fn stop_reason(why: client::StopReason) -> Option<StopReason> {
    let reason = match why {
        client::StopReason::Tls => StopReason::Tls,
        client::StopReason::NotEligible => StopReason::NotEligible,
        client::StopReason::BodyIsStream => StopReason::BodyIsStream,
        client::StopReason::RetryAfterOverBudget => StopReason::RetryAfterOverBudget,
        client::StopReason::AttemptsExhausted => StopReason::AttemptsExhausted,
        client::StopReason::Deadline => StopReason::Deadline,
        client::StopReason::RetryBudgetEmpty => StopReason::RetryBudgetEmpty,
        _ => return None,
    };
    Some(reason)
}

/// Rounded up, as in the error's text and the wire record: a caller that waits for this
/// time must not retry early, and the time until a date is seldom a whole second.
fn whole_seconds(wait: Duration) -> u64 {
    wait.as_secs()
        .saturating_add(u64::from(wait.subsec_nanos() > 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_rounded_up() {
        let waits = [0, 1, 1_000, 1_001].map(Duration::from_millis);

        assert_eq!(waits.map(whole_seconds), [0, 1, 1, 2]);
    }
}
