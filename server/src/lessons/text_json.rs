//! Lesson: look at the media type before the body. This body is a perfectly good
//! page, but the service does not call it JSON; to parse it would work today and
//! would still be wrong.
//!
//! `curl -i http://127.0.0.1:8765/text-json`

use axum::extract::Query;
use axum::extract::rejection::QueryRejection;
use http::header::CONTENT_TYPE;
use serde::Deserialize;

use super::prelude::*;

pub(crate) const LESSON: Lesson = Lesson {
    path: "/text-json",
    method: Method::GET,
    statuses: &[StatusCode::OK],
    has_retry_after: false,
    fault: Some(FaultLabel::JSON_AS_TEXT),
    serve: || get(text_json),
};

/// The part of the query that is read.
#[derive(Deserialize)]
struct Asked {
    cursor: Option<String>,
}

/// A client that takes it for a page is led on to another.
async fn text_json(query: Result<Query<Asked>, QueryRejection>) -> impl IntoResponse {
    let is_led_on = query.is_ok_and(|Query(asked)| asked.cursor.is_some());
    let (item, next) = if is_led_on {
        (2, None)
    } else {
        (1, Some("page-2".to_owned()))
    };
    let page = Page {
        items: vec![Item::numbered(item)].into(),
        next_cursor: next.clone(),
    };
    (
        Extension(FaultLabel::JSON_AS_TEXT),
        Extension(NextCursor(next)),
        [(CONTENT_TYPE, "text/plain; charset=utf-8")],
        page.to_json(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::get;

    #[tokio::test]
    async fn says_text_and_would_parse_as_a_page() {
        let response = get("/text-json").await;

        assert_eq!(response.status, StatusCode::OK);
        assert_eq!(response.headers[CONTENT_TYPE], "text/plain; charset=utf-8");
        assert!(response.json()["items"].is_array());
        assert!(response.json()["next_cursor"].is_string());
    }

    #[tokio::test]
    async fn leads_whoever_takes_it_for_a_page_to_the_last_one() {
        let first = get("/text-json?limit=50").await;
        let last = get("/text-json?cursor=page-2").await;

        assert!(first.json()["next_cursor"].is_string());
        assert!(last.json()["next_cursor"].is_null());
    }
}
