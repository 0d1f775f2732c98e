//! The routes of storms.

use std::convert::Infallible;

use axum::{
    Json, Router,
    body::{Body, Bytes},
    extract::{Path, Request, State, rejection::PathRejection},
    response::{Html, IntoResponse, Response},
    routing::{delete, get},
};
use futures_util::stream::unfold;
use http::{
    StatusCode,
    header::{CONTENT_DISPOSITION, CONTENT_TYPE},
};
use tokio::sync::mpsc::UnboundedReceiver;

use super::{catalogue::catalogue, page, request};
use crate::web::{json_body, problem::Problem, shared::Shared};

/// The page, and the routes that list the stories, start and cancel a storm, and return its report.
pub(crate) fn routes() -> Router<Shared> {
    Router::new()
        .route("/storm", get(page::page))
        .route("/api/storms", get(async || Json(catalogue())).post(start))
        .route("/api/storms/{id}", delete(cancel))
        .route("/api/storms/{id}/report", get(report))
}

/// A storm runs while its frames are read: closing the connection ends it.
async fn start(State(shared): State<Shared>, request: Request) -> Result<Response, Problem> {
    let body = json_body::received(request, "a storm").await?;
    let (plan, guess) = request::read(&body)?;
    let frames = shared.storms.start(plan, guess)?;
    Ok(stream(frames))
}

/// A response with the frames as they are received.
pub(super) fn stream(frames: UnboundedReceiver<Bytes>) -> Response {
    let body = unfold(frames, async |mut frames| {
        let frame = frames.recv().await?;
        Some((Ok::<_, Infallible>(frame), frames))
    });
    let content_type = [(CONTENT_TYPE, "text/event-stream")];
    (content_type, Body::from_stream(body)).into_response()
}

/// Cancels a storm: 202 if it is about to end (its frames say when), 204 if it was
/// already over.
async fn cancel(
    State(shared): State<Shared>,
    id: Result<Path<String>, PathRejection>,
) -> Result<StatusCode, Problem> {
    let cancelled = id.ok().and_then(|Path(id)| shared.storms.cancel(&id));
    if cancelled.ok_or_else(storm_not_found)? {
        Ok(StatusCode::ACCEPTED)
    } else {
        Ok(StatusCode::NO_CONTENT)
    }
}

async fn report(
    State(shared): State<Shared>,
    id: Result<Path<String>, PathRejection>,
) -> Result<Response, Problem> {
    // A path that is not UTF-8 has no id.
    let report = id.ok().and_then(|Path(id)| shared.storms.report(&id));
    let (name, report) = report.ok_or_else(storm_not_found)?;
    let report = report.ok_or_else(|| {
        let detail = "the report of a storm exists once it is over";
        Problem::new(StatusCode::CONFLICT, "storm_not_finished", detail)
    })?;
    let name = format!("attachment; filename=\"{name}\"");
    let page = Html(report.to_string());
    Ok(([(CONTENT_DISPOSITION, name)], page).into_response())
}

fn storm_not_found() -> Problem {
    let detail = "no such storm; only the newest are kept";
    Problem::new(StatusCode::NOT_FOUND, "storm_not_found", detail)
}
