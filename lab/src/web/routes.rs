//! The routes of the web UI. Those of a product stand in its folder, and those of the feed
//! in `feed`.

use axum::{
    Router,
    extract::{Path, Request, State, rejection::PathRejection},
    middleware::from_fn,
    response::{Html, IntoResponse, Response},
    routing::get,
};
use http::{HeaderMap, StatusCode, header::ACCEPT};

use super::{
    assets::{self, INDEX},
    feed,
    guard::guard,
    metrics_view,
    problem::Problem,
    shared::Shared,
    wire_lane,
};
use crate::{grade, scenario, storm};

/// Every route, behind the guard.
pub(crate) fn router(shared: Shared) -> Router {
    Router::new()
        .route("/", get(index))
        .route("/grade", get(index))
        .route("/storm", get(index))
        .route("/metrics-view", get(index))
        .route("/runs/{id}", get(index))
        .route("/assets/{file}", get(asset))
        .route("/api/wire", get(wire))
        .merge(scenario::web::routes())
        .merge(grade::web::routes())
        .merge(storm::web::routes())
        .merge(feed::routes())
        .merge(metrics_view::routes())
        .fallback(unknown)
        .method_not_allowed_fallback(not_allowed)
        .with_state(shared)
        .layer(from_fn(guard))
}

async fn not_allowed() -> Problem {
    let detail = "the path does not serve this method; see Allow";
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", detail)
}

async fn index(headers: HeaderMap) -> Response {
    assets::respond(INDEX, &headers)
}

/// A path that does not exist. A person sees the page, which says so.
async fn unknown(request: Request) -> Response {
    let path = request.uri().path();
    let is_for_programs = path.starts_with("/api") || path.starts_with("/assets");
    let accept = request.headers().get(ACCEPT);
    let accepts_html = accept.is_some_and(|accept| {
        let accept = accept.to_str().unwrap_or_default();
        accept.contains("text/html")
    });
    if is_for_programs || !accepts_html {
        return Problem::not_found().into_response();
    }
    let page = assets::respond(INDEX, &HeaderMap::new());
    (StatusCode::NOT_FOUND, page).into_response()
}

async fn asset(file: Result<Path<String>, PathRejection>, headers: HeaderMap) -> Response {
    // A path that is not UTF-8 names no file.
    let file = file.map_or_else(|_| String::new(), |Path(file)| file);
    assets::respond(&file, &headers)
}

async fn wire(State(shared): State<Shared>) -> Html<String> {
    Html(wire_lane::fragment(&shared.ledger, &shared.service).into_string())
}
