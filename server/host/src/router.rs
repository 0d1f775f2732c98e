//! The routes of a service, `/metrics` beside them, and the steps of every request before its
//! handler and after it.
//!
//! The steps are around each route and not around the router: only there the path that
//! matched is known.
//!
//! A service declares which requests may be counted. A series that is born with its first
//! event has not risen for Prometheus' `increase()`: the event is lost. So the host registers
//! what can happen at zero, and nothing else.

use std::convert::Infallible;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::thread;

use axum::Router;
use axum::extract::Request;
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::future::RouteFuture;
use axum::routing::{Route, get};
use http::header::CONTENT_TYPE;
use http::{Method, StatusCode};
use tower::{Layer, Service};
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;
use wire::{FaultLabel, RequestId};

use crate::config::ServiceConfig;
use crate::ledger::Ledger;
use crate::metrics_sink::{METRICS_MEDIA_TYPE, METRICS_PATH};
use crate::observation::Observation;
use crate::problem::{self, Problem};
use crate::recorded_exchange;
use crate::request_ids::X_REQUEST_ID;
use crate::state::HostState;

/// A router, and which requests to it are expected.
#[derive(Clone, Debug, Default)]
pub struct Routes {
    /// The routes. The host replaces a fallback.
    pub router: Router,
    /// The requests to the routes that may be counted.
    pub expected: Vec<ExpectedRoute>,
}

/// The requests to a route that may be counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpectedRoute {
    /// Its path, as the router has it.
    pub path: &'static str,
    /// The method that it is made for.
    pub method: Method,
    /// The statuses of its responses to that method.
    pub statuses: Vec<StatusCode>,
    /// The [faults](FaultLabel) that its responses name.
    pub faults: Vec<FaultLabel>,
    /// Whether one of its responses has a Retry-After. Without one no request can come
    /// too early.
    pub has_retry_after: bool,
}

impl Routes {
    /// These routes and others.
    ///
    /// # Panics
    ///
    /// If two routes overlap, or both routers have a fallback.
    #[must_use]
    pub fn and(self, other: impl Into<Self>) -> Self {
        let other = other.into();
        Self {
            router: self.router.merge(other.router),
            expected: [self.expected, other.expected].concat(),
        }
    }
}

impl From<Router> for Routes {
    /// Routes of which nothing is expected.
    fn from(router: Router) -> Self {
        Self {
            router,
            ..Self::default()
        }
    }
}

/// The service as a function from request to response, without a socket, and its record.
///
/// # Panics
///
/// If a route is called `/metrics`.
pub fn router(config: &ServiceConfig, routes: impl Into<Routes>) -> (Router, Ledger) {
    let routes = routes.into();
    let state = HostState::new(config, &routes.expected);
    (around(routes.router, &state), state.ledger.clone())
}

/// These routes, with the host's own around them.
pub(crate) fn around(routes: Router, state: &HostState) -> Router {
    let metrics = state.metrics.clone();
    let scrape = get(async move || ([(CONTENT_TYPE, METRICS_MEDIA_TYPE)], metrics.render()));
    // Prometheus accepts gzip, and thousands of series repeat the same few words. The
    // level takes a third of the default's time, for a few per cent more bytes.
    let compression = CompressionLayer::new().quality(CompressionLevel::Precise(5));
    let router = routes
        .route(METRICS_PATH, scrape.layer(compression))
        .fallback(async || Problem::NOT_FOUND)
        .method_not_allowed_fallback(async || Problem::METHOD_NOT_ALLOWED)
        .layer(EveryRequest(state.clone()));
    if state.record_exchanges {
        router.layer(from_fn_with_state(state.clone(), recorded_exchange::keep))
    } else {
        router
    }
}

/// Gives a request its id, observes it, and makes of a problem or a panic a response.
///
/// It is written by hand: axum's `from_fn` clones and boxes more for each request, which
/// takes the service below its bound of requests per second.
#[derive(Clone)]
struct EveryRequest(HostState);

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
struct Around {
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
struct Responding {
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
