//! What happens to every request, before its handler and after it.
//!
//! These steps are one layer: axum keeps each layer of a router in a box, and clones it
//! for each request with all the layers inside of it.

use std::any::Any;
use std::convert::Infallible;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use axum::routing::Route;
use axum::routing::future::RouteFuture;
use tower::{Layer, Service};
use tracing::instrument::Instrumented;
use tracing::{Instrument, Span};

use crate::observe::Observation;
use crate::problem::{self, Problem};
use crate::request_id::{RequestId, X_REQUEST_ID};
use crate::state::ServiceState;

/// The layer around every route of a service.
#[derive(Clone)]
pub(crate) struct EveryRequest(pub(crate) ServiceState);

impl Layer<Route> for EveryRequest {
    type Service = Around;

    fn layer(&self, route: Route) -> Around {
        Around {
            state: self.0.clone(),
            route,
        }
    }
}

/// A route, with what comes before and after it.
#[derive(Clone)]
pub(crate) struct Around {
    state: ServiceState,
    route: Route,
}

impl Service<Request> for Around {
    type Response = Response;
    type Error = Infallible;
    type Future = Responding;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Service::<Request>::poll_ready(&mut self.route, cx)
    }

    fn call(&mut self, mut request: Request) -> Responding {
        let request_id = self.state.request_ids().of(request.headers());
        let (observation, span) =
            Observation::begin(&self.state, &mut request, &request_id).unzip();
        Responding {
            handler: self
                .route
                .call(request)
                .instrument(span.unwrap_or_else(Span::none)),
            request_id,
            observation,
        }
    }
}

/// A response that is on its way out.
pub(crate) struct Responding {
    handler: Instrumented<RouteFuture<Infallible>>,
    request_id: RequestId,
    /// None for a request that is not observed.
    observation: Option<Observation>,
}

impl Future for Responding {
    type Output = Result<Response, Infallible>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut response = match ready!(poll_and_catch(&mut self.handler, cx)) {
            Ok(response) => response,
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
fn poll_and_catch(
    handler: &mut Instrumented<RouteFuture<Infallible>>,
    cx: &mut Context<'_>,
) -> Poll<Result<Response, Box<dyn Any + Send>>> {
    let poll = AssertUnwindSafe(|| Pin::new(handler).poll(cx));
    match catch_unwind(poll) {
        Ok(Poll::Pending) => Poll::Pending,
        Ok(Poll::Ready(Ok(response))) => Poll::Ready(Ok(response)),
        Err(panic) => Poll::Ready(Err(panic)),
    }
}
