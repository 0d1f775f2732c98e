//! The retry middleware: the only I/O of the retry rules.
//!
//! It keeps no rule of its own. It gathers facts, asks [`decide`], and does what
//! was decided.

use std::{
    num::NonZeroU32,
    pin::pin,
    sync::Arc,
    time::{Duration, SystemTime},
};

use bytes::Bytes;
use futures_util::future::{Either, select};
use http::{Extensions, header::RETRY_AFTER};
use reqwest::{Request, Response};
use reqwest_middleware::{Middleware, Next, Result};
use reqwest_retry::{RetryDecision, RetryPolicy, RetryableStrategy};
use tracing::Instrument;

use super::{
    attempt::Attempts,
    backoff::{Backoff, ceiling_of, jittered},
    body::DEFAULT_MAX_BODY_BYTES,
    budget::{RetryBudget, Token},
    call_settings::CallSettings,
    classify::{self, Classifier},
    concurrency::{ConcurrencyLimit, Permit},
    decision::{Decision, Facts, Grounds, Limits, Standing, StopReason, Verdict, decide},
    eligibility::RepeatPermission,
    failure::{Failure, FailureKind},
    retry_after::RetryAfter,
};
use crate::{
    endpoint::Endpoint,
    random::{Random, SystemRandom},
    telemetry::{
        self, AttemptCount, GiveUp, Injector, Metrics, OperationMetrics, Rules, SharedRecorder,
    },
    time::{Clock, SystemClock},
    timeouts::{LONGEST, Timeouts},
    transport::Below,
};

/// The default of [`RetryMiddleware::max_attempts`].
pub(crate) const DEFAULT_MAX_ATTEMPTS: NonZeroU32 = NonZeroU32::new(3).unwrap();

/// The default of [`RetryMiddleware::max_retry_after`].
pub(crate) const DEFAULT_MAX_RETRY_AFTER: Duration = Duration::from_secs(30);

/// How a call went, for whoever sent it.
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

/// What a call brings to the retry rules.
pub(crate) struct Terms<'a> {
    pub(crate) endpoint: Endpoint,
    pub(crate) timeouts: Timeouts,
    pub(crate) settings: CallSettings,
    pub(crate) permission: Option<RepeatPermission>,
    pub(crate) metrics: &'a OperationMetrics,
    /// When it began, on the monotonic clock.
    pub(crate) began: Duration,
    /// Counts its attempts.
    pub(crate) sent: &'a AttemptCount,
    /// Builds its request anew for a retry. Otherwise a copy is kept back before the
    /// request is sent. A request whose body is a stream has no copy, and so it has one
    /// attempt.
    pub(crate) rebuild: Option<&'a (dyn Fn() -> Request + Send + Sync)>,
    /// Where the body of the last response goes; without it, back into the response.
    pub(crate) body: Option<&'a mut Bytes>,
}

impl<'a> Terms<'a> {
    /// The extensions of its request, as a stack of middlewares finds them.
    pub(crate) fn extensions(&self) -> Extensions {
        let mut extensions = Extensions::new();
        extensions.insert(self.endpoint);
        extensions.insert(self.timeouts);
        extensions.insert(self.settings);
        if let Some(permission) = self.permission {
            extensions.insert(permission);
        }
        extensions
    }

    /// What is kept of a request that goes out now, for a retry.
    fn keep(&self, request: &Request) -> Option<Kept<'a>> {
        match self.rebuild {
            Some(rebuild) => Some(Kept::Rebuild(rebuild)),
            None => request.try_clone().map(Box::new).map(Kept::Copy),
        }
    }
}

/// What a request can be sent again from.
enum Kept<'a> {
    Copy(Box<Request>),
    Rebuild(&'a (dyn Fn() -> Request + Send + Sync)),
}

impl Kept<'_> {
    fn request(self) -> Request {
        match self {
            Self::Copy(request) => *request,
            Self::Rebuild(rebuild) => rebuild(),
        }
    }
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
/// use std::{num::NonZeroU32, time::Duration};
///
/// use client::RetryMiddleware;
///
/// # client::install_tls_provider();
/// let session = reqwest::Client::builder()
/// #   .tls_certs_only([])
///     .connect_timeout(Duration::from_secs(3))
///     .read_timeout(Duration::from_secs(15));
/// let http = client::without_hidden_requests(session).build()?;
/// let five = NonZeroU32::new(5).unwrap_or(NonZeroU32::MIN);
/// let client = reqwest_middleware::ClientBuilder::new(http)
///     .with(RetryMiddleware::new().max_attempts(five))
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
pub struct RetryMiddleware<P = Backoff, S = Classifier> {
    policy: P,
    strategy: S,
    limits: Limits,
    deadline: Option<Duration>,
    budget: Option<RetryBudget>,
    concurrency: Option<ConcurrencyLimit>,
    /// Those of the session below, as far as they are known.
    timeouts: Option<Timeouts>,
    max_body_bytes: usize,
    spread: Option<(Duration, Arc<dyn Random>)>,
    correct_dates: bool,
    clock: Arc<dyn Clock>,
    metrics: Arc<Metrics>,
    injector: Option<Injector>,
}

impl RetryMiddleware {
    /// The default rules: [`Backoff`] over the system's clock and randomness,
    /// the [`Classifier`] of this crate, 3 attempts, a `Retry-After` of up to
    /// 30 s, no deadline, no shared budget and no concurrency limit.
    #[must_use]
    pub fn new() -> Self {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
        let backoff = Backoff::new(
            Backoff::DEFAULT_BASE,
            Backoff::DEFAULT_CAP,
            Arc::clone(&clock),
            Arc::new(SystemRandom),
        );
        Self::with_policy(backoff, Classifier::default(), clock)
    }
}

impl Default for RetryMiddleware {
    fn default() -> Self {
        Self::new()
    }
}

impl<P, S> RetryMiddleware<P, S> {
    /// The default rules over a policy and a strategy of the caller's.
    ///
    /// `clock` measures deadlines, reads HTTP dates and waits. A policy speaks
    /// of times of day, so it should read the same clock.
    #[must_use]
    pub fn with_policy(policy: P, strategy: S, clock: Arc<dyn Clock>) -> Self {
        Self {
            policy,
            strategy,
            limits: Limits {
                max_attempts: DEFAULT_MAX_ATTEMPTS,
                max_retry_after: DEFAULT_MAX_RETRY_AFTER,
            },
            deadline: None,
            budget: None,
            concurrency: None,
            timeouts: None,
            max_body_bytes: DEFAULT_MAX_BODY_BYTES,
            spread: None,
            correct_dates: false,
            clock,
            metrics: Arc::new(Metrics::new(None, Rules::default())),
            injector: None,
        }
    }

    /// The most requests one call may put on the wire.
    #[must_use]
    pub fn max_attempts(mut self, max_attempts: NonZeroU32) -> Self {
        self.limits.max_attempts = max_attempts;
        self
    }

    /// The longest `Retry-After` that is waited for. A longer one ends the call
    /// at once: it is neither shortened nor ignored.
    #[must_use]
    pub fn max_retry_after(mut self, max_retry_after: Duration) -> Self {
        self.limits.max_retry_after = max_retry_after;
        self
    }

    /// The time one call may take, its attempts and waits together.
    ///
    /// A wait that would reach it is not begun, and an attempt in flight is cut
    /// off by the transport, by the timeout of its request. A middleware below that
    /// takes time of its own has to keep to that, too.
    #[must_use]
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = Some(deadline);
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

    /// Adds up to `spread` to every `Retry-After`, drawn from `random`; never
    /// less than what the server asked for. Many clients that were told the same
    /// second would all come back in it. The addition is no part of what
    /// [`max_retry_after`](Self::max_retry_after) allows; more than a day counts as
    /// a day.
    #[must_use]
    pub fn retry_after_spread(mut self, spread: Duration, random: Arc<dyn Random>) -> Self {
        self.spread = Some((spread.min(LONGEST), random));
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

    /// Registers the metrics with `recorder` rather than the global one.
    #[must_use]
    pub fn recorder(self, recorder: SharedRecorder) -> Self {
        self.metrics(Arc::new(Metrics::new(Some(recorder), Rules::default())))
    }

    /// Has every request carry the pair of the session below, unless it brings another.
    pub(crate) fn timeouts(mut self, timeouts: Timeouts) -> Self {
        self.timeouts = Some(timeouts);
        self
    }

    /// Shares the handles of a client that has its own.
    pub(crate) fn metrics(mut self, metrics: Arc<Metrics>) -> Self {
        self.metrics = metrics;
        self
    }
}

impl<P, S> std::fmt::Debug for RetryMiddleware<P, S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RetryMiddleware")
            .field("limits", &self.limits)
            .field("deadline", &self.deadline)
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
    async fn handle(
        &self,
        request: Request,
        extensions: &mut Extensions,
        next: Next<'_>,
    ) -> Result<Response> {
        let endpoint = extensions.get().copied().unwrap_or(Endpoint::OTHER);
        let metrics = self.metrics.operation(endpoint, request.method());
        if let Some(timeouts) = self.timeouts {
            extensions.get_or_insert(timeouts);
        }
        let terms = Terms {
            endpoint,
            timeouts: extensions.get().copied().unwrap_or(Timeouts::DEFAULT),
            settings: extensions.get().copied().unwrap_or_default(),
            permission: extensions.get().copied(),
            metrics: &metrics,
            began: self.clock.monotonic(),
            sent: &AttemptCount::default(),
            rebuild: None,
            body: None,
        };

        let (mut result, report) = self
            .call(request, terms, Below::Rest(next), extensions)
            .await;

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
    /// Makes a call: sends its request as often as the rules allow and demand.
    pub(crate) async fn call(
        &self,
        mut request: Request,
        terms: Terms<'_>,
        below: Below<'_>,
        extensions: &mut Extensions,
    ) -> (Result<Response>, RetryReport) {
        let mut report = RetryReport::default();
        let attempts = Attempts {
            clock: &*self.clock,
            injector: self.injector.as_ref(),
            metrics: terms.metrics,
            concurrency: self.concurrency.as_ref(),
            max_body_bytes: self.max_body_bytes,
            patience: terms.timeouts.read,
            below,
        };
        let settings = terms.settings;
        let limits = settings.limits(self.limits);
        let deadline = settings.deadline_or(self.deadline);
        let method = request.method().clone();
        let deadline = deadline.map(|after| terms.began.saturating_add(after));
        let mut payment = Payment::NotNeeded;
        // The result of the last attempt and the body beside it, kept while the
        // deadline may forbid the next one.
        let mut last = None;

        let (result, body) = loop {
            let permit = self.permit(deadline).await;
            // Read again: the turn, or the wait before it, may have ended late.
            let remaining = self.remaining(deadline);
            let Some(permit) = permit.ok().filter(|_| remaining != Some(Duration::ZERO)) else {
                report.stopped = Some(StopReason::Deadline);
                drop(telemetry::late_turn_span(&method, report.attempts));
                let never_sent = Err(Failure(FailureKind::QueueTimeout).into());
                break last.unwrap_or((never_sent, Bytes::new()));
            };
            // It is not needed any more, and its body may be large.
            drop(last.take());
            // Settled only now that the request goes on the wire: a call that
            // is dropped before has cost the service nothing.
            match (payment, &self.budget) {
                (Payment::Token(token), _) => token.spend(),
                (_, Some(budget)) => budget.deposit(),
                (_, None) => {}
            }
            let kept = terms.keep(&request);
            report.attempts = terms.sent.add();
            let mut body = Bytes::new();
            let result = attempts
                .send(
                    request,
                    report.attempts,
                    remaining,
                    extensions,
                    terms.body.is_some().then_some(&mut body),
                )
                .await;
            drop(permit);

            let facts = self.facts(&result);
            report.retry_after = facts.retry_after.and_then(RetryAfter::wait);
            let (payment_offered, tokens) = match (&self.budget, facts.verdict) {
                (Some(budget), Verdict::Transient(_)) => Payment::of(budget),
                _ => (Payment::NotNeeded, None),
            };
            let standing = Standing {
                attempts: report.attempts,
                eligibility: settings.eligibility(&method, terms.permission, kept.is_some()),
                remaining: self.remaining(deadline),
                budget: !matches!(payment_offered, Payment::BudgetEmpty),
                spread: self.draw_spread(&facts),
            };
            let mut offered = None;
            let backoff = || {
                offered = self.backoff(terms.began, report.attempts - 1);
                offered
            };
            let decision = decide(&facts, &standing, &limits, backoff);
            let grounds = Grounds {
                method: &method,
                facts,
                standing,
                limits,
                offered,
                ceiling: offered.and_then(|_| ceiling_of(&self.policy, report.attempts - 1)),
                tokens,
            };
            match (decision, kept) {
                (Decision::Retry { after, why, source }, Some(kept)) => {
                    // Without a deadline this response is not needed any more; its
                    // body may be large, and the wait may be long.
                    last = deadline.map(|_| (result, body));
                    terms.metrics.retry(why, source, after);
                    self.clock
                        .sleep(after)
                        .instrument(telemetry::wait_span(source, after, &grounds))
                        .await;
                    payment = payment_offered;
                    request = kept.request();
                }
                (Decision::Stop { why }, _) => {
                    // Another call may need it.
                    drop(payment_offered);
                    report.stopped = Some(why);
                    drop(telemetry::stop_span(why, &grounds));
                    break (result, body);
                }
                (Decision::Deliver | Decision::Retry { .. }, _) => break (result, body),
            }
        };
        if let Some(beside) = terms.body {
            *beside = body;
        }
        if let Some(why) = report.stopped {
            terms.metrics.give_up(GiveUp::Retry(why));
        }
        (result, report)
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
    /// A policy speaks of times of day, and the calendar may step. It is told when the
    /// call began by the calendar of now. It may even step while the policy is asked. So the calendar is read before and after: the policy has seen one
    /// of the two, and the other makes the wait longer by the step, or negative.
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
    fn remaining(&self, deadline: Option<Duration>) -> Option<Duration> {
        Some(deadline?.saturating_sub(self.clock.monotonic()))
    }

    /// Waits for a permit of the concurrency limit, if there is a limit, and no
    /// longer than the deadline allows.
    async fn permit(
        &self,
        deadline: Option<Duration>,
    ) -> std::result::Result<Option<Permit<'_>>, DeadlinePassed> {
        let Some(limit) = &self.concurrency else {
            return Ok(None);
        };
        // Mostly there is a place, and nothing to be told of.
        if let Some(permit) = limit.try_acquire() {
            return Ok(Some(permit));
        }
        let turn = pin!(limit.acquire());
        let queue = telemetry::queue_span(limit.current());
        let Some(remaining) = self.remaining(deadline) else {
            return Ok(Some(turn.instrument(queue).await));
        };
        match select(turn, self.clock.sleep(remaining))
            .instrument(queue)
            .await
        {
            Either::Left((permit, _)) => Ok(Some(permit)),
            Either::Right(_) => Err(DeadlinePassed),
        }
    }
}

/// The deadline of the call passed before its attempt had a turn.
struct DeadlinePassed;

/// What the retry budget gives for the next attempt.
enum Payment {
    /// Nothing: it is a first attempt, or there is no budget.
    NotNeeded,
    /// A token for a retry.
    Token(Token),
    /// No token is left: there must not be a retry.
    BudgetEmpty,
}

impl Payment {
    /// What this budget gives, and the tokens that it had before.
    fn of(budget: &RetryBudget) -> (Self, Option<f64>) {
        let (token, tokens) = budget.withdraw();
        (token.map_or(Self::BudgetEmpty, Self::Token), Some(tokens))
    }
}
