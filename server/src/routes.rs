//! The lessons: one file each, and in each the same stations.

pub(crate) mod bad_cursor;
pub(crate) mod bad_items;
pub(crate) mod bad_json;
pub(crate) mod endless_items;
pub(crate) mod flaky;
pub(crate) mod items;
pub(crate) mod jobs;
pub(crate) mod looping_items;
pub(crate) mod no_content;
pub(crate) mod redirect;
pub(crate) mod retry_later;
pub(crate) mod text_json;

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
