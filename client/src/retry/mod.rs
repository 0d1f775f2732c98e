//! Retries: classify → decide → act, in three places.
//!
//! [`decision`] is pure and decides. [`classify`] and [`retry_after`] read what it needs to know
//! off a request and its result; [`limits`] has the limits of a call and their defaults;
//! [`backoff`] offers a wait; clones share a [`budget`] and a limit on [`concurrency`].
//! [`call`] and [`attempt`] carry out the decision: they wait, send and read, and report to
//! an [`ObservedCall`](crate::telemetry::ObservedCall).

mod attempt;
mod backoff;
mod budget;
mod call;
mod classify;
mod concurrency;
mod decision;
mod limits;
mod middleware;
mod retry_after;

pub use attempt::IncompleteBody;
pub use backoff::{Backoff, NoWait};
pub use budget::RetryBudget;
pub use classify::{FINAL_STATUSES, RETRY_STATUSES, RepeatPermission};
pub use concurrency::ConcurrencyLimit;
pub use middleware::{RetryMiddleware, RetryReport};
pub use retry_after::RetryAfter;

pub(crate) use backoff::ClientPolicy;
pub(crate) use classify::{Classifier, Eligibility, may_repeat};
pub(crate) use concurrency::LimitChange;
pub(crate) use decision::{DecisionContext, RetryReason, Verdict, WaitSource};
pub(crate) use limits::{Deadline, LONGEST, Limits};
