//! The table of lessons, on one screen; each is one file, with the same stations.

mod bad_cursor;
mod bad_items;
mod bad_json;
mod endless_items;
mod flaky;
mod items;
mod jobs;
mod looping_items;
mod no_content;
mod redirect;
mod retry_later;
mod text_json;

use axum::Router;
use host::Routes;
use http::Method;

use crate::lesson::Lesson;
use crate::state::ServiceState;

/// The imports of most lessons.
mod prelude {
    pub(super) use axum::extract::State;
    pub(super) use axum::response::IntoResponse;
    pub(super) use axum::routing::get;
    pub(super) use axum::{Extension, Json};
    pub(super) use http::{Method, StatusCode};

    pub(super) use crate::cursor::{self, List};
    pub(super) use crate::lesson::{Lesson, PAGE};
    pub(super) use crate::page::{Item, Page, PageQuery};
    pub(super) use crate::problem;
    pub(super) use crate::state::ServiceState;
    pub(super) use host::{FaultLabel, NextCursor, Problem};
}

/// How many idempotency keys a service remembers.
const DEFAULT_MAX_JOBS: usize = 10_000;

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
pub(crate) fn with_room_for(max_jobs: usize, seed: u64) -> Routes {
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
