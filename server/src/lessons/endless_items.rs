//! Lesson: a list may never end. Every page has items and a cursor never seen
//! before, so remembering cursors does not help; only a cap on pages or items does.
//!
//! `curl http://127.0.0.1:8765/endless-items`

use super::prelude::*;

pub(crate) const LESSON: Lesson = Lesson {
    path: "/endless-items",
    method: Method::GET,
    statuses: PAGE,
    has_retry_after: false,
    fault: Some(FaultLabel::ENDLESS_ITEMS),
    serve: || get(endless_items),
};

async fn endless_items(
    State(state): State<ServiceState>,
    query: PageQuery,
) -> Result<impl IntoResponse, Problem> {
    let read = query.position(state.key(), List::EndlessItems)?;
    let items = (1..=query.size)
        .map(|position| Item::numbered(read + position))
        .collect();
    let next_cursor = cursor::issue(state.key(), List::EndlessItems, read + query.size);
    Ok((
        Extension(FaultLabel::ENDLESS_ITEMS),
        Page {
            items,
            next_cursor: Some(next_cursor),
        },
    ))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::testing::Service;

    #[tokio::test]
    async fn every_page_has_items_and_a_fresh_cursor() {
        let cursors = Service::new().follow("/endless-items", 50).await;

        let distinct: HashSet<_> = cursors.iter().collect();
        assert_eq!(distinct.len(), cursors.len());
    }

    #[tokio::test]
    async fn a_page_goes_on_where_the_last_one_ended() {
        let service = Service::new();
        let first = service.get("/endless-items").await;

        let second = service.page("/endless-items", &first.next_cursor()).await;

        assert_eq!(first.status, StatusCode::OK);
        assert_eq!(first.json()["items"][1]["id"], "item-2");
        assert_eq!(second.json()["items"][0]["id"], "item-3");
    }
}
