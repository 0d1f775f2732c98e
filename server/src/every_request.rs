//! What happens to every request, before its handler and after it.
//!
//! It stands around the handlers, and not around the router: axum keeps a layer of a
//! router in a box, and clones it for each request with all that is inside of it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::thread;

use axum::extract::{Request, State};
use axum::handler::Handler;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tracing::instrument::Instrumented;
use tracing::{Instrument, Span};

use crate::observe::Observation;
use crate::problem::{self, Problem};
use crate::request_ids::X_REQUEST_ID;
use crate::state::ServiceState;
use wire::RequestId;

/// A handler, with what comes before and after it.
#[derive(Clone)]
pub(crate) struct EveryRequest<H>(pub(crate) H);

impl<H, T> Handler<T, ServiceState> for EveryRequest<H>
where
    H: Handler<T, ServiceState, Future: Unpin>,
{
    type Future = Responding<H::Future>;

    fn call(self, request: Request, state: ServiceState) -> Self::Future {
        respond(state.clone(), request, |request| {
            self.0.call(request, state)
        })
    }
}

/// The same around routes whose handlers nobody knows here, as a layer.
pub(crate) async fn around(
    State(state): State<ServiceState>,
    request: Request,
    next: Next,
) -> Response {
    respond(state, request, |request| Box::pin(next.run(request))).await
}

fn respond<F: Future<Output = Response>>(
    state: ServiceState,
    mut request: Request,
    handle: impl FnOnce(Request) -> F,
) -> Responding<F> {
    let request_id = state.request_ids().of(request.headers());
    let (observation, span) = Observation::begin(state, &mut request, &request_id).unzip();
    Responding {
        handler: handle(request).instrument(span.unwrap_or_else(Span::none)),
        request_id,
        observation,
    }
}

/// A response that is on its way out.
pub(crate) struct Responding<F> {
    handler: Instrumented<F>,
    request_id: RequestId,
    /// None for a request that is not observed.
    observation: Option<Observation>,
}

impl<F: Future<Output = Response> + Unpin> Future for Responding<F> {
    type Output = Response;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Response> {
        let mut response = match poll_and_catch(&mut self.handler, cx) {
            Ok(response) => ready!(response),
            Err(_panic) => Problem::INTERNAL_ERROR.into_response(),
        };
        problem::render(&self.request_id, &mut response);
        if let Some(observation) = self.observation.take() {
            response = observation.end(response, self.handler.span());
        }
        let headers = response.headers_mut();
        headers.insert(X_REQUEST_ID, self.request_id.to_header());
        Poll::Ready(response)
    }
}

/// Polls a handler, whose panic must not end more than its own request.
fn poll_and_catch<F: Future + Unpin>(
    handler: &mut F,
    cx: &mut Context<'_>,
) -> thread::Result<Poll<F::Output>> {
    catch_unwind(AssertUnwindSafe(|| Pin::new(handler).poll(cx)))
}
