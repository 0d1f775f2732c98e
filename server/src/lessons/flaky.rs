//! Lesson: some failures go away. The first two calls of a service get a 503, and
//! every later one succeeds with the number of the call; there is no Retry-After,
//! so the client has to choose a wait of its own.
//!
//! `curl -i http://127.0.0.1:8765/flaky`

use std::sync::atomic::Ordering;

use axum::response::Response;
use serde::Serialize;

use super::prelude::*;

pub(crate) const LESSON: Lesson = Lesson {
    path: "/flaky",
    method: Method::GET,
    statuses: &[StatusCode::OK, StatusCode::SERVICE_UNAVAILABLE],
    has_retry_after: false,
    fault: Some(FaultLabel::FLAKY),
    serve: || get(flaky),
};

/// The first call that succeeds.
const FIRST_SUCCESS: u64 = 3;

/// The success of /flaky.
#[derive(Debug, Serialize)]
pub(crate) struct FlakyResult {
    /// The number of the call; the first success is call 3.
    attempt: u64,
}

async fn flaky(State(state): State<ServiceState>, method: Method) -> Response {
    // HEAD only asks for the number of the call: a safe method that moved the counter would
    // change the response to the next GET.
    let step = u64::from(method != Method::HEAD);
    let attempt = state.flaky_calls().fetch_add(step, Ordering::Relaxed) + 1;
    if attempt < FIRST_SUCCESS {
        return (Extension(FaultLabel::FLAKY), problem::TRANSIENT_FAILURE).into_response();
    }
    Json(FlakyResult { attempt }).into_response()
}

#[cfg(test)]
mod tests {
    use http::header::{CONTENT_TYPE, RETRY_AFTER};

    use super::*;
    use crate::testing::Service;

    #[tokio::test]
    async fn fails_twice_and_then_counts_its_calls() {
        let service = Service::new();

        for code in ["transient_failure", "transient_failure"] {
            let failure = service.get("/flaky").await;
            assert_eq!(failure.status, StatusCode::SERVICE_UNAVAILABLE);
            assert_eq!(failure.code(), code);
            assert!(!failure.headers.contains_key(RETRY_AFTER));
        }
        for attempt in 3..6 {
            let success = service.get("/flaky").await;
            assert_eq!(success.status, StatusCode::OK);
            assert_eq!(success.json()["attempt"], attempt);
        }
    }

    #[tokio::test]
    async fn head_responds_as_the_next_get_would_and_never_counts() {
        let service = Service::new();

        for status in [503, 503, 200, 200] {
            let heads = [service.head("/flaky").await, service.head("/flaky").await];
            let get = service.get("/flaky").await;

            assert_eq!(get.status.as_u16(), status);
            for head in heads {
                assert_eq!(head.status, get.status);
                assert_eq!(head.headers[CONTENT_TYPE], get.headers[CONTENT_TYPE]);
                assert!(head.body.is_empty());
            }
        }
    }
}
