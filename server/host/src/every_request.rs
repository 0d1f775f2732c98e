//! The steps of every request, before its handler and after it.
//!
//! It is a layer around each route and not around the router: only there the path that
//! matched is known.

use std::panic::AssertUnwindSafe;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt;
use tracing::{Instrument, Span};

use crate::observe::Observation;
use crate::problem::{self, Problem};
use crate::request_ids::X_REQUEST_ID;
use crate::state::HostState;

/// Gives a request its id, observes it, and makes of a problem or a panic a response.
pub(crate) async fn each_request(
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
