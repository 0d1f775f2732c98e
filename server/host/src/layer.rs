//! The host's layer around the routes of a service: `/metrics`, and the steps of every
//! request before its handler and after it.
//!
//! The steps are around each route and not around the router: only there the path that
//! matched is known.

use std::panic::AssertUnwindSafe;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use futures_util::FutureExt;
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;
use tracing::{Instrument, Span};

use crate::config::ServiceConfig;
use crate::exchange;
use crate::ledger::Ledger;
use crate::metrics_sink::{METRICS_MEDIA_TYPE, METRICS_PATH};
use crate::problem::{self, Problem};
use crate::request::Observation;
use crate::request_ids::X_REQUEST_ID;
use crate::routes::Routes;
use crate::state::HostState;

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
        .layer(from_fn_with_state(state.clone(), each_request));
    if state.record_exchanges {
        router.layer(from_fn_with_state(state.clone(), exchange::keep))
    } else {
        router
    }
}

/// Gives a request its id, observes it, and makes of a problem or a panic a response.
async fn each_request(
    State(state): State<HostState>,
    mut request: Request,
    next: Next,
) -> Response {
    let request_id = state.request_ids.make();
    // None for a request that is not observed.
    let observation = Observation::begin(state, &mut request, &request_id);
    let span = observation
        .as_ref()
        .map_or_else(Span::none, |observation| observation.span.clone());
    // A panic must not end more than its own request.
    let handled = AssertUnwindSafe(next.run(request))
        .catch_unwind()
        .instrument(span)
        .await;
    let mut response = handled.unwrap_or_else(|_panic| Problem::INTERNAL_ERROR.into_response());
    problem::render(&request_id, &mut response);
    if let Some(observation) = observation {
        response = observation.end(response);
    }
    let headers = response.headers_mut();
    headers.insert(X_REQUEST_ID, request_id.to_header());
    response
}
