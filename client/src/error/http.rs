//! The service responded with a status that is not a success.

use std::{fmt, time::Duration};

use http::{HeaderMap, StatusCode};

use super::{
    Attempts, FailureKind, RequestName, StopReason,
    kept_response::KeptResponse,
    problem::{Problem, printable},
};

/// A response with a status outside 2xx.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ApiHttpError {
    /// Which request it was.
    pub request: RequestName,
    /// The status of the last response. Branch on its class first.
    pub status: StatusCode,
    pub(crate) problem: Problem,
    /// How long the server asked to wait, if it sent a `Retry-After` that can
    /// be followed; [`Duration::MAX`] if longer than can be represented.
    pub retry_after: Option<Duration>,
    /// The number of requests sent.
    pub attempts: u32,
    /// The retry rule that forbade another attempt, if one did.
    pub stopped: Option<StopReason>,
    /// The reason why the rest of the body is missing, if it is. Code and field are then
    /// missing as well, and a request id is that of the header. The status and the headers
    /// were complete, so the other fields are reliable.
    pub incomplete_body: Option<FailureKind>,
    pub(crate) kept: Box<KeptResponse>,
}

impl ApiHttpError {
    /// Creates an error for this status with `attempts` set to 1. Set the other public
    /// fields as needed.
    ///
    /// ```
    /// use reliable_api_client::{ApiHttpError, Endpoint, RequestName};
    /// use http::{Method, StatusCode};
    ///
    /// const ORDERS: Endpoint = Endpoint::new("orders", "/orders");
    ///
    /// let request = RequestName::new(&Method::GET, ORDERS);
    /// let mut error = ApiHttpError::new(request, StatusCode::NOT_FOUND);
    /// error.attempts = 2;
    ///
    /// assert!(error.to_string().contains("after 2 attempts"));
    /// ```
    #[must_use]
    pub fn new(request: RequestName, status: StatusCode) -> Self {
        Self {
            request,
            status,
            problem: Problem::default(),
            retry_after: None,
            attempts: 1,
            stopped: None,
            incomplete_body: None,
            kept: Box::default(),
        }
    }

    /// The headers of the response.
    #[must_use]
    pub fn headers(&self) -> &HeaderMap {
        &self.kept.headers
    }

    /// The body of the response as far as it was read: at most 64 KiB. It may contain
    /// anything, so neither `Display` nor `Debug` prints it.
    #[must_use]
    pub fn body(&self) -> &[u8] {
        &self.kept.body
    }

    /// The machine code in the body, such as `idempotency_conflict`; a number is given
    /// as its digits.
    ///
    /// This and the other parts of the problem object are given unchanged, up to 1 KiB
    /// each, and may contain anything. `Display` and `Debug` print only the parts that
    /// look like an identifier: letters, digits, `.`, `_` and `-`, at most 64.
    #[must_use]
    pub fn code(&self) -> Option<&str> {
        self.problem.code.as_deref()
    }

    /// The machine code, if it looks like an identifier and may be printed.
    #[must_use]
    pub fn printable_code(&self) -> Option<&str> {
        self.code().and_then(printable)
    }

    /// The request id from the body or the `X-Request-Id` header. Quote it to the owner
    /// of the service.
    #[must_use]
    pub fn request_id(&self) -> Option<&str> {
        self.problem.request_id.as_deref()
    }

    /// The part of the request at fault, according to the body, such as `query.limit`,
    /// `header.Idempotency-Key` or `body`.
    #[must_use]
    pub fn field(&self) -> Option<&str> {
        self.problem.field.as_deref()
    }
}

impl fmt::Display for ApiHttpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} returned {} after {}{}",
            self.request,
            self.status,
            Attempts(self.attempts),
            self.problem
        )?;
        if let Some(kind) = self.incomplete_body {
            write!(f, ", with a body that {}", incomplete_body_text(kind))?;
        }
        match (self.stopped, self.retry_after) {
            (Some(StopReason::RetryAfterOverBudget), Some(wait)) => write!(
                f,
                ": the server asks for a wait of {0} s, which is longer than this client may \
                 wait; call again after {0} s",
                whole_seconds(wait)
            ),
            (Some(StopReason::Deadline), Some(wait)) => write!(
                f,
                ": the server asks for a wait of {} s, and {}",
                whole_seconds(wait),
                StopReason::Deadline.advice()
            ),
            (Some(why), _) => write!(f, ": {}", why.advice()),
            (None, Some(wait)) => write!(
                f,
                ": the server asks for a wait of {} s; call again after that wait",
                whole_seconds(wait)
            ),
            (None, None) => write!(f, ": {}", advice(self.status)),
        }
    }
}

impl std::error::Error for ApiHttpError {}

/// Rounded up, so that a caller who waits for the printed time is not early.
fn whole_seconds(wait: Duration) -> u64 {
    wait.as_secs()
        .saturating_add(u64::from(wait.subsec_nanos() > 0))
}

/// Describes why the body of an error is incomplete.
fn incomplete_body_text(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::BodyTooLarge => "was too long to be read completely",
        FailureKind::ReadTimeout => "did not end in time",
        FailureKind::Undecodable => "cannot be decoded",
        _ => "broke off",
    }
}

/// The advice about a status that is not retried.
fn advice(status: StatusCode) -> &'static str {
    match status.as_u16() {
        304 => "nothing has changed since the copy that the request named; use that copy",
        300..=399 => "redirects are not followed; decide whether to call the new location",
        401 => "supply valid credentials",
        403 => "ask for the permission that is missing",
        404 => "check the path and the identifier",
        409 => "it conflicts with the current state; check that state before you send anything",
        429 => "the clients ask for too much together; ask for less, and call again later",
        500 | 502..=504 => "the failure may be temporary; call again later",
        408 | 425 => "the request itself is not at fault; call again later",
        400..=499 => "correct the request; unchanged, it would fail again",
        _ => "the service cannot serve this request; it would fail again",
    }
}
