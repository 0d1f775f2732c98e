//! The whole route table on one screen, then the layers.

use axum::Router;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::header::CONTENT_TYPE;
use axum::middleware::{from_fn, from_fn_with_state, map_request};
use axum::response::IntoResponse;
use axum::routing::get;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::request_id::{PropagateRequestIdLayer, SetRequestIdLayer};

use crate::lesson::Lesson;
use crate::observe::observe;
use crate::problem::{self, Problem};
use crate::request_id::{self, SeededIds, X_REQUEST_ID};
use crate::routes::{
    bad_cursor, bad_items, bad_json, endless_items, flaky, items, jobs, looping_items, no_content,
    redirect, retry_later, text_json,
};
use crate::state::ServiceState;

/// The path of the scrape endpoint, the one path beyond the lessons.
pub(crate) const METRICS_PATH: &str = "/metrics";

/// The largest request body, in bytes.
pub(crate) const MAX_BODY: usize = 64 * 1024;

/// Every lesson, in the order of the endpoint table.
pub(crate) const LESSONS: [Lesson; 12] = [
    items::LESSON,
    looping_items::LESSON,
    endless_items::LESSON,
    bad_items::LESSON,
    bad_cursor::LESSON,
    flaky::LESSON,
    retry_later::LESSON,
    bad_json::LESSON,
    text_json::LESSON,
    no_content::LESSON,
    redirect::LESSON,
    jobs::LESSON,
];

/// The service as an axum router: lessons, `/metrics`, the routes that the
/// configuration added, and all layers.
///
/// # Panics
///
/// If an added route clashes with one of the service's own, or has a fallback.
pub fn router(state: ServiceState) -> Router {
    Router::new()
        .merge(items::router())
        .merge(looping_items::router())
        .merge(endless_items::router())
        .merge(bad_items::router())
        .merge(bad_cursor::router())
        .merge(flaky::router())
        .merge(retry_later::router())
        .merge(bad_json::router())
        .merge(text_json::router())
        .merge(no_content::router())
        .merge(redirect::router())
        .merge(jobs::router())
        .route(METRICS_PATH, get(scrape))
        .with_state(state.clone())
        .merge(state.routes())
        .fallback(async || Problem::NOT_FOUND)
        .method_not_allowed_fallback(async || Problem::METHOD_NOT_ALLOWED)
        // From here on the last layer is the outermost.
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .layer(CatchPanicLayer::custom(|_| {
            Problem::INTERNAL_ERROR.into_response()
        }))
        .layer(from_fn(problem::render))
        .layer(from_fn_with_state(state.clone(), observe))
        .layer(PropagateRequestIdLayer::new(X_REQUEST_ID))
        .layer(SetRequestIdLayer::new(
            X_REQUEST_ID,
            SeededIds::new(state.key().clone()),
        ))
        .layer(map_request(request_id::distrust))
}

async fn scrape(State(state): State<ServiceState>) -> impl IntoResponse {
    (
        [(CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")],
        state.metrics().render(),
    )
}
