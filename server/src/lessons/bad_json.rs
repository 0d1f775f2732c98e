//! Lesson: a media type proves nothing about the body. The response says JSON and
//! stops in the middle of it.
//!
//! `curl -i http://127.0.0.1:8765/bad-json`

use http::header::CONTENT_TYPE;

use super::prelude::*;

pub(crate) const LESSON: Lesson = Lesson {
    path: "/bad-json",
    method: Method::GET,
    statuses: &[StatusCode::OK],
    has_retry_after: false,
    fault: Some(FaultLabel::INVALID_JSON),
    serve: || get(bad_json),
};

async fn bad_json() -> impl IntoResponse {
    let body = r#"{"items": [{"id": "item-1", "name": "#;
    (
        Extension(FaultLabel::INVALID_JSON),
        [(CONTENT_TYPE, "application/json")],
        body,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::get;

    #[tokio::test]
    async fn says_json_and_does_not_parse() {
        let response = get("/bad-json").await;

        assert_eq!(response.status, StatusCode::OK);
        assert_eq!(response.headers[CONTENT_TYPE], "application/json");
        assert!(serde_json::from_slice::<serde_json::Value>(&response.body).is_err());
    }
}
