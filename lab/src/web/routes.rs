//! The routes of the web UI. Those of runs, the card, storms and the feed stand
//! in the folder of each.

use axum::{
    Json, Router,
    extract::{Path, State, rejection::PathRejection},
    middleware::from_fn,
    response::{IntoResponse, Response},
    routing::get,
};
use http::{HeaderMap, StatusCode};

use super::{
    assets::INDEX, card, course, feed, guard::guard, problem::Problem, runs, shared::Shared, storm,
    wire_lane,
};

/// Every route, behind the guard.
pub(super) fn router(shared: Shared) -> Router {
    Router::new()
        .route("/", get(index))
        .route("/grade", get(index))
        .route("/storm", get(index))
        .route("/runs/{id}", get(index))
        .route("/assets/{file}", get(asset))
        .route("/api/scenarios", get(async || Json(course::scenarios())))
        .route("/api/vocabulary", get(vocabulary))
        .route("/api/wire", get(wire))
        .merge(runs::routes())
        .merge(card::routes())
        .merge(storm::routes())
        .merge(feed::routes())
        .fallback(async || Problem::not_found())
        .method_not_allowed_fallback(not_allowed)
        .with_state(shared)
        .layer(from_fn(guard))
}

async fn not_allowed() -> Problem {
    let detail = "the path does not serve this method; see Allow";
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", detail)
}

async fn index(State(shared): State<Shared>, headers: HeaderMap) -> Response {
    shared.assets.respond(INDEX, &headers)
}

async fn asset(
    State(shared): State<Shared>,
    file: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
) -> Response {
    // A path that is not UTF-8 names no file.
    let file = file.map_or_else(|_| String::new(), |Path(file)| file);
    shared.assets.respond(&file, &headers)
}

async fn vocabulary(State(shared): State<Shared>) -> impl IntoResponse {
    Json(course::vocabulary(&shared.service))
}

async fn wire(State(shared): State<Shared>) -> impl IntoResponse {
    Json(wire_lane::snapshot(&shared.ledger))
}
