//! Retries: facts → decision → effect, in three places.
//!
//! [`decision`] is pure and decides. [`facts`] turns a request and its result into the
//! facts for the decision; [`limits`] has the limits of a call and their defaults;
//! [`backoff`] offers a wait; clones share the budget and the limit in [`shared`].
//! [`call`], [`attempt`] and [`body`] carry out the decision, and are the only files here
//! with I/O. They report to an [`ObservedCall`](crate::telemetry::ObservedCall).

mod attempt;
mod backoff;
mod body;
mod call;
mod decision;
mod facts;
mod limits;
mod middleware;
mod shared;

pub use backoff::{Backoff, NoWait};
pub use body::IncompleteBody;
pub use decision::StopReason;
pub use facts::{
    FINAL_STATUSES, Failure, FailureKind, RETRY_STATUSES, RepeatPermission, RetryAfter,
};
pub use middleware::{RetryMiddleware, RetryReport};
pub use shared::{ConcurrencyLimit, RetryBudget};

pub(crate) use backoff::ClientPolicy;
pub(crate) use decision::{DecisionContext, RetryReason, Verdict, WaitSource};
pub(crate) use facts::{Classifier, Eligibility, Undecodable, may_repeat};
pub(crate) use limits::{Deadline, LONGEST, Limits};
pub(crate) use shared::LimitChange;
