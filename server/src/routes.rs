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
