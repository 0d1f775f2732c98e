//! The routes of storms.

use axum::{
    Router,
    extract::{Path, Request, State, rejection::PathRejection},
    response::{IntoResponse, Redirect, Response},
    routing::{get, post},
};
use http::{HeaderMap, StatusCode, Uri};
use storm::{STORIES, Story, story};

use super::page::StormPage;
use crate::web::{
    field_error::FieldError,
    fields::Fields,
    guard::is_not_foreign,
    modes::{Address, Modes},
    problem::Problem,
    shared::Shared,
};

/// The page of a storm, and the forms on it.
pub(crate) fn routes() -> Router<Shared> {
    Router::new()
        .route("/storm", get(first))
        .route("/storm/{story}", get(show).post(again))
        .route("/storm/{story}/cancel", post(cancel))
}

type PathText = Result<Path<String>, PathRejection>;

/// Leads to the first story.
async fn first(fields: Fields) -> Redirect {
    let first = STORIES.first().map_or("", |story| story.name);
    Redirect::to(&Modes::of(&fields).link(format!("/storm/{first}")))
}

/// Shows a storm. One that is not kept is started, unless the page of another site asks for it, or
/// the page does not show it.
async fn show(
    State(shared): State<Shared>,
    name: PathText,
    uri: Uri,
    headers: HeaderMap,
    fields: Fields,
) -> Result<Response, Problem> {
    let story = find(name)?;
    let page = StormPage::new(story, &fields);
    let request = match page.form.read(story) {
        Ok(request) => request,
        Err(errors) => {
            let page = StormPage {
                errors,
                status: StatusCode::UNPROCESSABLE_ENTITY,
                ..page
            };
            return Ok(page.respond());
        }
    };
    // The address that stays has no guess that does not count.
    let form = match &request.guess {
        Some(_) => page.form,
        None => page.form.without_guess(),
    };
    let page = StormPage {
        form,
        request: Some(request),
        ..page
    };
    // A form sends its empty fields, too: the address that stays has none.
    let link = page.link();
    if uri
        .path_and_query()
        .is_none_or(|given| given.as_str() != link)
    {
        return Ok(Redirect::to(&link).into_response());
    }
    let Some(plan) = page.shown_plan() else {
        return Ok(page.respond());
    };
    if !is_not_foreign(&headers) {
        let known = shared.storms.kept(plan).map(|record| record.known());
        return Ok(StormPage { known, ..page }.respond());
    }
    let page = match shared.storms.ask(plan.clone()) {
        Ok(record) => {
            record.settled().await;
            StormPage {
                known: Some(record.known()),
                ..page
            }
        }
        Err(problem) => StormPage {
            status: problem.status,
            refused: Some(problem.detail.into_owned()),
            ..page
        },
    };
    Ok(page.respond())
}

/// Starts a storm again that was cancelled, and leads to it.
async fn again(
    State(shared): State<Shared>,
    name: PathText,
    request: Request,
) -> Result<Response, Problem> {
    let (page, plan) = posted(name, request).await?;
    shared.storms.again(&plan);
    Ok(Redirect::to(&page).into_response())
}

/// Cancels a storm, and leads back to it.
async fn cancel(
    State(shared): State<Shared>,
    name: PathText,
    request: Request,
) -> Result<Response, Problem> {
    let (page, plan) = posted(name, request).await?;
    shared.storms.cancel(&plan).await;
    Ok(Redirect::to(&page).into_response())
}

/// The address and the plan of the storm that a form describes.
async fn posted(name: PathText, request: Request) -> Result<(String, storm::Plan), Problem> {
    let story = find(name)?;
    let fields = Fields::received(request).await?;
    let page = StormPage::new(story, &fields);
    let read = page.form.read(story).map_err(|errors| {
        let sentences: Vec<_> = errors.iter().map(FieldError::sentence).collect();
        Problem::unprocessable("invalid_storm", sentences.join(" "))
    })?;
    Ok((page.link(), read.plan))
}

/// The story of this name.
fn find(name: PathText) -> Result<&'static Story, Problem> {
    // A path that is not UTF-8 names no story.
    let name = name.map_or_else(|_| String::new(), |Path(name)| name);
    story(&name)
        .map_err(|error| Problem::new(StatusCode::NOT_FOUND, "unknown_story", error.to_string()))
}

/// The address of a story.
pub(super) fn address(story: &Story) -> Address {
    Address::new(format!("/storm/{}", story.name))
}
