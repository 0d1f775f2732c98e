//! Retries: facts → decision → effect, in three places.
//!
//! [`decision`] is pure and decides. [`failure`], [`classify`], [`eligibility`]
//! and [`retry_after`], which reads dates by [`http_date`], turn a request and
//! its result into the facts it needs; [`backoff`] offers a wait; [`budget`] and
//! [`concurrency`] are what clones share. [`middleware`], [`attempt`] and
//! [`body`] do what was decided, and are the only files here that touch the
//! outside.

mod attempt;
mod backoff;
mod body;
mod budget;
mod call_settings;
mod classify;
mod concurrency;
mod decision;
mod eligibility;
mod failure;
mod http_date;
mod middleware;
mod retry_after;

pub use backoff::{Backoff, NoWait};
pub use body::IncompleteBody;
pub use budget::RetryBudget;
pub use call_settings::CallSettings;
pub use classify::{Classifier, FINAL_STATUSES, RETRY_STATUSES};
pub use concurrency::ConcurrencyLimit;
pub use decision::{
    Decision, Facts, Limits, RetryReason, Standing, StopReason, Verdict, WaitSource, decide,
};
pub use eligibility::{Eligibility, RepeatPermission, may_repeat};
pub use failure::{Failure, FailureKind};
pub use middleware::{RetryMiddleware, RetryReport};
pub use retry_after::RetryAfter;

pub(crate) use backoff::Policy;
pub(crate) use body::{DEFAULT_MAX_BODY_BYTES, read_error};
pub(crate) use decision::Grounds;
pub(crate) use middleware::{DEFAULT_MAX_ATTEMPTS, DEFAULT_MAX_RETRY_AFTER, Terms};
