//! Lesson: check the cursor's type as well. The items are fine, but `next_cursor`
//! is a number; a client that sends it on as text would be guessing.
//!
//! `curl http://127.0.0.1:8765/bad-cursor`

use serde_json::json;

use super::prelude::*;

pub(crate) const LESSON: Lesson = Lesson {
    path: "/bad-cursor",
    method: Method::GET,
    statuses: PAGE,
    has_retry_after: false,
    fault: Some(FaultLabel::INVALID_CURSOR),
    serve: || get(bad_cursor),
};

async fn bad_cursor(
    State(state): State<ServiceState>,
    query: PageQuery,
) -> Result<impl IntoResponse, Problem> {
    query.position(state.key(), List::BadCursor)?;
    let page = json!({ "items": [Item::numbered(1)], "next_cursor": 2 });
    Ok((Extension(FaultLabel::INVALID_CURSOR), Json(page)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::get;

    #[tokio::test]
    async fn next_cursor_is_a_number() {
        let page = get("/bad-cursor").await;

        assert_eq!(page.status, StatusCode::OK);
        assert!(page.json()["next_cursor"].is_number());
    }
}
