//! The steps of every request, before its handler and after it.
//!
//! It is a layer around each route and not around the router: only there the path that
//! matched is known.

use std::convert::Infallible;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::thread;

use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use axum::routing::Route;
use axum::routing::future::RouteFuture;
use tower::{Layer, Service};
use wire::RequestId;

use crate::observe::Observation;
use crate::problem::{self, Problem};
use crate::request_ids::X_REQUEST_ID;
use crate::state::HostState;

/// The layer.
#[derive(Clone)]
pub(crate) struct EveryRequest(pub(crate) HostState);

impl Layer<Route> for EveryRequest {
    type Service = Around;

    fn layer(&self, route: Route) -> Around {
        Around {
            route: Arc::new(Mutex::new(route)),
            state: self.0.clone(),
        }
    }
}

/// A route, with what comes before and after it.
#[derive(Clone)]
pub(crate) struct Around {
    /// Shared, since axum clones what is around a route for each request, and the route
    /// clones itself for each call.
    route: Arc<Mutex<Route>>,
    state: HostState,
}

impl Service<Request> for Around {
    type Response = Response;
    type Error = Infallible;
    type Future = Responding;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        // A route is always ready.
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, mut request: Request) -> Self::Future {
        let request_id = self.state.request_ids.make();
        let observation = Observation::begin(self.state.clone(), &mut request, &request_id);
        let mut route = self.route.lock().unwrap_or_else(PoisonError::into_inner);
        Responding {
            handler: route.call(request),
            request_id,
            observation,
        }
    }
}

/// A response that is on its way out.
pub(crate) struct Responding {
    handler: RouteFuture<Infallible>,
    request_id: RequestId,
    /// None for a request that is not observed.
    observation: Option<Observation>,
}

impl Future for Responding {
    type Output = Result<Response, Infallible>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        let polled = {
            let _entered = this
                .observation
                .as_ref()
                .map(|observation| observation.span.enter());
            poll_and_catch(&mut this.handler, cx)
        };
        let mut response = match polled {
            Ok(response) => ready!(response)?,
            Err(_panic) => Problem::INTERNAL_ERROR.into_response(),
        };
        problem::render(&self.request_id, &mut response);
        if let Some(observation) = self.observation.take() {
            response = observation.end(response);
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
