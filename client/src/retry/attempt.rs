//! One attempt: one request, up to the last byte of its response.

use std::{pin::pin, time::Duration};

use http::{Extensions, StatusCode};
use reqwest::{Request, Response};
use reqwest_middleware::{Error, Next};
use tracing::Instrument;

use super::{
    body, call::CallContext, concurrency::LimitChange, failure::FailureKind,
    middleware::RetryMiddleware,
};
use crate::time::Hold;

/// A response, or why there is none and the status of its head.
type Exchanged = Result<Response, (Error, Option<StatusCode>)>;

impl<P, S> RetryMiddleware<P, S> {
    /// Sends `request` as attempt number `number` and reads the response with its body
    /// into memory.
    ///
    /// `remaining` is the time left until the deadline of the call, when the transport
    /// cuts the attempt off.
    pub(super) async fn send(
        &self,
        call: &CallContext,
        next: Next<'_>,
        mut request: Request,
        number: u32,
        remaining: Option<Duration>,
        extensions: &mut Extensions,
    ) -> Result<Response, Error> {
        let span = call.observer.attempt_starts(&request, number);
        if let Some(inject) = &self.injector {
            inject(&span, request.headers_mut());
        }
        if let Some(remaining) = remaining {
            let timeout = request
                .timeout()
                .map_or(remaining, |own| remaining.min(*own));
            *request.timeout_mut() = Some(timeout);
        }

        let started = self.clock.monotonic();
        let mut exchange = pin!(
            self.exchange(call, next, request, extensions)
                .instrument(span)
        );
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
            Err((error, head)) => (Err(FailureKind::of(error)), *head),
        };
        call.observer.attempt_ends(span, outcome, head, duration);
        result.map_err(|(error, _)| error)
    }

    /// Sends the request and reads the response; returns as well what its status did to
    /// the concurrency limit, if there is one. A failure has the status if a head arrived.
    async fn exchange(
        &self,
        call: &CallContext,
        next: Next<'_>,
        request: Request,
        extensions: &mut Extensions,
    ) -> (Exchanged, Option<LimitChange>) {
        let mut response = match next.run(request, extensions).await {
            Ok(response) => response,
            Err(error) => return (Err((error, None)), None),
        };
        // Measured until the body has been read, if the response came over the network.
        let _held = response.extensions_mut().remove::<Hold>();
        let status = response.status();
        let observe = || self.concurrency.as_ref()?.observe(status);
        if status < StatusCode::MULTIPLE_CHOICES {
            return match body::read_success(response, self.max_body_bytes).await {
                Ok(response) => (Ok(response), observe()),
                Err(error) => (Err((error, Some(status))), None),
            };
        }
        // The status decides: the other workers see a 429 before its body has ended.
        let limit = observe();
        let response = body::read_error(response, self.end_of_patience(call.timeouts.read)).await;
        (Ok(response), limit)
    }

    /// The timeouts of a session are real even if the waits are virtual. A transport
    /// set by the caller has no session, and may run without a Tokio timer.
    async fn end_of_patience(&self, patience: Duration) {
        if self.has_no_session {
            self.clock.sleep(patience).await;
        } else {
            body::session_timeout(patience).await;
        }
    }
}
