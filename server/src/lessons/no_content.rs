//! Lesson: success may have no body. A 204 is complete as it is, and there is
//! nothing in it to parse.
//!
//! `curl -i http://127.0.0.1:8765/no-content`

use super::prelude::*;

pub(crate) const LESSON: Lesson = Lesson {
    path: "/no-content",
    method: Method::GET,
    statuses: &[StatusCode::NO_CONTENT],
    has_retry_after: false,
    fault: Some(FaultLabel::NO_CONTENT),
    serve: || get(no_content),
};

async fn no_content() -> impl IntoResponse {
    (Extension(FaultLabel::NO_CONTENT), StatusCode::NO_CONTENT)
}
