//! Lesson: walk a list by its cursors. Three records on two pages; `next_cursor`
//! leads on and is null on the last page. A cursor is sent back unchanged, which
//! means percent-encoded in a query: it holds `+`, `/`, `=` and `&` on purpose.
//!
//! `curl -G http://127.0.0.1:8765/items --data-urlencode "cursor=$NEXT_CURSOR"`

use super::prelude::*;

pub(crate) const LESSON: Lesson = Lesson {
    path: "/items",
    method: Method::GET,
    statuses: PAGE,
    has_retry_after: false,
    fault: None,
    serve: || get(items),
};

/// All records.
static ITEMS: [Item; 3] = [
    Item::new("item-1", "Item 1"),
    Item::new("item-2", "Item 2"),
    Item::new("item-3", "Item 3"),
];

async fn items(State(state): State<ServiceState>, query: PageQuery) -> Result<Page, Problem> {
    let read = query.position(state.key(), List::Items)?;
    let end = read + query.size;
    let (_, rest) = ITEMS.split_at(ITEMS.len().min(read as usize));
    let (items, rest) = rest.split_at(rest.len().min(query.size as usize));
    let next_cursor = (!rest.is_empty()).then(|| cursor::issue(state.key(), List::Items, end));
    Ok(Page {
        items: items.into(),
        next_cursor,
    })
}

#[cfg(test)]
mod tests {
    use http::header::CONTENT_TYPE;
    use serde_json::{Value, json};

    use super::*;
    use crate::testing::{Service, get, percent_encode};

    #[tokio::test]
    async fn two_pages_hold_three_records() {
        let service = Service::new();

        let first = service.get("/items").await;
        let last = service.page("/items", &first.next_cursor()).await;

        assert_eq!(first.status, StatusCode::OK);
        assert_eq!(first.headers[CONTENT_TYPE], "application/json");
        assert_eq!(
            first.json()["items"],
            json!([
                { "id": "item-1", "name": "Item 1" },
                { "id": "item-2", "name": "Item 2" },
            ])
        );
        assert_eq!(
            last.json(),
            json!({ "items": [{ "id": "item-3", "name": "Item 3" }], "next_cursor": null })
        );
    }

    #[tokio::test]
    async fn limit_is_an_upper_bound() {
        let service = Service::new();

        let mut sizes = Vec::new();
        let mut page = service.get("/items?limit=1").await;
        loop {
            sizes.push(page.json()["items"].as_array().unwrap().len());
            let Value::String(cursor) = &page.json()["next_cursor"] else {
                break;
            };
            let cursor = percent_encode(cursor);
            page = service
                .get(&format!("/items?limit=1&cursor={cursor}"))
                .await;
        }
        let generous = service.get("/items?limit=100").await;

        assert_eq!(sizes, [1, 1, 1]);
        assert_eq!(generous.json()["items"].as_array().unwrap().len(), 2);
    }

    #[tokio::test]
    async fn every_list_checks_its_query_and_names_the_parameter_at_fault() {
        for path in [
            "/items",
            "/looping-items",
            "/endless-items",
            "/bad-items",
            "/bad-cursor",
        ] {
            let limit = get(&format!("{path}?limit=0")).await;
            let cursor = get(&format!("{path}?cursor=x")).await;

            let [invalid_limit, invalid_cursor] = [limit, cursor].map(|response| response.fault());
            let expected = ("invalid_limit".into(), "query.limit".into());
            assert_eq!(invalid_limit, expected, "{path}");
            let expected = ("invalid_cursor".into(), "query.cursor".into());
            assert_eq!(invalid_cursor, expected, "{path}");
        }
    }
}
