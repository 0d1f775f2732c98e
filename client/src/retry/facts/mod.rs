//! The facts of a decision, read off a request and its result.
//!
//! [`eligibility`] says which requests may be repeated, and holds the permission for a
//! POST. [`failure`] names the kinds of failure, [`classify`] says which results are worth another
//! attempt, and [`retry_after`] reads the server's wait.

pub(super) mod classify;
mod eligibility;
mod failure;
mod retry_after;

pub(crate) use classify::Classifier;
pub use classify::{FINAL_STATUSES, RETRY_STATUSES};
pub use eligibility::RepeatPermission;
pub(crate) use eligibility::{Eligibility, may_repeat};
pub(crate) use failure::Undecodable;
pub use failure::{Failure, FailureKind};
pub use retry_after::RetryAfter;
