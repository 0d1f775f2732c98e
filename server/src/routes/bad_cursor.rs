//! Lesson: check the cursor's type as well. The items are fine, but `next_cursor`
//! is a number; a client that sends it on as text would be guessing.
//!
//! `curl http://127.0.0.1:8765/bad-cursor`

use axum::extract::State;
use axum::response::IntoResponse;
use axum::{Extension, Json, Router};
use http::{Method, StatusCode};
use serde_json::json;

use crate::cursor::List;
use crate::lesson::{Content, DeclaredResponse, Lesson, Takes};
use crate::page::{Item, PageQuery};
use crate::problem;
use crate::state::ServiceState;
use host::{Fault, Problem};

pub(crate) const LESSON: Lesson = Lesson {
    path: "/bad-cursor",
    method: Method::GET,
    summary: "A page with a cursor that is a number",
    takes: Takes::PageQuery,
    responses: &[
        DeclaredResponse::new(
            StatusCode::OK,
            "a page that breaks its schema on purpose: next_cursor is a number",
            Content::BrokenJson("Page"),
        ),
        DeclaredResponse::problem(problem::INVALID_LIMIT),
        DeclaredResponse::problem(problem::INVALID_CURSOR),
    ],
    fault: Some("bad_cursor"),
};

pub(crate) fn router() -> Router<ServiceState> {
    LESSON.served_by(bad_cursor)
}

async fn bad_cursor(
    State(state): State<ServiceState>,
    query: PageQuery,
) -> Result<impl IntoResponse, Problem> {
    query.position(state.key(), List::BadCursor)?;
    let page = json!({ "items": [Item::numbered(1)], "next_cursor": 2 });
    Ok((Extension(Fault("bad_cursor")), Json(page)))
}

#[cfg(test)]
mod tests {
    use http::StatusCode;

    use crate::testing::get;

    #[tokio::test]
    async fn next_cursor_is_a_number() {
        let page = get("/bad-cursor").await;

        assert_eq!(page.status, StatusCode::OK);
        assert!(page.json()["next_cursor"].is_number());
    }
}
