//! Lesson: a redirect is a response, not an order. A client that follows on its own
//! may send a method, a body or a credential to a server that nobody chose.
//!
//! `curl -i http://127.0.0.1:8765/redirect`

use http::header::LOCATION;

use super::prelude::*;

pub(crate) const LESSON: Lesson = Lesson {
    path: "/redirect",
    method: Method::GET,
    statuses: &[StatusCode::FOUND],
    has_retry_after: false,
    fault: Some(FaultLabel::REDIRECT),
    serve: || get(redirect),
};

async fn redirect() -> impl IntoResponse {
    (
        StatusCode::FOUND,
        Extension(FaultLabel::REDIRECT),
        [(LOCATION, "/items")],
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::get;

    #[tokio::test]
    async fn points_to_items_without_a_body() {
        let response = get("/redirect").await;

        assert_eq!(response.status, StatusCode::FOUND);
        assert_eq!(response.headers[LOCATION], "/items");
        assert!(response.body.is_empty());
    }
}
