//! Turns the reference client's errors into outcomes.

use std::time::Duration;

use client::ApiError;
use evidence::{Ending, Outcome, StopReason};

/// The outcome of a failed call, with the facts of its error.
pub(crate) fn failure(error: ApiError) -> Outcome {
    let mut outcome = Outcome {
        ending: ending(&error),
        text: error.to_string(),
        facts: Vec::new(),
    };
    match &error {
        ApiError::Http(error) => {
            outcome = outcome
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
        ApiError::Response(error) => outcome.with("problem", error.problem.as_str()),
        ApiError::Contract(error) => outcome.with("problem", error.as_str()),
        ApiError::Transport(error) => {
            gave_up(outcome.with("problem", error.kind.as_str()), error.stopped)
        }
        _ => outcome,
    }
}

fn gave_up(outcome: Outcome, why: Option<client::StopReason>) -> Outcome {
    match why {
        Some(why) => outcome.with("gave_up", stop_reason(why)),
        None => outcome,
    }
}

const fn stop_reason(why: client::StopReason) -> StopReason {
    match why {
        client::StopReason::Tls => StopReason::Tls,
        client::StopReason::NotEligible => StopReason::NotEligible,
        client::StopReason::BodyIsStream => StopReason::BodyIsStream,
        client::StopReason::RetryAfterOverBudget => StopReason::RetryAfterOverBudget,
        client::StopReason::AttemptsExhausted => StopReason::AttemptsExhausted,
        client::StopReason::Deadline => StopReason::Deadline,
        client::StopReason::RetryBudgetEmpty => StopReason::RetryBudgetEmpty,
    }
}

/// Rounded up, as in the error's text and the wire record: a caller that waits for this
/// time must not retry early, and the time until a date is seldom a whole second.
fn whole_seconds(wait: Duration) -> u64 {
    wait.as_secs()
        .saturating_add(u64::from(wait.subsec_nanos() > 0))
}

fn ending(error: &ApiError) -> Ending {
    match error {
        ApiError::Http(_) => Ending::HttpError,
        ApiError::Response(_) => Ending::ResponseError,
        ApiError::Contract(_) => Ending::ContractError,
        // A client that exists was configured well, so its calls never fail
        // with the class `Config`.
        _ => Ending::TransportError,
    }
}
