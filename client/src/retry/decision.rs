//! The retry decision: one pure function makes it.
//!
//! It uses no clock, no sleep, no random source, no socket and no metric. The result of
//! the attempt comes in as [`Facts`], the state of the call as [`CallState`], the
//! caller's rules as [`Limits`]; a [`Decision`] comes out.

use std::time::Duration;

use http::{Method, StatusCode};

use super::{classify::Eligibility, limits::Limits, retry_after::RetryAfter};
use crate::error::{FailureKind, StopReason};

/// The result of one attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Facts {
    /// The meaning of the response, or of its absence, for a retry.
    pub(crate) verdict: Verdict,
    /// The server's `Retry-After`, if it sent one.
    pub(crate) retry_after: Option<RetryAfter>,
}

/// The meaning of an attempt's result for a retry, before any limit is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// A retry cannot help: return the result to the caller unchanged.
    Final,
    /// Another attempt may succeed.
    Transient(RetryReason),
    /// The TLS handshake failed. The next one would fail in the same way, and retries
    /// would only hide a certificate problem.
    Tls,
}

/// The reason why another attempt may succeed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum RetryReason {
    /// The server sent a status that indicates a temporary failure.
    Status(StatusCode),
    /// No complete response arrived.
    Failure(FailureKind),
}

/// The state of a call after an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CallState {
    /// The number of attempts so far, including the one being judged; at least 1.
    pub(crate) attempts: u32,
    /// Whether this request may be repeated.
    pub(crate) eligibility: Eligibility,
    /// Time left until the deadline of the call; `None` if it has none.
    pub(crate) remaining: Option<Duration>,
    /// The addition to a `Retry-After`, drawn by the caller; zero for none. It does not
    /// count towards `max_retry_after`.
    pub(crate) spread: Duration,
}

/// The next step of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Decision {
    /// Return the result to the caller: there is nothing to retry.
    Deliver,
    /// Wait for `after`, then send the request again.
    Retry {
        /// The minimum wait.
        after: Duration,
        /// The reason why another attempt may succeed.
        why: RetryReason,
        /// The source of the wait's length.
        source: WaitSource,
    },
    /// Return the result to the caller although it was a failure.
    Stop {
        /// The rule that forbade another attempt.
        why: StopReason,
    },
}

/// The inputs of a decision, which the spans show. It has no effect on the decision.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DecisionContext<'a> {
    /// The method of the request.
    pub(crate) method: &'a Method,
    /// The result of the attempt.
    pub(crate) facts: Facts,
    /// The state of the call.
    pub(crate) state: CallState,
    /// The limits of the call.
    pub(crate) limits: &'a Limits,
    /// The wait that the policy offered; `None` if the policy was not asked or
    /// declined.
    pub(crate) offered: Option<Duration>,
    /// The upper bound of that wait, if the policy draws its waits at random.
    pub(crate) ceiling: Option<Duration>,
    /// The tokens in the retry budget before this decision, if there is a budget.
    pub(crate) tokens: Option<f64>,
}

impl DecisionContext<'_> {
    /// The wait that was considered, whether or not it was used: that of the server, or
    /// else that of the policy.
    pub(crate) fn weighed(&self) -> Option<Duration> {
        let asked = self.facts.retry_after.and_then(RetryAfter::wait);
        asked.map_or(self.offered, |asked| {
            Some(asked.saturating_add(self.state.spread))
        })
    }
}

/// The source of a wait's length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum WaitSource {
    /// The server, through a valid `Retry-After`.
    RetryAfter,
    /// The client's own exponential backoff.
    Backoff,
}

/// Decides what follows an attempt.
///
/// `backoff` returns the wait that the backoff policy offers, or `None` if the policy
/// declines. It is called at most once, and only while attempts are left. A policy with
/// state may therefore be asked for a retry that the deadline or the retry budget then
/// forbids.
///
/// `token` takes a token of the retry budget that all clones share, and returns whether
/// there was one. It is called last, if everything else allows the retry, so that a
/// call that cannot retry takes no token from another call.
///
/// A valid `Retry-After` replaces the backoff. It is never shortened to fit a limit,
/// since the retry would then be earlier than the server allowed. If the `Retry-After`
/// is unusable, the backoff applies.
pub(crate) fn decide(
    facts: &Facts,
    state: &CallState,
    limits: &Limits,
    backoff: impl FnOnce() -> Option<Duration>,
    token: impl FnOnce() -> bool,
) -> Decision {
    let why = match facts.verdict {
        Verdict::Final => return Decision::Deliver,
        Verdict::Tls => return stop(StopReason::Tls),
        Verdict::Transient(why) => why,
    };
    match state.eligibility {
        Eligibility::Repeatable => {}
        Eligibility::NotPermitted => return stop(StopReason::NotEligible),
        Eligibility::BodyIsStream => return stop(StopReason::BodyIsStream),
    }

    let asked = facts.retry_after.and_then(RetryAfter::wait);
    if asked.is_some_and(|wait| wait > limits.max_retry_after) {
        return stop(StopReason::RetryAfterOverBudget);
    }
    if !limits.leave_an_attempt(state.attempts) {
        return stop(StopReason::AttemptsExhausted);
    }
    let Some(backoff) = backoff() else {
        return stop(StopReason::AttemptsExhausted);
    };

    let (after, source) = match asked {
        Some(wait) => (wait.saturating_add(state.spread), WaitSource::RetryAfter),
        None => (backoff, WaitSource::Backoff),
    };
    // A wait that ends exactly at the deadline leaves no time for the attempt.
    if state.remaining.is_some_and(|remaining| after >= remaining) {
        return stop(StopReason::Deadline);
    }
    if !token() {
        return stop(StopReason::RetryBudgetEmpty);
    }
    Decision::Retry { after, why, source }
}

const fn stop(why: StopReason) -> Decision {
    Decision::Stop { why }
}

#[cfg(test)]
mod tests {
    use proptest::{option, prelude::*, sample::select};

    use super::*;

    const UNAVAILABLE: RetryReason = RetryReason::Status(StatusCode::SERVICE_UNAVAILABLE);
    const BACKOFF: Duration = Duration::from_millis(200);
    const FRESH: CallState = CallState {
        attempts: 1,
        eligibility: Eligibility::Repeatable,
        remaining: None,
        spread: Duration::ZERO,
    };

    fn facts(retry_after: Option<RetryAfter>) -> Facts {
        Facts {
            verdict: Verdict::Transient(UNAVAILABLE),
            retry_after,
        }
    }

    fn seconds(seconds: u64) -> Option<RetryAfter> {
        Some(RetryAfter::Wait(Duration::from_secs(seconds)))
    }

    /// The decision with this offer of the policy and this word of the budget, and how
    /// often either was asked.
    fn judge(
        facts: Facts,
        state: CallState,
        offer: Option<Duration>,
        has_token: bool,
    ) -> (Decision, [u32; 2]) {
        let (mut offers, mut tokens) = (0, 0);
        let backoff = || {
            offers += 1;
            offer
        };
        let token = || {
            tokens += 1;
            has_token
        };
        let decision = decide(&facts, &state, &Limits::DEFAULT, backoff, token);
        (decision, [offers, tokens])
    }

    /// Each row removes the reason for which the previous row stopped, so the table
    /// also proves the order of the checks. The policy is asked only if another attempt
    /// is possible, and a token is taken only if everything else allows the retry.
    #[test]
    fn stops_for_the_first_reason_that_applies() {
        use StopReason::{
            AttemptsExhausted, BodyIsStream, Deadline, NotEligible, RetryAfterOverBudget,
            RetryBudgetEmpty, Tls,
        };
        let (long, none) = (facts(seconds(120)), facts(None));
        let of = |verdict| Facts { verdict, ..long };
        let hopeless = CallState {
            attempts: 3,
            eligibility: Eligibility::NotPermitted,
            remaining: Some(BACKOFF),
            spread: Duration::ZERO,
        };
        let permitted = CallState {
            eligibility: Eligibility::BodyIsStream,
            ..hopeless
        };
        let repeatable = CallState {
            eligibility: Eligibility::Repeatable,
            ..hopeless
        };
        let attempts_left = CallState {
            attempts: 2,
            ..repeatable
        };
        let time_left = CallState {
            remaining: Some(BACKOFF + Duration::from_nanos(1)),
            ..attempts_left
        };
        for (facts, state, decision, asked) in [
            (of(Verdict::Final), hopeless, Decision::Deliver, [0, 0]),
            (of(Verdict::Tls), hopeless, stop(Tls), [0, 0]),
            (long, hopeless, stop(NotEligible), [0, 0]),
            (long, permitted, stop(BodyIsStream), [0, 0]),
            (long, repeatable, stop(RetryAfterOverBudget), [0, 0]),
            (none, repeatable, stop(AttemptsExhausted), [0, 0]),
            (none, attempts_left, stop(Deadline), [1, 0]),
            (none, time_left, stop(RetryBudgetEmpty), [1, 1]),
        ] {
            let decided = judge(facts, state, Some(BACKOFF), false);

            assert_eq!(decided, (decision, asked), "{facts:?} {state:?}");
        }
        for retry_after in [None, seconds(1)] {
            let declined = judge(facts(retry_after), FRESH, None, true);

            assert_eq!(declined, (stop(AttemptsExhausted), [1, 0]));
        }
    }

    fn any_duration() -> impl Strategy<Value = Duration> {
        prop_oneof![
            Just(Duration::ZERO),
            Just(Duration::MAX),
            (0_u64..120_000).prop_map(Duration::from_millis),
            any::<Duration>(),
        ]
    }

    fn any_facts() -> impl Strategy<Value = Facts> {
        let verdict = select(vec![
            Verdict::Final,
            Verdict::Tls,
            Verdict::Transient(UNAVAILABLE),
            Verdict::Transient(RetryReason::Failure(FailureKind::ReadTimeout)),
        ]);
        let retry_after = option::of(prop_oneof![
            Just(RetryAfter::Unusable),
            Just(RetryAfter::PastDate),
            any_duration().prop_map(RetryAfter::Wait),
        ]);
        (verdict, retry_after).prop_map(|(verdict, retry_after)| Facts {
            verdict,
            retry_after,
        })
    }

    proptest! {
        /// Any sequence of responses, judged as a call would judge it. A usable
        /// `Retry-After` replaces the backoff, and a spread only lengthens it: the
        /// addition does not count towards the limit.
        #[test]
        fn every_attempt_that_the_rules_allow_is_made_and_no_other(
            responses in prop::collection::vec((any_facts(), any::<bool>()), 1..12),
            eligibility in select(vec![Eligibility::Repeatable, Eligibility::NotPermitted]),
            max_attempts in 1_u32..6,
            max_retry_after in any_duration(),
            deadline in option::of(any_duration()),
            spread in any_duration(),
        ) {
            let limits = Limits {
                max_attempts,
                max_retry_after,
                ..Limits::DEFAULT
            };
            let mut waited = Duration::ZERO;
            let mut attempts = 0;
            for (facts, budget) in responses {
                attempts += 1;
                let state = CallState {
                    attempts,
                    eligibility,
                    remaining: deadline.map(|deadline| deadline.saturating_sub(waited)),
                    spread,
                };

                let asked = facts.retry_after.and_then(RetryAfter::wait);
                let (after, source) = match asked {
                    Some(asked) => (asked.saturating_add(spread), WaitSource::RetryAfter),
                    None => (BACKOFF, WaitSource::Backoff),
                };
                let allowed = matches!(facts.verdict, Verdict::Transient(_))
                    && eligibility == Eligibility::Repeatable
                    && budget
                    && attempts < max_attempts
                    && asked.is_none_or(|asked| asked <= max_retry_after)
                    && state.remaining.is_none_or(|remaining| after < remaining);

                let offered = || Some(BACKOFF);
                let decision = decide(&facts, &state, &limits, offered, || budget);

                let retries = matches!(decision, Decision::Retry { .. });
                prop_assert_eq!(retries, allowed);
                let (true, Verdict::Transient(why)) = (allowed, facts.verdict) else {
                    break;
                };
                prop_assert_eq!(decision, Decision::Retry { after, why, source });
                waited = waited.saturating_add(after);
                prop_assert!(deadline.is_none_or(|deadline| waited < deadline));
            }
            prop_assert!(attempts <= max_attempts);
        }
    }
}
