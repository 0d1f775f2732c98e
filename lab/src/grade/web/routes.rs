//! The routes of the card.

use axum::{
    Json, Router,
    extract::{Path, State, rejection::PathRejection},
    response::IntoResponse,
    routing::{get, post},
};
use http::StatusCode;

use super::CardView;
use crate::web::{problem::Problem, shared::Shared};

/// The routes to show, open and stop the card, and to start one of its cases again.
pub(crate) fn routes() -> Router<Shared> {
    Router::new()
        .route("/api/card", get(show).post(open).delete(stop))
        .route(
            "/api/card/tasks/{task}/cases/{number}/again",
            post(begin_again),
        )
}

async fn show(State(shared): State<Shared>) -> Result<Json<CardView>, Problem> {
    shared.cards.view().await.map(Json)
}

async fn open(State(shared): State<Shared>) -> Result<impl IntoResponse, Problem> {
    let card = shared.cards.open().await?;
    Ok((StatusCode::CREATED, Json(card)))
}

async fn stop(State(shared): State<Shared>) -> Result<StatusCode, Problem> {
    shared.cards.stop().await.map_err(super::failed)?;
    Ok(StatusCode::NO_CONTENT)
}

async fn begin_again(
    State(shared): State<Shared>,
    case: Result<Path<(String, usize)>, PathRejection>,
) -> Result<Json<CardView>, Problem> {
    // A path that is not UTF-8, or has no number, names no case.
    let card = match case {
        Ok(Path((task, number))) => shared.cards.again(&task, number).await,
        Err(_) => None,
    };
    let card = card.ok_or_else(|| {
        let detail = "no such case is open";
        Problem::new(StatusCode::NOT_FOUND, "case_not_found", detail)
    })?;
    card.map(Json)
}
