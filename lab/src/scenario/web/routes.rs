//! The routes of runs.

use axum::{
    Json, Router,
    extract::{
        FromRequestParts, Path, Query, Request, State,
        rejection::{PathRejection, QueryRejection},
    },
    response::{Html, IntoResponse, Response},
    routing::get,
};
use http::{
    StatusCode,
    header::{CONTENT_DISPOSITION, LOCATION},
    request::Parts,
};
use scenario::Story;
use serde::{Deserialize, Serialize};

use super::{
    record::{Detail, Record, State as RunState, Summary},
    request::RunRequest,
};
use crate::{
    invocation::lab,
    web::{json_body, problem::Problem, shared::Shared},
};

/// The routes for programs that list, start, show and cancel runs, and return their text and
/// their report.
pub(crate) fn routes() -> Router<Shared> {
    Router::new()
        .route("/api/runs", get(list).post(start))
        .route("/api/runs/{id}", get(show).delete(cancel))
        .route("/api/runs/{id}/text", get(text))
        .route("/api/runs/{id}/report", get(report))
}

/// The run with the id in the path.
impl FromRequestParts<Shared> for Record {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, shared: &Shared) -> Result<Self, Problem> {
        let id: Result<Path<String>, PathRejection> = Path::from_request_parts(parts, shared).await;
        // A path that is not UTF-8 has no id.
        let record = id.ok().and_then(|Path(id)| shared.runs.find(&id));
        record.ok_or_else(|| {
            let detail = "no such run; only the newest are kept";
            Problem::new(StatusCode::NOT_FOUND, "run_not_found", detail)
        })
    }
}

async fn list(State(shared): State<Shared>) -> Json<Vec<Summary>> {
    Json(shared.runs.summaries())
}

#[derive(Serialize)]
struct Started {
    id: String,
    seed: u64,
}

async fn start(State(shared): State<Shared>, request: Request) -> Result<Response, Problem> {
    let body = json_body::received(request, "a run").await?;
    let request = RunRequest::read(&body)?;
    if !request.kept {
        let ended = shared.runs.run_unkept(request).await?;
        return Ok(Json(ended).into_response());
    }
    let seed = request.seed;
    let id = shared.runs.start(request)?;
    let location = format!("/runs/{id}");
    let body = Json(Started { id, seed });
    Ok((StatusCode::ACCEPTED, [(LOCATION, location)], body).into_response())
}

async fn show(record: Record) -> Json<Detail> {
    Json(record.detail())
}

/// Cancels a run, which is kept: 202 if the run is about to end, 204
/// if it was already over.
async fn cancel(record: Record) -> StatusCode {
    if record.state != RunState::Running {
        return StatusCode::NO_CONTENT;
    }
    record.cancelled.send_replace(true);
    StatusCode::ACCEPTED
}

/// The run as `lab scenario` prints it.
async fn text(record: Record) -> Result<String, Problem> {
    record.text().ok_or_else(not_finished)
}

/// The client whose report is requested; none means the report of all clients of the run.
#[derive(Deserialize)]
struct Report {
    side: Option<usize>,
}

async fn report(
    record: Record,
    query: Result<Query<Report>, QueryRejection>,
) -> Result<impl IntoResponse, Problem> {
    let Query(Report { side }) = query.map_err(|_| {
        let detail = "side must be the number of a side, starting at 0";
        Problem::new(StatusCode::BAD_REQUEST, "invalid_side", detail)
    })?;
    let scenario = record.request.scenario;
    let words = &scenario.words;
    let page = if side.is_none() && record.sides.len() == 2 {
        let both = record.comparison();
        both.map(|both| Story::of_comparison(words, &both, lab()).page())
    } else {
        let run = record.run(side.unwrap_or(0));
        run.map(|run| Story::of_run(words, run, lab()).page())
    };
    let page = page.ok_or_else(not_finished)?;
    let name = format!(
        "attachment; filename=\"{}-{}.html\"",
        scenario.words.name, record.id
    );
    Ok(([(CONTENT_DISPOSITION, name)], Html(page)))
}

fn not_finished() -> Problem {
    let detail = "a run has a text and a report once it is over";
    Problem::new(StatusCode::CONFLICT, "run_not_finished", detail)
}
