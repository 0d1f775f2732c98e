//! What a run looks like as JSON, said for programs.

/// The JSON Schema (draft 2020-12) of a run as [`json`](super::json) sets it:
/// every member, what it means, and its unit.
///
/// It is written by hand, so that it can teach, and held to runs by a test, so
/// that it is true.
pub const RUN_SCHEMA: &str = include_str!("run.schema.json");
