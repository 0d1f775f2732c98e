//! *Your client* on the page: the card of the program that a terminal named, or how to start one.

mod cards;
mod grader;
mod guide;
mod page;
mod present;
mod program;
mod summary;
mod table;

use axum::{
    Router,
    extract::{Request, State},
    response::{IntoResponse, Redirect, Response},
    routing::{get, post},
};
use grade::{Task, find};
use http::StatusCode;

use self::{grader::Order, page::ClientPage};
use crate::web::{
    fields::Fields,
    modes::{Address, Modes},
    problem::Problem,
    shared::Shared,
};

pub(crate) use self::{cards::ClientCards, grader::Grader, summary::door};

pub use self::program::GradedProgram;

const PATH: &str = "/client";

/// The routes of the page, and of the forms on it.
pub(crate) fn routes() -> Router<Shared> {
    Router::new()
        .route(PATH, get(show))
        .route("/client/start", post(start))
        .route("/client/stop", post(stop))
}

/// The task that an address or a form names; none if it names none.
fn chosen(fields: &Fields) -> Result<Option<&'static Task>, Problem> {
    let name = fields.get("task").filter(|name| !name.is_empty());
    let found = name.map(find).transpose();
    found.map_err(|error| Problem::new(StatusCode::NOT_FOUND, "unknown_task", error.to_string()))
}

/// The address of the page with a task.
fn address(task: Option<&Task>) -> Address {
    Address::new(PATH).with("task", task.map_or("", |task| task.words.name))
}

/// The step of a presentation that is shown, from 1.
fn step(fields: &Fields) -> Option<usize> {
    fields.get("step")?.parse().ok()
}

async fn show(State(shared): State<Shared>, fields: Fields) -> Result<Response, Problem> {
    let modes = Modes::of(&fields);
    let Some(program) = shared.client.program() else {
        return Ok(guide::page(modes));
    };
    let page = ClientPage {
        shared: &shared,
        program,
        shown: shared.client.shown(),
        chosen: chosen(&fields)?,
        modes,
        step: step(&fields),
    };
    Ok(page.respond())
}

async fn start(State(shared): State<Shared>, request: Request) -> Result<Response, Problem> {
    order(&shared, Order::Grade, request).await
}

async fn stop(State(shared): State<Shared>, request: Request) -> Result<Response, Problem> {
    order(&shared, Order::Stop, request).await
}

/// Passes an order on, and leads back to the page.
async fn order(shared: &Shared, order: Order, request: Request) -> Result<Response, Problem> {
    let fields = Fields::received(request).await?;
    let step = step(&fields).map_or(String::new(), |step| step.to_string());
    let back = address(chosen(&fields)?).with("step", step);
    let back = Modes::of(&fields).link(back);
    if !shared.client.order(order).await {
        let detail = "only a terminal can name a program to grade";
        return Err(Problem::new(StatusCode::CONFLICT, "no_program", detail));
    }
    Ok(Redirect::to(&back).into_response())
}
