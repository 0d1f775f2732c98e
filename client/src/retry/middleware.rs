//! The retry middleware: the only I/O of the retry rules.
//!
//! It keeps no rule of its own. It gathers facts, asks [`decide`], and does what
//! was decided.

use std::{
    pin::pin,
    sync::Arc,
    time::{Duration, SystemTime},
};

use futures_util::future::{Either, select};
use http::{Extensions, header::RETRY_AFTER};
use reqwest::{Request, Response};
use reqwest_middleware::{Error, Middleware, Next, Result};
use reqwest_retry::{RetryDecision, RetryPolicy, RetryableStrategy};
use tracing::Instrument;

use super::{
    attempt::Attempts,
    backoff::{Backoff, ceiling_of, jittered},
    body::DEFAULT_MAX_BODY_BYTES,
    budget::{RetryBudget, Token},
    call_context::CallContext,
    call_settings::CallSettings,
    classify::{self, Classifier},
    concurrency::{ConcurrencyLimit, Permit},
    decision::{CallState, Decision, DecisionContext, Facts, StopReason, Verdict, decide},
    failure::{Failure, FailureKind},
    observer::{Injector, Observer},
    retry_after::RetryAfter,
};
use crate::{
    endpoint::Endpoint,
    error::{ConfigError, at_most},
    random::Random,
    time::Clock,
    timeouts::Timeouts,
};

/// How a call went.
///
/// The middleware puts one into the request's extensions, success or not, and
/// into those of the response if there is one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RetryReport {
    /// Requests put on the wire by this middleware.
    pub attempts: u32,
    /// What forbade another attempt, if a retry rule did.
    pub stopped: Option<StopReason>,
    /// What the last response's `Retry-After` asked for, if it could be followed.
    pub retry_after: Option<Duration>,
}

/// A [`Middleware`] that retries by the rules of this crate.
///
/// It stands on the two seams of `reqwest-retry`: `S` classifies a result, `P`
/// offers a wait. In between is what `reqwest-retry` leaves out: the eligible
/// methods, the `Retry-After` budget, a deadline that counts the waits, a retry
/// budget and a concurrency limit shared by all clones, and a body that is read
/// before the decision.
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
/// The body of a success is buffered up to
/// [`max_body_bytes`](Self::max_body_bytes). A request whose own body is a stream
/// cannot be sent twice, and gets one attempt.
///
/// **The session below must not send requests of its own.** A default
/// `reqwest::Client` follows redirects, a 307 of a POST included, and no
/// middleware sees it: build the session with
/// [`without_hidden_requests`](crate::without_hidden_requests).
#[derive(Clone)]
pub struct RetryMiddleware<P = Backoff, S = Classifier> {
    policy: P,
    strategy: S,
    settings: CallSettings,
    budget: Option<RetryBudget>,
    concurrency: Option<ConcurrencyLimit>,
    /// Those of the session below, as far as they are known.
    timeouts: Option<Timeouts>,
    has_no_session: bool,
    max_body_bytes: usize,
    spread: Option<(Duration, Arc<dyn Random>)>,
    correct_dates: bool,
    clock: Arc<dyn Clock>,
    observer: Arc<dyn Observer>,
    injector: Option<Injector>,
}

impl<P, S> RetryMiddleware<P, S> {
    pub(crate) fn observed(
        policy: P,
        strategy: S,
        clock: Arc<dyn Clock>,
        observer: Arc<dyn Observer>,
    ) -> Self {
        Self {
            policy,
            strategy,
            settings: CallSettings::new(),
            budget: None,
            concurrency: None,
            timeouts: None,
            has_no_session: false,
            max_body_bytes: DEFAULT_MAX_BODY_BYTES,
            spread: None,
            correct_dates: false,
            clock,
            observer,
            injector: None,
        }
    }

    /// The most requests one call may put on the wire; at least 1. The default is 3.
    #[must_use]
    pub fn max_attempts(mut self, max_attempts: u32) -> Self {
        self.settings = self.settings.max_attempts(max_attempts);
        self
    }

    /// The longest `Retry-After` that is waited for; at most a day. A longer one ends
    /// the call at once: it is neither shortened nor ignored.
    #[must_use]
    pub fn max_retry_after(mut self, max_retry_after: Duration) -> Self {
        self.settings = self.settings.max_retry_after(max_retry_after);
        self
    }

    /// The time one call may take, its attempts and waits together; at most a day.
    ///
    /// A wait that would reach it is not begun, and an attempt in flight is cut
    /// off by the transport, by the timeout of its request. A middleware below that
    /// takes time of its own has to keep to that, too.
    #[must_use]
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.settings = self.settings.deadline(deadline);
        self
    }

    /// The retry budget to share.
    #[must_use]
    pub fn retry_budget(mut self, budget: RetryBudget) -> Self {
        self.budget = Some(budget);
        self
    }

    /// The concurrency limit to share.
    #[must_use]
    pub fn concurrency_limit(mut self, limit: ConcurrencyLimit) -> Self {
        self.concurrency = Some(limit);
        self
    }

    /// The longest body of a success that is accepted, in bytes. Of any other
    /// response at most 64 KiB are read.
    #[must_use]
    pub fn max_body_bytes(mut self, max_body_bytes: usize) -> Self {
        self.max_body_bytes = max_body_bytes;
        self
    }

    /// Adds up to `spread`, at most a day, to every `Retry-After`, drawn from `random`;
    /// never less than what the server asked for. Many clients that were told the same
    /// second would all come back in it. The addition is no part of what
    /// [`max_retry_after`](Self::max_retry_after) allows. It counts towards the
    /// [`deadline`](Self::deadline), and may so end a call that had time for the wait
    /// alone.
    #[must_use]
    pub fn retry_after_spread(mut self, spread: Duration, random: Arc<dyn Random>) -> Self {
        self.spread = Some((spread, random));
        self
    }

    /// Whether a `Retry-After` that is a date is also measured from the `Date`
    /// of its response (RFC 9110 §6.6.1), the longer of the two waits counting:
    /// so a client whose clock is fast does not come early. The default is to
    /// trust the clock.
    #[must_use]
    pub fn correct_dates(mut self, correct_dates: bool) -> Self {
        self.correct_dates = correct_dates;
        self
    }

    /// Writes each attempt's trace context into its headers.
    #[must_use]
    pub fn injector(mut self, injector: Injector) -> Self {
        self.injector = Some(injector);
        self
    }

    /// What one call may take, unless a nearer place says otherwise.
    pub(crate) fn settings(mut self, settings: CallSettings) -> Self {
        self.settings = settings;
        self
    }

    /// Has every request carry the pair of the session below, unless it brings another.
    pub(crate) fn timeouts(mut self, timeouts: Timeouts) -> Self {
        self.timeouts = Some(timeouts);
        self
    }

    /// Whether a transport that was handed in stands in the place of a session.
    pub(crate) fn has_no_session(mut self, has_no_session: bool) -> Self {
        self.has_no_session = has_no_session;
        self
    }

    /// Who listens.
    pub(crate) fn observer(mut self, observer: Arc<dyn Observer>) -> Self {
        self.observer = observer;
        self
    }

    /// Whether the settings of all calls are legal.
    pub(crate) fn check(&self) -> std::result::Result<(), ConfigError> {
        if let Some((spread, _)) = self.spread {
            at_most("retry_after_spread", spread, CallSettings::LONGEST)?;
        }
        self.settings.limits().map(drop)
    }
}

impl<P, S> std::fmt::Debug for RetryMiddleware<P, S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RetryMiddleware")
            .field("settings", &self.settings)
            .field("budget", &self.budget)
            .field("concurrency", &self.concurrency)
            .field("max_body_bytes", &self.max_body_bytes)
            .finish_non_exhaustive()
    }
}

#[async_trait::async_trait]
impl<P, S> Middleware for RetryMiddleware<P, S>
where
    P: RetryPolicy + Send + Sync + 'static,
    S: RetryableStrategy + Send + Sync + 'static,
{
    /// Makes a call: sends its request as often as the rules allow and demand.
    ///
    /// Each round waits for its turn under the concurrency limit, sends the request, and
    /// asks [`decide`] what follows: to wait and send it again, to stop, or to deliver the
    /// response.
    async fn handle(
        &self,
        mut request: Request,
        extensions: &mut Extensions,
        next: Next<'_>,
    ) -> Result<Response> {
        let call = self
            .context(&request, extensions)
            .map_err(Error::middleware)?;
        let attempts = self.attempts(&call, next);
        let mut report = RetryReport::default();
        let mut token = None;
        // The result of the last attempt, while the deadline may forbid the next one.
        let mut last = None;

        let mut result = loop {
            let Some((permit, remaining)) = self.turn(&call).await else {
                report.stopped = Some(StopReason::Deadline);
                call.observer.misses_its_turn(&call.method, report.attempts);
                break last.unwrap_or_else(|| Err(Failure(FailureKind::QueueTimeout).into()));
            };
            drop(last.take());
            self.pay(token);
            let copy = request.try_clone();
            report.attempts = call.attempts.add();
            let result = attempts
                .send(request, report.attempts, remaining, extensions)
                .await;
            drop(permit);

            let (decision, taken, context) =
                self.judge(&call, &result, report.attempts, copy.is_some());
            report.retry_after = context.facts.retry_after.and_then(RetryAfter::wait);
            match (decision, copy) {
                (Decision::Retry { after, why, source }, Some(copy)) => {
                    let span = call.observer.waits(after, why, source, &context);
                    // Without a deadline this response is not needed any more; its
                    // body may be large, and the wait may be long.
                    last = call.deadline.map(|_| result);
                    self.clock.sleep(after).instrument(span).await;
                    (request, token) = (copy, taken);
                }
                (Decision::Stop { why }, _) => {
                    report.stopped = Some(why);
                    call.observer.stops(why, &context);
                    break result;
                }
                (Decision::Deliver | Decision::Retry { .. }, _) => break result,
            }
        };

        extensions.insert(report);
        if let Ok(response) = &mut result {
            response.extensions_mut().insert(report);
        }
        result
    }
}

impl<P, S> RetryMiddleware<P, S>
where
    P: RetryPolicy + Send + Sync + 'static,
    S: RetryableStrategy + Send + Sync + 'static,
{
    /// Reads what a call brings off its request.
    fn context(
        &self,
        request: &Request,
        extensions: &mut Extensions,
    ) -> std::result::Result<CallContext, ConfigError> {
        self.check()?;
        if let Some(timeouts) = self.timeouts {
            extensions.get_or_insert(timeouts);
        }
        let nearer: CallSettings = extensions.get().copied().unwrap_or_default();
        let settings = nearer.or(self.settings);
        let endpoint = extensions.get().copied().unwrap_or(Endpoint::OTHER);
        let began = self.clock.monotonic();
        Ok(CallContext {
            method: request.method().clone(),
            settings,
            limits: settings.limits()?,
            permission: extensions.get().copied(),
            timeouts: extensions.get().copied().unwrap_or(Timeouts::DEFAULT),
            began,
            deadline: settings.deadline_of(began),
            attempts: extensions.get().cloned().unwrap_or_default(),
            observer: self.observer.call(endpoint, request.method()),
        })
    }

    fn attempts<'a>(&'a self, call: &'a CallContext, next: Next<'a>) -> Attempts<'a> {
        Attempts {
            clock: &*self.clock,
            injector: self.injector.as_ref(),
            observer: &*call.observer,
            concurrency: self.concurrency.as_ref(),
            max_body_bytes: self.max_body_bytes,
            patience: call.timeouts.read,
            has_no_session: self.has_no_session,
            next,
        }
    }

    /// Waits for a turn under the concurrency limit, and tells the time left then.
    /// There is no turn after the deadline: this wait may end late, and so may the one
    /// before it.
    async fn turn(&self, call: &CallContext) -> Option<(Option<Permit<'_>>, Option<Duration>)> {
        let permit = match &self.concurrency {
            Some(limit) => Some(self.permit(limit, call).await?),
            None => None,
        };
        let remaining = self.remaining(call);
        (remaining != Some(Duration::ZERO)).then_some((permit, remaining))
    }

    /// Waits for a permit, but no longer than the deadline allows.
    async fn permit<'a>(
        &self,
        limit: &'a ConcurrencyLimit,
        call: &CallContext,
    ) -> Option<Permit<'a>> {
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

    /// Settles with the retry budget for an attempt that goes on the wire now: a call
    /// that is dropped before has cost the service nothing.
    fn pay(&self, token: Option<Token>) {
        match (token, &self.budget) {
            (Some(token), _) => token.spend(),
            (None, Some(budget)) => budget.deposit(),
            (None, None) => {}
        }
    }

    /// Decides what follows an attempt. A retry comes with its token, if there is a
    /// budget.
    fn judge<'a>(
        &self,
        call: &'a CallContext,
        result: &Result<Response>,
        attempts: u32,
        body_can_be_sent_twice: bool,
    ) -> (Decision, Option<Token>, DecisionContext<'a>) {
        let facts = self.facts(result);
        let state = CallState {
            attempts,
            eligibility: call.settings.eligibility(
                &call.method,
                call.permission,
                body_can_be_sent_twice,
            ),
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
        let decision = decide(&facts, &state, &call.limits, backoff, take_token);

        let context = DecisionContext {
            method: &call.method,
            facts,
            state,
            limits: call.limits,
            offered,
            ceiling: offered.and_then(|_| ceiling_of(&self.policy, attempts - 1)),
            tokens,
        };
        (decision, token, context)
    }

    /// What the result of an attempt means.
    fn facts(&self, result: &Result<Response>) -> Facts {
        let read = if self.correct_dates {
            RetryAfter::from_headers_corrected
        } else {
            RetryAfter::from_headers
        };
        let headers = result.as_ref().ok().map(Response::headers);
        let asking = headers.filter(|headers| headers.contains_key(RETRY_AFTER));
        Facts {
            verdict: classify::verdict(&self.strategy, result),
            retry_after: asking.and_then(|headers| read(headers, self.clock.wall())),
        }
    }

    /// What to add to the wait that the server asks for, if it asks for one.
    fn draw_spread(&self, facts: &Facts) -> Duration {
        match (&self.spread, facts.retry_after.and_then(RetryAfter::wait)) {
            (Some((spread, random)), Some(_)) => jittered(*spread, random.unit()),
            _ => Duration::ZERO,
        }
    }

    /// The wait that the policy offers before retry number `past_retries`.
    ///
    /// A policy speaks of times of day, and the calendar may step, even while the policy
    /// is asked. So the calendar is read before and after: the policy has seen one of
    /// the two, and the other makes the wait longer by the step, or negative.
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
    fn remaining(&self, call: &CallContext) -> Option<Duration> {
        Some(call.deadline?.saturating_sub(self.clock.monotonic()))
    }
}
