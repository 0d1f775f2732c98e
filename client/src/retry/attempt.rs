//! One attempt: one request, up to the last byte of its response.

use std::{pin::pin, time::Duration};

use futures_util::future::BoxFuture;
use http::{Extensions, StatusCode};
use reqwest::{Request, Response};
use reqwest_middleware::{Error, Next};
use tracing::{Instrument, Span};

use super::{
    body, call::CallContext, facts::FailureKind, middleware::RetryMiddleware, shared::LimitChange,
};
use crate::time::{Hold, Sleep};

/// An attempt in progress: its span, and the response to come.
type Attempt<'a> = (Span, BoxFuture<'a, Result<Response, Error>>);

/// A response, or why there is none and the status of its head.
type Exchanged = Result<Response, (Error, Option<StatusCode>)>;

impl<P> RetryMiddleware<P> {
    /// Sends the request of `call`. If another attempt may follow, a copy of the request is
    /// kept for it. A body that is a stream cannot be copied.
    ///
    /// `remaining` is the time left until the deadline of the call, when the transport
    /// cuts the attempt off.
    pub(super) fn start<'a>(
        &self,
        call: &mut CallContext,
        next: &Next<'a>,
        extensions: &'a mut Extensions,
        remaining: Option<Duration>,
    ) -> Option<Attempt<'a>> {
        let mut request = call.request.take()?;
        let may_go_on = self.limits.leave_an_attempt(call.report.attempts);
        if may_go_on && call.is_repeatable() {
            call.request = request.try_clone();
        }
        let attempts = call.report.attempts;
        let span = call.observer.attempt_starts(&request, attempts);
        if let Some(inject) = &self.injector {
            inject(&span, request.headers_mut());
        }
        let own = request.timeout().copied();
        let bounds = [own, call.attempt_timeout, remaining];
        let bound = bounds.into_iter().flatten().min();
        // The session has the timeout of most attempts, unless the request has its own.
        if bound != own.or(self.timeouts.map(|timeouts| timeouts.attempt)) {
            *request.timeout_mut() = bound;
        }
        Some((span, next.clone().run(request, extensions)))
    }

    /// Awaits the response of an attempt, and reads its body into memory.
    pub(super) async fn read(
        &self,
        call: &CallContext,
        (span, sent): Attempt<'_>,
    ) -> Result<Response, Error> {
        let started = self.clock.monotonic();
        let mut exchange = pin!(self.exchange(call, sent).instrument(span));
        let (result, limit) = exchange.as_mut().await;
        let duration = self.clock.monotonic().saturating_sub(started);
        let span = exchange.span();
        if let Some(limit) = limit {
            call.observer.limit_moves(span, limit);
        }

        // The URL of a request may hold a secret, and `reqwest` prints it.
        let result = result.map_err(|(error, head)| (error.without_url(), head));
        let (outcome, head) = match &result {
            Ok(response) => (Ok(response.status()), Some(response.status())),
            Err((error, head)) => match (FailureKind::of(error), *head) {
                // The response was complete.
                (FailureKind::Undecodable, Some(status)) => (Ok(status), *head),
                (kind, head) => (Err(kind), head),
            },
        };
        call.observer.attempt_ends(span, outcome, head, duration);
        result.map_err(|(error, _)| error)
    }

    /// Awaits the response and reads its body; returns as well what its status did to the
    /// concurrency limit, if there is one. A failure has the status if a head arrived.
    async fn exchange(
        &self,
        call: &CallContext,
        sent: BoxFuture<'_, Result<Response, Error>>,
    ) -> (Exchanged, Option<LimitChange>) {
        let mut response = match sent.await {
            Ok(response) => response,
            Err(error) => return (Err((error, None)), None),
        };
        // Measured until the body has been read, if the response came over the network.
        let _held = response.extensions_mut().remove::<Hold>();
        let status = response.status();
        let observe = || self.concurrency.as_ref()?.observe(status);
        if response.content_length() == Some(0) {
            // There is nothing to read, so the response is complete as it is.
            return (Ok(response), observe());
        }
        if status < StatusCode::MULTIPLE_CHOICES {
            return match body::read_success(&mut response, self.limits.max_body_bytes).await {
                Ok(body) => (Ok(body::with_body(response, body)), observe()),
                Err(error) => (Err((error, Some(status))), None),
            };
        }
        // The status decides: the other workers see a 429 before its body has ended.
        let limit = observe();
        let patience = self.patience(call.patience);
        let body = body::read_error(&mut response, patience).await;
        (Ok(body::with_body(response, body)), limit)
    }

    /// The timeouts of a session are real even if the waits are virtual. A transport
    /// set by the caller has no session, and may run without a Tokio timer.
    fn patience(&self, length: Duration) -> Sleep<'_> {
        if self.has_no_session {
            self.clock.sleep(length)
        } else {
            Box::pin(body::session_timeout(length))
        }
    }
}
