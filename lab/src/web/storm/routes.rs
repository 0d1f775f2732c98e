//! The routes of storms.

use axum::{
    Json, Router,
    extract::{Path, Request, State, rejection::PathRejection},
    response::{Html, IntoResponse, Response},
    routing::{delete, get},
};
use http::{StatusCode, header::CONTENT_DISPOSITION};

use super::super::{
    problem::Problem,
    shared::{Shared, json_body},
};
use super::{catalogue::Catalogue, request, stream};

/// Where the stories are listed, where a storm is started and cancelled, and where its
/// report is.
pub(in crate::web) fn routes() -> Router<Shared> {
    Router::new()
        .route(
            "/api/storms",
            get(async || Json(Catalogue::new())).post(start),
        )
        .route("/api/storms/{id}", delete(cancel))
        .route("/api/storms/{id}/report", get(report))
}

/// A storm goes on for as long as its frames are read: whoever hangs up ends it.
async fn start(State(shared): State<Shared>, request: Request) -> Result<Response, Problem> {
    let body = json_body(request, "a storm").await?;
    let frames = shared.storms.start(request::read(&body)?)?;
    Ok(stream::respond(frames))
}

/// Cancels a storm: 202 if it is about to end (its frames say when it has), 204 if it was
/// over already.
async fn cancel(
    State(shared): State<Shared>,
    id: Result<Path<String>, PathRejection>,
) -> Result<StatusCode, Problem> {
    let cancelled = id.ok().and_then(|Path(id)| shared.storms.cancel(&id));
    match cancelled.ok_or_else(storm_not_found)? {
        true => Ok(StatusCode::ACCEPTED),
        false => Ok(StatusCode::NO_CONTENT),
    }
}

async fn report(
    State(shared): State<Shared>,
    id: Result<Path<String>, PathRejection>,
) -> Result<Response, Problem> {
    // A path that is no UTF-8 names nothing.
    let report = id.ok().and_then(|Path(id)| shared.storms.report(&id));
    let report = report.ok_or_else(storm_not_found)?.ok_or_else(|| {
        let detail = "there is a report of a storm once it is over";
        Problem::new(StatusCode::CONFLICT, "storm_not_finished", detail)
    })?;
    let name = format!("attachment; filename=\"{}\"", report.name);
    let page = Html(report.page.to_string());
    Ok(([(CONTENT_DISPOSITION, name)], page).into_response())
}

fn storm_not_found() -> Problem {
    let detail = "no such storm; only the newest are kept";
    Problem::new(StatusCode::NOT_FOUND, "storm_not_found", detail)
}
