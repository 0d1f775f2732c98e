//! Lesson: a server may ask for a longer wait than a caller accepts. The wait is valid
//! and long. A client that shortens it and retries earlier is wrong, and so is one that
//! waits without a word. It should report the wait to its caller.
//!
//! `curl -i http://127.0.0.1:8765/retry-later`

use http::header::RETRY_AFTER;

use super::prelude::*;

pub(crate) const LESSON: Lesson = Lesson {
    path: "/retry-later",
    method: Method::GET,
    statuses: &[StatusCode::SERVICE_UNAVAILABLE],
    has_retry_after: true,
    fault: Some(FaultLabel::RETRY_LATER),
    serve: || get(retry_later),
};

/// The wait that is asked for, in seconds (RFC 9110 §10.2.3).
const WAIT: &str = "120";

async fn retry_later() -> impl IntoResponse {
    (
        Extension(FaultLabel::RETRY_LATER),
        [(RETRY_AFTER, WAIT)],
        problem::RETRY_LATER,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::get;

    #[tokio::test]
    async fn asks_for_two_minutes() {
        let response = get("/retry-later").await;

        assert_eq!(response.status, StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(response.headers[RETRY_AFTER], "120");
        assert_eq!(response.code(), "retry_later");
    }
}
