//! The router of a service: what is served, `/metrics`, and what happens to every request.

use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::middleware::from_fn_with_state;
use axum::routing::get;
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;

use crate::config::ServiceConfig;
use crate::every_request::each_request;
use crate::exchange;
use crate::ledger::Ledger;
use crate::metrics_sink::{METRICS_MEDIA_TYPE, METRICS_PATH};
use crate::problem::Problem;
use crate::served::Served;
use crate::state::HostState;

/// The service as a function from request to response, without a socket, and its record.
///
/// # Panics
///
/// If a route is called `/metrics`.
pub fn router(config: &ServiceConfig, served: impl Into<Served>) -> (Router, Ledger) {
    let served = served.into();
    let state = HostState::new(config, &served.expected);
    (around(served.router, &state), state.ledger.clone())
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
