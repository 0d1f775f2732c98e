//! Lesson: cursors can go round in a circle. Pages lead A → B → A → …, so a client
//! that compares with the previous cursor only will never notice; it must remember
//! every cursor that it has received.
//!
//! `curl -G http://127.0.0.1:8765/looping-items`

use super::prelude::*;

pub(crate) const LESSON: Lesson = Lesson {
    path: "/looping-items",
    method: Method::GET,
    statuses: PAGE,
    has_retry_after: false,
    fault: Some(FaultLabel::LOOPING_ITEMS),
    serve: || get(looping_items),
};

async fn looping_items(
    State(state): State<ServiceState>,
    query: PageQuery,
) -> Result<impl IntoResponse, Problem> {
    let page = query.position(state.key(), List::LoopingItems)?;
    let items = (1..=query.size)
        .map(|position| Item::numbered(page * query.size + position))
        .collect();
    let next_page = if page == 1 { 2 } else { 1 };
    let next_cursor = Some(cursor::issue(state.key(), List::LoopingItems, next_page));
    Ok((
        Extension(FaultLabel::LOOPING_ITEMS),
        Page { items, next_cursor },
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Service, get};

    #[tokio::test]
    async fn the_cursors_form_a_cycle_of_two() {
        let cursors = Service::new().follow("/looping-items", 4).await;

        let [a, b, again_a, again_b, ..] = &*cursors else {
            panic!("{cursors:?}")
        };
        assert_ne!(a, b);
        assert_eq!((a, b), (again_a, again_b));
    }

    #[tokio::test]
    async fn a_page_has_no_more_items_than_limit() {
        let page = get("/looping-items?limit=1").await;

        assert_eq!(page.status, StatusCode::OK);
        assert_eq!(page.json()["items"].as_array().unwrap().len(), 1);
    }
}
