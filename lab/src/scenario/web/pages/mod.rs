//! The pages of scenarios and of their runs.

mod course;
mod form;
mod run_list;
mod scenario_page;
mod steps;

use axum::{
    Router,
    extract::{Path, Request, State, rejection::PathRejection},
    response::{IntoResponse, Redirect, Response},
    routing::{get, post},
};
use http::{HeaderMap, StatusCode};
use maud::{Markup, html};
use render::{
    page::marked,
    timeline::{self, Layout, Waterfall},
};
use scenario::{
    ScenarioRun,
    catalogue::{self, Scenario},
};

use self::{form::RunForm, scenario_page::ScenarioPage};
use super::record::Record;
use crate::web::{
    field_error::FieldError,
    fields::Fields,
    guard::is_not_foreign,
    modes::{Address, Modes},
    problem::Problem,
    shared::Shared,
};

pub(crate) use course::chapters;
pub(crate) use run_list::newest_runs;

/// The routes of the pages, and of the forms on them.
pub(crate) fn routes() -> Router<Shared> {
    Router::new()
        .route("/course", get(course::page))
        .route("/scenarios/{name}", get(show_scenario))
        .route("/runs", get(run_list::page).post(start))
        .route("/runs/{id}", get(show_run))
        .route("/runs/{id}/cancel", post(cancel))
}

type PathText = Result<Path<String>, PathRejection>;

/// The newest run that is over, if it is a short one, and an example before any run.
pub(crate) async fn example(shared: &Shared, modes: Modes) -> Option<Markup> {
    let newest = shared.runs.newest_first();
    let newest = newest.iter().find(|record| record.is_short());
    if let Some((record, run)) = newest.and_then(|record| Some((record, record.run(0)?))) {
        let link = modes.link(run_address(&record.id));
        let remark = html! { "the last run, " (run_list::time(record.started)) };
        return Some(example_of(run, &link, &remark));
    }
    let run = shared.runs.example().await?;
    let link = modes.link(format!("/scenarios/{}", run.scenario));
    let remark = html! { "an example: seed " (run.seed) ", virtual time" };
    Some(example_of(run, &link, &remark))
}

fn example_of(run: &ScenarioRun, link: &str, remark: &Markup) -> Markup {
    let timeline = run.timeline().unfolded();
    let waterfall = Waterfall {
        timeline: &timeline,
        axis: &timeline::axis(&[&timeline]),
        title: "The attempts and waits of this run",
        prefix: "example-",
        layout: Layout::Run,
        folds_repeated: false,
    };
    html! {
        figure {
            figcaption.titled {
                b { a href=(link) { (run.scenario) } }
                (marked(Some(run.passed()), run.ending()))
                span.soft { (remark) }
            }
            (waterfall.draw(|_| None))
        }
    }
}

/// The scenario of this name.
fn find(name: &str) -> Result<&'static Scenario, Problem> {
    catalogue::find(name)
        .map_err(|error| Problem::new(StatusCode::NOT_FOUND, "unknown_scenario", error.to_string()))
}

/// The text in a path; empty if it is not UTF-8.
fn text(path: PathText) -> String {
    path.map_or_else(|_| String::new(), |Path(text)| text)
}

async fn show_scenario(
    State(shared): State<Shared>,
    name: PathText,
    fields: Fields,
) -> Result<Response, Problem> {
    let scenario = find(&text(name))?;
    let newest = shared.runs.newest(scenario).await;
    let page = ScenarioPage {
        form: RunForm::of(&fields),
        run: newest,
        ..ScenarioPage::new(&shared, scenario, Modes::of(&fields))
    };
    Ok(page.checked().respond())
}

async fn show_run(
    State(shared): State<Shared>,
    id: PathText,
    headers: HeaderMap,
    fields: Fields,
) -> Result<Response, Problem> {
    let record = shared
        .runs
        .settled(&text(id))
        .await
        .ok_or_else(run_not_found)?;
    let scenario = record.request.scenario;
    let guessed = RunForm::of(&fields);
    let remembers = is_not_foreign(&headers);
    let guess = guessed.guess(scenario);
    if let (Ok(Some(guess)), Some(run), true) = (&guess, record.run(0), remembers)
        && guess.came_true(run) == Some(true)
    {
        shared.runs.guessed(scenario);
    }
    let page = ScenarioPage {
        form: RunForm::again(&record.request).with_guess(guessed.guess),
        errors: guess.err().into_iter().collect(),
        run: Some(record),
        is_of_run: true,
        step: fields.get("step").and_then(|step| step.parse().ok()),
        ..ScenarioPage::new(&shared, scenario, Modes::of(&fields))
    };
    Ok(page.respond())
}

/// Starts the run of a form. A form with an error is shown again, with what was typed.
async fn start(
    State(shared): State<Shared>,
    headers: HeaderMap,
    request: Request,
) -> Result<Response, Problem> {
    let fields = Fields::received(request).await?;
    let modes = Modes::of(&fields);
    let scenario = find(fields.get("scenario").unwrap_or_default())?;
    let form = RunForm::of(&fields);
    let run = shared.runs.settled(fields.get("run").unwrap_or_default());
    let page = ScenarioPage {
        form: form.clone(),
        run: run.await,
        ..ScenarioPage::new(&shared, scenario, modes)
    };
    let request = match form.read(scenario) {
        Ok(request) => request,
        Err(errors) => {
            let sentences: Vec<_> = errors.iter().map(FieldError::sentence).collect();
            let problem = Problem::unprocessable("invalid_run", sentences.join(" "));
            return page.or_problem(&headers, errors, problem);
        }
    };
    match shared.runs.start(request) {
        Ok(id) => Ok(see_run(&id, &form.guess, modes)),
        Err(problem) => page.or_problem(&headers, Vec::new(), problem),
    }
}

/// Leads to a run; in a presentation to the step after the question.
fn see_run(id: &str, guess: &str, modes: Modes) -> Response {
    let address = run_address(id).with("guess", guess);
    let address = if modes.present {
        address.with("step", "2")
    } else {
        address
    };
    Redirect::to(&modes.link(address)).into_response()
}

fn run_address(id: &str) -> Address {
    Address::new(format!("/runs/{id}"))
}

/// Cancels a run, and leads back to it.
async fn cancel(
    State(shared): State<Shared>,
    id: PathText,
    request: Request,
) -> Result<Response, Problem> {
    let id = text(id);
    let fields = Fields::received(request).await?;
    let record: Record = shared.runs.find(&id).ok_or_else(run_not_found)?;
    record.cancelled.send_replace(true);
    shared.runs.ended(&id).await;
    let guess = fields.get("guess").unwrap_or_default();
    Ok(see_run(&id, guess, Modes::of(&fields)))
}

fn run_not_found() -> Problem {
    let detail = "no such run; only the newest runs are kept, and none after the lab stops";
    Problem::new(StatusCode::NOT_FOUND, "run_not_found", detail)
}
