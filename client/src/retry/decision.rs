//! The retry decision: which results are worth another attempt, which requests may be
//! repeated, and what follows an attempt.
//!
//! It uses no clock, no sleep, no random source, no socket and no metric. The result of
//! the attempt comes in as [`Facts`], the state of the call as [`CallState`], the
//! caller's rules as [`Limits`]; [`decide`] makes a [`Decision`] of them.

use std::time::Duration;

use http::{Method, StatusCode};
use reqwest::Response;
use reqwest_middleware::Error;
use reqwest_retry::{Retryable, RetryableStrategy};

use super::{retry_after::RetryAfter, settings::Limits};
use crate::error::{ConfigError, FailureKind, StopReason};

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
    /// The TLS handshake failed or broke off. The next one would most likely do the same, and
    /// retries would hide a problem with a certificate.
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

impl Limits {
    /// Whether a call that has sent so many requests may send another.
    pub(super) fn leave_an_attempt(&self, attempts: u32) -> bool {
        attempts < self.max_attempts
    }
}

const fn stop(why: StopReason) -> Decision {
    Decision::Stop { why }
}

#[cfg(test)]
mod tests {
    use proptest::{option, prelude::*, sample::select};
    use reqwest_retry::DefaultRetryableStrategy;

    use super::*;
    use crate::error::Failure;

    #[test]
    fn final_statuses_and_statuses_that_are_not_errors_are_refused() {
        for status in [
            100, 200, 202, 302, 304, 400, 401, 403, 404, 409, 422, 600, 999,
        ] {
            let status = StatusCode::from_u16(status).expect("three digits");

            let refused = Classifier::new([StatusCode::BAD_GATEWAY, status]);

            let text = refused.expect_err("a status to refuse").to_string();
            assert!(text.contains(status.as_str()), "{text}");
        }
    }

    #[test]
    fn another_strategy_may_decide_but_not_about_tls() {
        let not_implemented = RetryReason::Status(StatusCode::NOT_IMPLEMENTED);
        let mut response = http::Response::new("");
        *response.status_mut() = StatusCode::NOT_IMPLEMENTED;
        for (result, expected) in [
            (Ok(response.into()), Verdict::Transient(not_implemented)),
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
