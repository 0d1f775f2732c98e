//! The table of lessons, on one screen.

use axum::Router;
use host::Routes;
use http::Method;

use crate::lesson::Lesson;
use crate::routes::{
    bad_cursor, bad_items, bad_json, endless_items, flaky, items, jobs, looping_items, no_content,
    redirect, retry_later, text_json,
};
use crate::state::ServiceState;

/// How many idempotency keys a service remembers.
pub const DEFAULT_MAX_JOBS: usize = 10_000;

/// Every lesson, in the order of the endpoint table.
pub(crate) const LESSONS: [Lesson; 12] = [
    items::LESSON,
    looping_items::LESSON,
    endless_items::LESSON,
    bad_items::LESSON,
    bad_cursor::LESSON,
    flaky::LESSON,
    retry_later::LESSON,
    bad_json::LESSON,
    text_json::LESSON,
    no_content::LESSON,
    redirect::LESSON,
    jobs::LESSON,
];

/// The lessons, with cursors and jobs made from this seed.
#[must_use]
pub fn lessons(seed: u64) -> Routes {
    with_room_for(DEFAULT_MAX_JOBS, seed)
}

/// The lessons, with room for so many idempotency keys: a key more is refused with 507.
#[must_use]
pub fn with_room_for(max_jobs: usize, seed: u64) -> Routes {
    let router = LESSONS.iter().fold(Router::new(), |router, lesson| {
        router.route(lesson.path, (lesson.serve)())
    });
    Routes {
        router: router.with_state(ServiceState::new(seed, max_jobs)),
        expected: LESSONS.iter().flat_map(Lesson::expected).collect(),
    }
}

/// Whether a plain service serves this method on this path.
#[must_use]
pub fn serves(method: &str, path: &str) -> bool {
    LESSONS.iter().any(|lesson| {
        let head = lesson.method == Method::GET && method == Method::HEAD;
        lesson.path == path && (lesson.method == method || head)
    })
}
