//! The retry middleware: a call from its first attempt to its last.
//!
//! It contains no rule. It gathers facts, asks [`decide`], and carries out the
//! decision.

use std::{
    pin::pin,
    sync::Arc,
    time::{Duration, SystemTime},
};

use futures_util::future::{Either, select};
use http::{Extensions, Method, header::RETRY_AFTER};
use reqwest::{Request, Response};
use reqwest_middleware::{Error, Middleware, Next, Result};
use reqwest_retry::{RetryDecision, RetryPolicy, RetryableStrategy};
use tracing::{Instrument, Span};

use super::{
    backoff::{Backoff, ceiling_of, jittered},
    budget::{RetryBudget, Token},
    concurrency::{ConcurrencyLimit, Permit},
    decision::{
        CallState, Decision, DecisionContext, Eligibility, Facts, RepeatPermission, Verdict,
        WaitSource, decide, verdict,
    },
    retry_after::RetryAfter,
    settings::{Deadline, Limits},
};
use crate::{
    clock::Clock,
    endpoint::Endpoint,
    error::{Failure, FailureKind, StopReason},
    random::Random,
    telemetry::{CallObserver, Injector, Metrics},
    timeouts::Timeouts,
};

/// A [`Middleware`](reqwest_middleware::Middleware) that retries by the rules of this crate.
///
/// A limit that breaks its rule is an error of every call, before anything is sent: a
/// [`ConfigError`](crate::ConfigError) in a [`reqwest_middleware::Error::Middleware`].
///
/// It uses the two traits of `reqwest-retry`: a strategy classifies a result, and the policy
/// `P` offers a wait. It adds features that `reqwest-retry` does not have: the eligible methods, the
/// `Retry-After` limit, a deadline that includes the waits, a retry budget and a
/// concurrency limit shared by all clones, and a body that is read before the decision.
///
/// ```
/// use std::time::Duration;
///
/// use reliable_api_client::RetryMiddleware;
///
/// # reliable_api_client::install_tls_provider();
/// let session = reqwest::Client::builder()
/// #   .tls_certs_only([])
///     .connect_timeout(Duration::from_secs(3))
///     .read_timeout(Duration::from_secs(15));
/// let http = reliable_api_client::without_hidden_requests(session).build()?;
/// let client = reqwest_middleware::ClientBuilder::new(http)
///     .with(RetryMiddleware::new().max_attempts(5))
///     .build();
/// # Ok::<(), reqwest::Error>(())
/// ```
///
/// The body of a success is buffered up to [`max_body_bytes`](Self::max_body_bytes). A
/// request whose body is a stream cannot be sent twice, so it gets one attempt.
///
/// **The `reqwest::Client` must not send extra requests.** By default it follows
/// redirects, including a 307 of a POST, and no middleware sees them: build it with
/// [`without_hidden_requests`](crate::without_hidden_requests).
#[derive(Clone)]
pub struct RetryMiddleware<P = Backoff> {
    pub(crate) policy: P,
    pub(crate) strategy: Arc<dyn RetryableStrategy + Send + Sync>,
    /// Checked at the start of each call, since a middleware has no step that builds it.
    pub(crate) limits: Limits,
    pub(crate) budget: Option<RetryBudget>,
    pub(crate) concurrency: Option<ConcurrencyLimit>,
    /// The timeouts of the session, if known.
    pub(crate) timeouts: Option<Timeouts>,
    pub(crate) has_no_session: bool,
    /// Draws the addition to a `Retry-After`.
    pub(crate) random: Arc<dyn Random>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) injector: Option<Injector>,
}

/// A report on a call.
///
/// After every call, the middleware adds it to the extensions of the response, or, if
/// there is none, to those of the request. These are kept by
/// [`execute_with_extensions`](reqwest_middleware::ClientWithMiddleware::execute_with_extensions):
///
/// ```
/// use std::sync::Arc;
///
/// use reliable_api_client::{NoWait, RetryMiddleware, RetryReport, SystemClock};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # reliable_api_client::install_tls_provider();
/// # let session = reqwest::Client::builder().no_proxy().tls_certs_only([]);
/// # let http = reliable_api_client::without_hidden_requests(session).build()?;
/// let retries = RetryMiddleware::with_policy(NoWait, Arc::new(SystemClock::new()));
/// let stack = reqwest_middleware::ClientBuilder::new(http).with(retries).build();
///
/// // Nothing listens there.
/// let request = stack.get("http://127.0.0.1:1/").build()?;
/// let mut extensions = http::Extensions::new();
/// let sent = stack.execute_with_extensions(request, &mut extensions).await;
///
/// assert!(sent.is_err());
/// let report: &RetryReport = extensions.get().expect("there is no response");
/// assert_eq!(report.attempts, 3);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RetryReport {
    /// The number of requests sent by this middleware.
    pub attempts: u32,
    /// The retry rule that forbade another attempt, if one did.
    pub stopped: Option<StopReason>,
    /// The wait in the last response's `Retry-After`, if it was usable.
    pub retry_after: Option<Duration>,
}

/// One call, from its first attempt to its last.
pub(super) struct Call {
    /// The request to send, until the last attempt has taken it.
    pub(super) request: Option<Request>,
    method: Method,
    eligibility: Eligibility,
    /// The time to read the body of an error.
    pub(super) patience: Duration,
    /// The total time of an attempt, if the session of the stack is this crate's.
    pub(super) attempt_timeout: Option<Duration>,
    /// The start of the call, on the monotonic clock.
    began: Duration,
    /// The deadline of the call.
    deadline: Option<Duration>,
    pub(super) observer: Arc<CallObserver>,
    pub(super) report: RetryReport,
    /// Pays for the next attempt, if there is a budget.
    token: Option<Token>,
    /// The result of the last attempt, while the call may still end with it.
    last: Option<Result<Response>>,
}

impl Call {
    /// Whether the request may be sent a second time.
    pub(super) fn is_repeatable(&self) -> bool {
        self.eligibility == Eligibility::Repeatable
    }
}

/// A wait for another attempt.
struct NextWait {
    length: Duration,
    source: WaitSource,
    span: Span,
}

/// A wait that goes on. It is reported when this is dropped: by then it has ended, or the
/// future of the call was dropped.
struct OpenWait<'a> {
    observer: &'a CallObserver,
    clock: &'a dyn Clock,
    source: WaitSource,
    /// On the monotonic clock.
    began: Duration,
}

impl Drop for OpenWait<'_> {
    fn drop(&mut self) {
        let length = self.clock.monotonic().saturating_sub(self.began);
        self.observer.waited(self.source, length);
    }
}

#[async_trait::async_trait]
impl<P> Middleware for RetryMiddleware<P>
where
    P: RetryPolicy + Send + Sync + 'static,
{
    /// Makes a call: sends its request as often as the rules allow and demand.
    ///
    /// Each round waits for its turn under the concurrency limit, sends the request,
    /// and asks `decide` for the next step: wait and send it again, stop, or deliver
    /// the response.
    async fn handle(
        &self,
        request: Request,
        extensions: &mut Extensions,
        next: Next<'_>,
    ) -> Result<Response> {
        self.limits.check().map_err(Error::middleware)?;
        // Boxed, since the future would otherwise be larger than the blocks that allocators keep
        // at hand, which costs more than all other allocations of a call.
        let mut call = Box::new(self.context(request, extensions));

        loop {
            let Some((permit, remaining)) = self.turn(&call).await else {
                call.report.stopped = Some(StopReason::Deadline);
                let attempts = call.report.attempts;
                call.observer.misses_its_turn(&call.method, attempts);
                break;
            };
            self.pay(call.token.take());
            call.report.attempts += 1;
            let attempt = self.start(&mut call, &next, extensions, remaining);
            let Some(attempt) = attempt else { break };
            call.last = None;
            let result = self.read(&call, attempt).await;
            drop(permit);

            let Some(wait) = self.next_wait(&mut call, result) else {
                break;
            };
            let waited = self.wait(&call, wait.length, wait.source);
            waited.instrument(wait.span).await;
        }

        let last = call.last.take();
        let mut result = last.unwrap_or_else(|| Err(Failure(FailureKind::QueueTimeout).into()));
        match &mut result {
            Ok(response) => response.extensions_mut().insert(call.report),
            Err(_) => extensions.insert(call.report),
        };
        result
    }
}

impl<P> RetryMiddleware<P>
where
    P: RetryPolicy + Send + Sync + 'static,
{
    /// Waits for the next attempt, and reports how long it really took.
    async fn wait(&self, call: &Call, length: Duration, source: WaitSource) {
        let _wait = OpenWait {
            observer: &call.observer,
            clock: &*self.clock,
            source,
            began: self.clock.monotonic(),
        };
        self.clock.sleep(length).await;
    }

    /// Reads the input of a call from its request.
    fn context(&self, request: Request, extensions: &mut Extensions) -> Call {
        let timeouts = self.timeouts_of(extensions);
        let of_the_call = extensions.remove().map(|Deadline(deadline)| deadline);
        let deadline = of_the_call.or(self.limits.deadline);
        let observer = match extensions.remove() {
            Some(observer) => observer,
            None => {
                let endpoint = extensions.get().copied().unwrap_or(Endpoint::OTHER);
                self.metrics.call(endpoint, request.method())
            }
        };
        let permission: Option<RepeatPermission> = extensions.get().copied();
        let body = request.body();
        let body_can_be_sent_twice = body.is_none_or(|body| body.as_bytes().is_some());
        let eligibility = Eligibility::of(request.method(), permission, body_can_be_sent_twice);
        let began = self.clock.monotonic();
        Call {
            method: request.method().clone(),
            request: Some(request),
            eligibility,
            patience: timeouts.read,
            attempt_timeout: self.timeouts.map(|_| timeouts.attempt),
            began,
            deadline: deadline.map(|deadline| began.saturating_add(deadline)),
            observer,
            report: RetryReport::default(),
            token: None,
            last: None,
        }
    }

    /// The timeouts of a request: those that its caller attached, or those of the session,
    /// which are attached here for the layers below.
    fn timeouts_of(&self, extensions: &mut Extensions) -> Timeouts {
        match self.timeouts {
            Some(timeouts) => *extensions.get_or_insert(timeouts),
            None => extensions.get().copied().unwrap_or(Timeouts::DEFAULT),
        }
    }

    /// Waits for a turn under the concurrency limit; returns it with the time left, or nothing
    /// if the deadline has passed: a wait can end late.
    async fn turn(&self, call: &Call) -> Option<(Option<Permit<'_>>, Option<Duration>)> {
        let permit = match &self.concurrency {
            Some(limit) => Some(self.permit(limit, call).await?),
            None => None,
        };
        let remaining = self.remaining(call);
        (remaining != Some(Duration::ZERO)).then_some((permit, remaining))
    }

    /// Waits for a permit, but no longer than the deadline allows.
    async fn permit<'a>(&self, limit: &'a ConcurrencyLimit, call: &Call) -> Option<Permit<'a>> {
        if let Some(permit) = limit.try_acquire() {
            return Some(permit);
        }
        let queue = call.observer.queues(limit.current());
        let Some(remaining) = self.remaining(call) else {
            return Some(limit.acquire().instrument(queue).await);
        };
        let turn = pin!(limit.acquire());
        match select(turn, self.clock.sleep(remaining))
            .instrument(queue)
            .await
        {
            Either::Left((permit, _)) => Some(permit),
            Either::Right(_) => None,
        }
    }

    /// Pays the retry budget for an attempt that is about to be sent. A call that is
    /// dropped before this point has cost the service nothing.
    fn pay(&self, token: Option<Token>) {
        match (token, &self.budget) {
            (Some(token), _) => token.spend(),
            (None, Some(budget)) => budget.deposit(),
            (None, None) => {}
        }
    }

    /// Decides the next step after an attempt, and reports the decision. Returns the wait for
    /// another attempt, if there is one.
    fn next_wait(&self, call: &mut Call, result: Result<Response>) -> Option<NextWait> {
        let (decision, token, context) = self.judge(call, &result);
        let retry_after = context.facts.retry_after.and_then(RetryAfter::wait);
        let (wait, stopped) = match decision {
            Decision::Retry { after, why, source } => {
                let wait = NextWait {
                    length: after,
                    source,
                    span: call.observer.waits(after, why, source, &context),
                };
                (Some(wait), None)
            }
            Decision::Stop { why } => {
                call.observer.stops(why, &context);
                (None, Some(why))
            }
            Decision::Deliver => (None, None),
        };
        call.report.retry_after = retry_after;
        call.report.stopped = stopped;
        call.token = token;
        // Only a deadline can end the call during the wait, with this response as its result.
        // Without one the response is dropped now, since its body may be large.
        let is_needed = wait.is_none() || call.deadline.is_some();
        call.last = Some(result).filter(|_| is_needed);
        wait
    }

    /// Decides the next step after an attempt. A retry comes with its token, if there
    /// is a budget.
    fn judge<'a>(
        &'a self,
        call: &'a Call,
        result: &Result<Response>,
    ) -> (Decision, Option<Token>, DecisionContext<'a>) {
        let facts = self.facts(result);
        let attempts = call.report.attempts;
        let state = CallState {
            attempts,
            eligibility: call.eligibility,
            remaining: self.remaining(call),
            spread: self.draw_spread(&facts),
        };
        let may_retry = matches!(facts.verdict, Verdict::Transient(_));
        let budget = self.budget.as_ref().filter(|_| may_retry);
        let tokens = budget.map(RetryBudget::tokens);
        let (mut offered, mut token) = (None, None);

        let backoff = || {
            offered = self.backoff(call.began, attempts - 1);
            offered
        };
        let take_token = || {
            token = budget.and_then(RetryBudget::withdraw);
            token.is_some() || budget.is_none()
        };
        let decision = decide(&facts, &state, &self.limits, backoff, take_token);

        let context = DecisionContext {
            method: &call.method,
            facts,
            state,
            limits: &self.limits,
            offered,
            ceiling: offered.and_then(|_| ceiling_of(&self.policy, attempts - 1)),
            tokens,
        };
        (decision, token, context)
    }

    /// The facts in the result of an attempt.
    fn facts(&self, result: &Result<Response>) -> Facts {
        let headers = result.as_ref().ok().map(Response::headers);
        let asking = headers.filter(|headers| headers.contains_key(RETRY_AFTER));
        Facts {
            verdict: verdict(&*self.strategy, result),
            retry_after: asking
                .and_then(|headers| RetryAfter::from_headers(headers, self.clock.wall())),
        }
    }

    /// The addition to the server's wait, if the server asks for one.
    fn draw_spread(&self, facts: &Facts) -> Duration {
        let spread = self.limits.retry_after_spread;
        let asks = facts.retry_after.and_then(RetryAfter::wait).is_some();
        if asks && !spread.is_zero() {
            jittered(spread, self.random.unit())
        } else {
            Duration::ZERO
        }
    }

    /// The wait that the policy offers before retry number `past_retries`.
    ///
    /// A policy works with wall-clock time, and the wall clock may jump, even while the
    /// policy is asked. So the wall clock is read before and after, and the shorter wait
    /// counts: a jump can shorten a wait, and never lengthens it.
    fn backoff(&self, began: Duration, past_retries: u32) -> Option<Duration> {
        let elapsed = self.clock.monotonic().saturating_sub(began);
        let before = self.clock.wall();
        let began = before
            .checked_sub(elapsed)
            .unwrap_or(SystemTime::UNIX_EPOCH);
        let RetryDecision::Retry { execute_after } = self.policy.should_retry(began, past_retries)
        else {
            return None;
        };
        let after = self.clock.wall();
        let waits = [before, after].map(|now| execute_after.duration_since(now).ok());
        Some(waits.into_iter().flatten().min().unwrap_or_default())
    }

    /// The time left until the deadline of a call, if it has one.
    fn remaining(&self, call: &Call) -> Option<Duration> {
        Some(call.deadline?.saturating_sub(self.clock.monotonic()))
    }
}
