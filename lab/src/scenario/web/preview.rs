//! A run in virtual time for the page's sliders: drawn, but neither kept nor counted.

use std::{
    future::pending,
    sync::Arc,
    time::{Duration, SystemTime},
};

use axum::{
    Json,
    extract::{Query, Request, State, rejection::QueryRejection},
    response::{IntoResponse, Response},
};
use futures_util::future::try_join_all;
use http::StatusCode;
use scenario::{Compared, Exposition, Pace, Session, Task, catalogue::Scenario};
use serde::Deserialize;
use tracing_subscriber::layer::Identity;

use super::{
    record::{Record, Side, State as RunState},
    request::RunRequest,
};
use crate::{
    causes::causes,
    web::{
        problem::Problem,
        shared::{Shared, json_body},
    },
};

/// How many previews may run at once: a page asks for one at a time.
pub(super) const MAX_PREVIEWS: usize = 4;

/// Whether a scenario has sliders: its picture is short, and attempts and waits shape it.
pub(super) fn has_sliders(scenario: &Scenario) -> bool {
    matches!(scenario.task, Task::Flaky)
}

/// The length of the longest axis that the page has drawn, so that a shorter run has a
/// shorter picture.
#[derive(Deserialize)]
pub(super) struct Drawn {
    #[serde(default)]
    axis_ns: u64,
}

/// Responds with a run that has no id.
pub(super) async fn preview(
    State(shared): State<Shared>,
    query: Result<Query<Drawn>, QueryRejection>,
    request: Request,
) -> Result<Response, Problem> {
    let Query(Drawn { axis_ns }) = query.map_err(|_| {
        let detail = "axis_ns must be one whole number of nanoseconds";
        Problem::new(StatusCode::BAD_REQUEST, "invalid_axis", detail)
    })?;
    let body = json_body(request, "a preview").await?;
    let request = RunRequest {
        pace: Pace::Virtual,
        ..RunRequest::read(&body)?
    };
    if !has_sliders(request.scenario) {
        let detail = format!("scenario: {} has no preview", request.scenario.name());
        return Err(Problem::unprocessable("invalid_run", detail));
    }
    let _turn = shared.runs.previews.try_acquire().map_err(|_| {
        let detail = format!("{MAX_PREVIEWS} previews are running already");
        Problem::new(StatusCode::TOO_MANY_REQUESTS, "too_many_runs", detail)
    })?;
    let uncounted = Exposition::new();
    let sides = request.clients().into_iter().map(|client| {
        let session = Session::new(request.scenario, &request.settings(client), &uncounted);
        session.run_until(pending(), Identity::new())
    });
    let runs = try_join_all(sides).await.map_err(|error| {
        let status = StatusCode::INTERNAL_SERVER_ERROR;
        Problem::new(status, "not_run", causes(&error))
    })?;
    let compared = match runs.as_slice() {
        [one, other] => Some(Arc::new(Compared::of([one, other], None))),
        _ => None,
    };
    let record = Record {
        id: String::new(),
        request,
        started: SystemTime::now(),
        state: RunState::Finished,
        error: None,
        cancelled: Arc::default(),
        sides: runs
            .into_iter()
            .map(|run| Side::Done(Arc::new(run)))
            .collect(),
        compared,
    };
    let shown = record.shown(None, &shared.service, Duration::from_nanos(axis_ns));
    Ok(Json(shown).into_response())
}
