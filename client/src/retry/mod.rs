//! Retries: what happens to a request between a client and its session.
//!
//! [`middleware`] goes round for each attempt: it waits for a turn under the limit on
//! [`concurrency`], sends the request and reads the response ([`attempt`]), asks for a
//! [`decision`], and waits as long as the server says ([`retry_after`]) or the [`backoff`]
//! offers. A shared [`budget`] pays for each retry. The decision is pure; [`settings`] has
//! the limits that it checks. Everything is reported to a
//! [`CallObserver`](crate::telemetry::CallObserver).

mod attempt;
mod backoff;
mod budget;
mod concurrency;
mod decision;
mod middleware;
mod retry_after;
mod settings;

pub use attempt::IncompleteBody;
pub use backoff::{Backoff, NoWait};
pub use budget::RetryBudget;
pub use concurrency::ConcurrencyLimit;
pub use decision::{FINAL_STATUSES, RETRY_STATUSES, RepeatPermission};
pub use middleware::{RetryMiddleware, RetryReport};
pub use retry_after::RetryAfter;

pub(crate) use backoff::ClientPolicy;
pub(crate) use concurrency::LimitChange;
pub(crate) use decision::{
    Classifier, DecisionContext, Eligibility, RetryReason, Verdict, WaitSource, may_repeat,
};
pub(crate) use settings::{Deadline, LONGEST, Limits};
