//! What happens to every request, before its handler and after it.
//!
//! It is a layer around each route and not around the router: only there the path that
//! matched is known.

use std::convert::Infallible;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::thread;

use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use tower::{Layer, Service};
use tracing::instrument::Instrumented;
use tracing::{Instrument, Span};
use wire::RequestId;

use crate::observe::Observation;
use crate::problem::{self, Problem};
use crate::request_ids::X_REQUEST_ID;
use crate::state::HostState;

/// The layer.
#[derive(Clone)]
pub(crate) struct EveryRequest(pub(crate) HostState);

impl<S> Layer<S> for EveryRequest {
    type Service = Around<S>;

    fn layer(&self, inner: S) -> Around<S> {
        Around {
            inner,
            state: self.0.clone(),
        }
    }
}

/// A route, with what comes before and after it.
#[derive(Clone)]
pub(crate) struct Around<S> {
    inner: S,
    state: HostState,
}

impl<S> Service<Request> for Around<S>
where
    S: Service<Request, Response = Response, Error = Infallible, Future: Unpin>,
{
    type Response = Response;
    type Error = Infallible;
    type Future = Responding<S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut request: Request) -> Self::Future {
        let request_id = self.state.request_ids.of(request.headers());
        let observed = Observation::begin(self.state.clone(), &mut request, &request_id);
        let (observation, span) = observed.unzip();
        let span = span.unwrap_or_else(Span::none);
        Responding {
            handler: self.inner.call(request).instrument(span),
            request_id,
            observation,
        }
    }
}

/// A response that is on its way out.
pub(crate) struct Responding<F> {
    handler: Instrumented<F>,
    request_id: RequestId,
    /// None for a request that is not observed.
    observation: Option<Observation>,
}

impl<F> Future for Responding<F>
where
    F: Future<Output = Result<Response, Infallible>> + Unpin,
{
    type Output = Result<Response, Infallible>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut response = match poll_and_catch(&mut self.handler, cx) {
            Ok(response) => ready!(response)?,
            Err(_panic) => Problem::INTERNAL_ERROR.into_response(),
        };
        problem::render(&self.request_id, &mut response);
        if let Some(observation) = self.observation.take() {
            response = observation.end(response, self.handler.span());
        }
        let headers = response.headers_mut();
        headers.insert(X_REQUEST_ID, self.request_id.to_header());
        Poll::Ready(Ok(response))
    }
}

/// Polls a handler, whose panic must not end more than its own request.
fn poll_and_catch<F: Future + Unpin>(
    handler: &mut F,
    cx: &mut Context<'_>,
) -> thread::Result<Poll<F::Output>> {
    catch_unwind(AssertUnwindSafe(|| Pin::new(handler).poll(cx)))
}
