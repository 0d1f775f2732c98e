//! The operations of a client, and the possible events of each call.
//!
//! Prometheus counts a rise only from a number that it has seen, so a counter
//! has to be there at zero before its first event. What is listed here is
//! registered when the client is built; what cannot happen is not listed.

use http::{Method, StatusCode};

use super::{
    labels::{AttemptResult, GiveUp},
    outcome::CallOutcome,
};
use crate::{
    endpoint::Endpoint,
    error::{FailureKind, StopReason},
    retry::{RETRY_STATUSES, RetryReason, WaitSource, may_repeat},
};

/// An endpoint and the client method that calls it, for
/// [`Builder::operations`](crate::Builder::operations).
///
/// ```
/// use reliable_api_client::{ApiClient, Endpoint, telemetry::Operation};
///
/// const STOCK: Endpoint = Endpoint::new("stock", "/stock");
/// const ORDERS: Endpoint = Endpoint::new("orders", "/orders");
///
/// let client = ApiClient::builder("http://127.0.0.1:8765")
///     .operations([Operation::get(STOCK), Operation::listing(ORDERS)])
///     .build()?;
/// # Ok::<(), reliable_api_client::ConfigError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    pub(super) endpoint: Endpoint,
    pub(super) method: Method,
    pub(super) listing: bool,
    /// Whether a retry is permitted, as far as the method and the client say.
    repeatable: bool,
    /// The status of a success.
    pub(super) success: StatusCode,
    /// The statuses that the service sends, if they are known.
    statuses: Option<Vec<StatusCode>>,
}

impl Operation {
    /// Calls of [`ApiClient::get`](crate::ApiClient::get).
    #[must_use]
    pub const fn get(endpoint: Endpoint) -> Self {
        Self::new(endpoint, Method::GET, false, true)
    }

    /// Calls of [`ApiClient::listing`](crate::ApiClient::listing).
    #[must_use]
    pub const fn listing(endpoint: Endpoint) -> Self {
        Self::new(endpoint, Method::GET, true, true)
    }

    /// Requests with this method, without a permission to be repeated.
    #[must_use]
    pub fn request(method: Method, endpoint: Endpoint) -> Self {
        let repeatable = may_repeat(&method, None);
        Self::new(endpoint, method, false, repeatable)
    }

    /// Calls of [`ApiClient::post`](crate::ApiClient::post).
    #[must_use]
    pub const fn post(endpoint: Endpoint) -> Self {
        Self::new(endpoint, Method::POST, false, false)
    }

    /// Calls of [`ApiClient::post`](crate::ApiClient::post) with the
    /// [permission](crate::RequestBuilder::permit_repetition) to be repeated.
    #[must_use]
    pub const fn post_repeatable(endpoint: Endpoint) -> Self {
        Self::new(endpoint, Method::POST, false, true)
    }

    /// The status that a success has, where it is not 200.
    #[must_use]
    pub const fn success(mut self, status: StatusCode) -> Self {
        self.success = status;
        self
    }

    /// The statuses that the service sends here. Without them these are the success and
    /// all that the client retries. Any other is counted, too, but Prometheus misses its
    /// first event.
    #[must_use]
    pub fn statuses(mut self, statuses: impl IntoIterator<Item = StatusCode>) -> Self {
        self.statuses = Some(statuses.into_iter().collect());
        self
    }

    const fn new(endpoint: Endpoint, method: Method, listing: bool, repeatable: bool) -> Self {
        Self {
            endpoint,
            method,
            listing,
            repeatable,
            success: StatusCode::OK,
            statuses: None,
        }
    }

    /// Requests that nobody announced.
    pub(super) fn unannounced(endpoint: Endpoint, method: &Method) -> Self {
        Self::request(method.clone(), endpoint)
    }

    /// How a call can end, and whether it can have been retried then.
    pub(super) fn call_endings(&self) -> impl Iterator<Item = (CallOutcome, bool)> {
        let (listing, repeatable) = (self.listing, self.repeatable);
        CallOutcome::ALL
            .into_iter()
            .filter(move |outcome| listing || *outcome != CallOutcome::ContractError)
            .flat_map(|outcome| [(outcome, false), (outcome, true)])
            .filter(move |(_, retried)| repeatable || !retried)
    }

    /// How an attempt of a client with these rules can end.
    pub(super) fn attempt_results(&self, rules: &Rules) -> impl Iterator<Item = AttemptResult> {
        let statuses = self.statuses.clone().unwrap_or_else(|| {
            let retried = rules.retry_statuses.iter().copied();
            retried.chain([self.success]).collect()
        });
        statuses
            .into_iter()
            .map(Ok)
            .chain(Self::failures().map(Err))
    }

    /// How an attempt of any client can fail. A request whose turn never came is no attempt,
    /// and a response that cannot be decoded is complete.
    pub fn failures() -> impl Iterator<Item = FailureKind> {
        let others = [FailureKind::QueueTimeout, FailureKind::Undecodable];
        let all = FailureKind::ALL.into_iter();
        all.filter(move |kind| !others.contains(kind))
    }

    /// Why a client with these rules can wait for another attempt, and who can
    /// choose the length of the wait: without a response there is no
    /// `Retry-After`.
    pub(super) fn retries(&self, rules: &Rules) -> Vec<(RetryReason, WaitSource)> {
        if !self.repeatable {
            return Vec::new();
        }
        let known = self.statuses.as_ref();
        let sends = |status: &StatusCode| known.is_none_or(|known| known.contains(status));
        let statuses = rules.retry_statuses.iter().copied().filter(sends);
        let statuses = statuses.map(RetryReason::Status).flat_map(|reason| {
            [WaitSource::RetryAfter, WaitSource::Backoff].map(|source| (reason, source))
        });
        let failures = FailureKind::ALL
            .into_iter()
            .filter(|kind| kind.is_transient());
        let failures = failures.map(|kind| (RetryReason::Failure(kind), WaitSource::Backoff));
        statuses.chain(failures).collect()
    }

    /// Why a client with these rules can give up a call. TLS is among it
    /// whatever the base URL: a proxy or a middleware of the caller's may use it.
    pub(super) fn give_ups(&self, rules: &Rules) -> impl Iterator<Item = GiveUp> {
        GiveUp::ALL.into_iter().filter(|why| match why {
            GiveUp::PageLimit | GiveUp::ItemLimit => self.listing,
            GiveUp::Retry(StopReason::RetryBudgetEmpty) => self.repeatable && rules.retry_budget,
            GiveUp::Retry(StopReason::RetryAfterOverBudget | StopReason::AttemptsExhausted) => {
                self.repeatable
            }
            GiveUp::Retry(StopReason::NotEligible | StopReason::BodyIsStream) => !self.repeatable,
            // A deadline may pass before the first attempt has its turn.
            GiveUp::Retry(StopReason::Tls | StopReason::Deadline) => true,
        })
    }
}

/// The events that the settings of a client allow.
#[derive(Debug, Clone)]
pub(crate) struct Rules {
    /// The statuses that are worth another attempt.
    pub(crate) retry_statuses: Vec<StatusCode>,
    /// Whether there is a retry budget that can be empty.
    pub(crate) retry_budget: bool,
    /// Whether there is a concurrency limit that can shrink.
    pub(crate) concurrency_limit: bool,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            retry_statuses: RETRY_STATUSES.to_vec(),
            retry_budget: true,
            concurrency_limit: true,
        }
    }
}
