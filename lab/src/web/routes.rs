//! The routes of the web UI. Those of a product stand in its folder.

use axum::{
    Router,
    extract::{Path, rejection::PathRejection},
    middleware::from_fn,
    response::Response,
    routing::get,
};
use http::{HeaderMap, StatusCode};

use super::{
    assets, error_page::errors_as_pages, guard::guard, live, metrics_view, overview,
    problem::Problem, shared::Shared,
};
use crate::{grade, scenario, storm};

/// Every route, behind the guard.
pub(crate) fn router(shared: Shared) -> Router {
    Router::new()
        .route("/", get(overview::page))
        .route("/assets/{file}", get(asset))
        .merge(scenario::web::pages())
        .merge(scenario::web::routes())
        .merge(grade::web::routes())
        .merge(storm::web::routes())
        .merge(live::routes())
        .merge(metrics_view::routes())
        .fallback(async || Problem::not_found())
        .method_not_allowed_fallback(not_allowed)
        .with_state(shared)
        .layer(from_fn(guard))
        .layer(from_fn(errors_as_pages))
}

async fn not_allowed() -> Problem {
    let detail = "the path does not serve this method; see Allow";
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", detail)
}

async fn asset(file: Result<Path<String>, PathRejection>, headers: HeaderMap) -> Response {
    // A path that is not UTF-8 names no file.
    let file = file.map_or_else(|_| String::new(), |Path(file)| file);
    assets::respond(&file, &headers)
}
