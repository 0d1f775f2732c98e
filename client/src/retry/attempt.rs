//! One attempt: one request, up to the last byte of its response.
//!
//! The attempt includes reading the body, so that a success whose body is cut off is a
//! failure like any other, and the retry decision applies to it. A middleware that
//! returns after the headers, as most do, never sees that failure.
//!
//! **The head decides.** A response with a status of 300 or above is judged by its
//! status and headers alone: the `Retry-After` of a 503 whose body is cut off still
//! applies, and a 401 is still final. The body is read only for its problem object; an
//! incomplete body is reported and changes nothing else.

use std::{future::Future, pin::pin, time::Duration};

use bytes::{Bytes, BytesMut};
use futures_util::future::{BoxFuture, Either, select};
use http::{Extensions, StatusCode};
use reqwest::{Response, ResponseBuilderExt};
use reqwest_middleware::{Error, Next, Result};
use tracing::{Instrument, Span};

use super::{
    concurrency::LimitChange,
    middleware::{Call, RetryMiddleware},
};
use crate::{
    clock::{Hold, Sleep},
    error::{Failure, FailureKind, MAX_KEPT_BYTES, Undecodable},
};

/// An attempt in progress: its span, and the response to come.
type Attempt<'a> = (Span, BoxFuture<'a, Result<Response>>);

/// A response, or why there is none and the status of its head.
type Exchanged = std::result::Result<Response, (Error, Option<StatusCode>)>;

impl<P> RetryMiddleware<P> {
    /// Sends the request of `call`. If another attempt may follow, a copy of the request is
    /// kept for it. A body that is a stream cannot be copied.
    ///
    /// `remaining` is the time left until the deadline of the call, when the transport
    /// cuts the attempt off.
    pub(super) fn start<'a>(
        &self,
        call: &mut Call,
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
    pub(super) async fn read(&self, call: &Call, (span, sent): Attempt<'_>) -> Result<Response> {
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
        call: &Call,
        sent: BoxFuture<'_, Result<Response>>,
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
            return match read_success(&mut response, self.limits.max_body_bytes).await {
                Ok(body) => (Ok(with_body(response, body)), observe()),
                Err(error) => (Err((error, Some(status))), None),
            };
        }
        // The status decides: the other workers see a 429 before its body has ended.
        let limit = observe();
        let patience = self.patience(call.patience);
        let body = read_error(&mut response, patience).await;
        (Ok(with_body(response, body)), limit)
    }

    /// The timeouts of a session are real even if the waits are virtual. A transport
    /// set by the caller has no session, and may run without a Tokio timer.
    fn patience(&self, length: Duration) -> Sleep<'_> {
        if self.has_no_session {
            self.clock.sleep(length)
        } else {
            Box::pin(session_timeout(length))
        }
    }
}

/// The reason why the body of an error response was not read to its end.
///
/// [`RetryMiddleware`](crate::RetryMiddleware) adds it to the extensions of the
/// response, whose body then contains the part that arrived. The kind is one of
/// [`ConnectionLost`](FailureKind::ConnectionLost),
/// [`ReadTimeout`](FailureKind::ReadTimeout), [`Protocol`](FailureKind::Protocol),
/// [`BodyTooLarge`](FailureKind::BodyTooLarge) and
/// [`Undecodable`](FailureKind::Undecodable).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IncompleteBody(pub FailureKind);

/// Reads the body of a success, up to `max` bytes, for as long as the transport allows.
async fn read_success(response: &mut Response, max: usize) -> Result<Bytes> {
    let announced = response.content_length().unwrap_or(0);
    if usize::try_from(announced).map_or(true, |announced| announced > max) {
        return Err(Failure(FailureKind::BodyTooLarge).into());
    }
    let mut body = BytesMut::new();
    match fill(&mut body, response, max).await {
        Ok(()) => Ok(body.freeze()),
        Err(error) if FailureKind::of(&error) == FailureKind::Undecodable => {
            Err(Error::middleware(Undecodable {
                status: response.status(),
                headers: response.headers().clone(),
            }))
        }
        Err(error) => Err(error),
    }
}

/// Reads the body of an error, up to [`MAX_KEPT_BYTES`] and until `timeout` ends.
/// It never fails; [`IncompleteBody`] marks a response with an incomplete body.
async fn read_error(response: &mut Response, timeout: impl Future<Output = ()>) -> Bytes {
    let mut body = BytesMut::new();
    let reading = fill(&mut body, response, MAX_KEPT_BYTES);
    let missing = match select(pin!(reading), pin!(timeout)).await {
        Either::Left((read, _)) => read.err().map(|error| FailureKind::of(&error)),
        Either::Right(_) => Some(FailureKind::ReadTimeout),
    };
    if let Some(kind) = missing {
        response.extensions_mut().insert(IncompleteBody(kind));
    }
    body.freeze()
}

/// Ends after `duration`, by the timer of the session.
#[expect(
    clippy::disallowed_methods,
    reason = "a timeout of the socket, as those of `reqwest` are: it stays real \
              where the waits are virtual"
)]
async fn session_timeout(duration: Duration) {
    tokio::time::sleep(duration).await;
}

/// Reads into `body`, up to `max` bytes.
async fn fill(body: &mut BytesMut, response: &mut Response, max: usize) -> Result<()> {
    while let Some(chunk) = response.chunk().await? {
        let room = max - body.len();
        body.extend_from_slice(chunk.get(..room).unwrap_or(&chunk));
        if chunk.len() > room {
            return Err(Failure(FailureKind::BodyTooLarge).into());
        }
    }
    Ok(())
}

/// Rebuilds a response with the body that was read.
fn with_body(mut response: Response, body: Bytes) -> Response {
    let mut whole = http::Response::builder();
    if let Some(extensions) = whole.extensions_mut() {
        *extensions = std::mem::take(response.extensions_mut());
    }
    #[expect(clippy::expect_used, reason = "the URL comes from a valid response")]
    let mut whole = whole
        .url(response.url().clone())
        .body(body)
        .expect("a valid response");
    *whole.status_mut() = response.status();
    *whole.version_mut() = response.version();
    *whole.headers_mut() = std::mem::take(response.headers_mut());
    whole.into()
}
