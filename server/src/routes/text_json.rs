//! Lesson: look at the media type before the body. This body is a perfectly good
//! page, but the service does not call it JSON; to parse it would work today and
//! would still be wrong.
//!
//! `curl -i http://127.0.0.1:8765/text-json`

use axum::response::IntoResponse;
use axum::routing::get;
use axum::{Extension, Router};
use http::header::CONTENT_TYPE;
use http::{Method, StatusCode};

use crate::lesson::{Content, DeclaredResponse, Lesson, Takes};
use crate::response_extensions::Fault;
use crate::state::ServiceState;

pub(crate) const LESSON: Lesson = Lesson {
    path: "/text-json",
    method: Method::GET,
    summary: "A page that is not called JSON",
    takes: Takes::Nothing,
    responses: &[DeclaredResponse::new(
        StatusCode::OK,
        "breaks its contract on purpose: a page, but not under a JSON media type",
        Content::Text("text/plain; charset=utf-8"),
    )],
    fault: Some("text_json"),
};

pub(crate) fn router() -> Router<ServiceState> {
    Router::new().route(LESSON.path, get(text_json))
}

async fn text_json() -> impl IntoResponse {
    let body = r#"{"items": [{"id": "item-1", "name": "Item 1"}], "next_cursor": null}"#;
    (
        Extension(Fault("text_json")),
        [(CONTENT_TYPE, "text/plain; charset=utf-8")],
        body,
    )
}

#[cfg(test)]
mod tests {
    use http::StatusCode;

    use http::header::CONTENT_TYPE;

    use crate::testing::get;

    #[tokio::test]
    async fn says_text_and_would_parse_as_a_page() {
        let response = get("/text-json").await;

        assert_eq!(response.status, StatusCode::OK);
        assert_eq!(response.headers[CONTENT_TYPE], "text/plain; charset=utf-8");
        assert!(response.json()["items"].is_array());
        assert!(response.json()["next_cursor"].is_null());
    }
}
