//! Lesson: a 200 with the right media type may still be wrong. One element of
//! `items` is a string, so the page as a whole is unusable.
//!
//! `curl http://127.0.0.1:8765/bad-items`

use serde_json::json;

use super::prelude::*;

pub(crate) const LESSON: Lesson = Lesson {
    path: "/bad-items",
    method: Method::GET,
    statuses: PAGE,
    has_retry_after: false,
    fault: Some(FaultLabel::INVALID_ITEMS),
    serve: || get(bad_items),
};

async fn bad_items(
    State(state): State<ServiceState>,
    query: PageQuery,
) -> Result<impl IntoResponse, Problem> {
    query.position(state.key(), List::BadItems)?;
    let page = json!({ "items": [Item::numbered(1), "not an object"], "next_cursor": null });
    let listing = Extension(NextCursor(None));
    Ok((Extension(FaultLabel::INVALID_ITEMS), listing, Json(page)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::get;

    #[tokio::test]
    async fn an_element_of_items_is_not_an_object() {
        let page = get("/bad-items").await;

        assert_eq!(page.status, StatusCode::OK);
        assert!(page.json()["items"][0].is_object());
        assert!(page.json()["items"][1].is_string());
    }
}
