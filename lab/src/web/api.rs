//! The routes of the web UI.

use axum::{
    Json, Router,
    extract::{
        Path, Query, Request, State,
        rejection::{PathRejection, QueryRejection},
    },
    middleware::from_fn,
    response::{Html, IntoResponse, Response},
    routing::{get, post},
};
use http::{
    HeaderMap, StatusCode,
    header::{CONTENT_DISPOSITION, LOCATION},
};
use serde::{Deserialize, Serialize};

use crate::invocation::lab;

use super::{
    assets::INDEX,
    card, course,
    feed::event_stream,
    guard::guard,
    load_request, loads, preview,
    problem::Problem,
    run_evidence,
    run_request::RunRequest,
    shared::{Shared, json_body, run_not_found},
    storm, wire_lane,
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
        .route("/api/runs", get(list).post(start))
        .route("/api/runs/{id}", get(show).delete(cancel))
        .route("/api/runs/{id}/evidence", get(run_evidence::evidence))
        .route("/api/runs/{id}/report", get(report))
        .route("/api/preview", post(preview::preview))
        .route("/api/loads", post(load))
        .merge(card::routes())
        .merge(storm::routes())
        .route("/api/wire", get(wire))
        .route("/api/events", get(events))
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
    // A path that is not UTF-8 has no id.
    let file = file.map_or_else(|_| String::new(), |Path(file)| file);
    shared.assets.respond(&file, &headers)
}

async fn vocabulary(State(shared): State<Shared>) -> impl IntoResponse {
    Json(course::vocabulary(&shared.service))
}

async fn list(State(shared): State<Shared>) -> impl IntoResponse {
    Json(shared.runs.summaries())
}

#[derive(Serialize)]
struct Started {
    id: String,
    seed: u64,
}

async fn start(State(shared): State<Shared>, request: Request) -> Result<Response, Problem> {
    let body = json_body(request, "a run").await?;
    let request = RunRequest::read(&body)?;
    let seed = request.seed;
    let id = shared.runs.start(request)?;
    let location = format!("/runs/{id}");
    let body = Json(Started { id, seed });
    Ok((StatusCode::ACCEPTED, [(LOCATION, location)], body).into_response())
}

/// A load goes on while its progress is read: closing the connection stops it.
async fn load(State(shared): State<Shared>, request: Request) -> Result<Response, Problem> {
    let body = json_body(request, "a load").await?;
    let progress = shared.loads.start(load_request::read(&body)?)?;
    Ok(loads::stream_progress(progress))
}

async fn show(
    State(shared): State<Shared>,
    id: Result<Path<String>, PathRejection>,
) -> Result<Response, Problem> {
    Ok(Json(shared.find(id)?.detail()).into_response())
}

/// Cancels a run, which is kept: 202 if the run is about to end (the feed says when), 204
/// if it was already over.
async fn cancel(
    State(shared): State<Shared>,
    id: Result<Path<String>, PathRejection>,
) -> Result<StatusCode, Problem> {
    let cancelled = id.ok().and_then(|Path(id)| shared.runs.cancel(&id));
    match cancelled.ok_or_else(run_not_found)? {
        true => Ok(StatusCode::ACCEPTED),
        false => Ok(StatusCode::NO_CONTENT),
    }
}

/// The client whose report is requested; none means the report of all clients of the run.
#[derive(Deserialize)]
struct Report {
    side: Option<usize>,
}

async fn report(
    State(shared): State<Shared>,
    id: Result<Path<String>, PathRejection>,
    query: Result<Query<Report>, QueryRejection>,
) -> Result<Response, Problem> {
    let record = shared.find(id)?;
    let Query(Report { side }) = query.map_err(|_| {
        let detail = "side must be the number of a side, starting at 0";
        Problem::new(StatusCode::BAD_REQUEST, "invalid_side", detail)
    })?;
    let scenario = record.request.scenario;
    let page = match (side, record.sides.len()) {
        (None, 2) => record.comparison().map(|both| {
            render::html_comparison(&scenario.words, &both, None, &runner::metrics(), lab())
        }),
        _ => record
            .run(side.unwrap_or(0))
            .map(|run| render::html(&scenario.words, run, None, &runner::metrics(), lab())),
    };
    let page = page.ok_or_else(|| {
        let detail = "a report of each side exists once the run is over";
        Problem::new(StatusCode::CONFLICT, "run_not_finished", detail)
    })?;
    let name = format!(
        "attachment; filename=\"{}-{}.html\"",
        scenario.words.name, record.id
    );
    Ok(([(CONTENT_DISPOSITION, name)], Html(page)).into_response())
}

async fn wire(State(shared): State<Shared>) -> impl IntoResponse {
    Json(wire_lane::snapshot(&shared.ledger))
}

#[derive(Deserialize)]
struct Resume {
    last: Option<String>,
}

/// The header holds the last event that the browser saw, the query the one that the page
/// started from. So the header takes precedence.
async fn events(
    State(shared): State<Shared>,
    query: Result<Query<Resume>, QueryRejection>,
    headers: HeaderMap,
) -> Response {
    let header = headers.get("last-event-id");
    let header = header.map(|id| String::from_utf8_lossy(id.as_bytes()).into_owned());
    let last = header.or_else(|| query.ok()?.0.last);
    event_stream(shared.feed.read(last.as_deref()))
}
