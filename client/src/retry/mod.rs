//! Retries: facts → decision → effect, in three places.
//!
//! [`decision`] is pure and decides. [`failure`], [`classify`], [`eligibility`] and
//! [`retry_after`], which reads dates by [`http_date`], turn a request and its result
//! into the facts for the decision; [`backoff`] offers a wait; [`budget`] and
//! [`concurrency`] are shared by clones. [`call`], [`attempt`] and [`body`] carry out
//! the decision, and are the only files here with I/O. They report to an [`observer`].

mod attempt;
mod backoff;
mod body;
mod budget;
mod call;
mod classify;
mod concurrency;
mod decision;
mod eligibility;
mod failure;
mod http_date;
mod middleware;
mod observer;
mod retry_after;
mod settings;
mod watchers;

pub use backoff::{Backoff, NoWait};
pub use body::IncompleteBody;
pub use budget::RetryBudget;
pub use classify::{Classifier, FINAL_STATUSES, RETRY_STATUSES};
pub use concurrency::ConcurrencyLimit;
pub use decision::{
    CallState, Decision, Facts, Limits, RetryReason, StopReason, Verdict, WaitSource, decide,
};
pub use eligibility::{Eligibility, RepeatPermission, may_repeat};
pub use failure::{Failure, FailureKind};
pub use middleware::{RetryMiddleware, RetryReport};
pub use observer::Injector;
pub use retry_after::RetryAfter;
pub use settings::CallSettings;

pub(crate) use backoff::Policy;
pub(crate) use body::{DEFAULT_MAX_BODY_BYTES, read_error, session_timeout};
pub(crate) use concurrency::LimitChange;
pub(crate) use decision::DecisionContext;
pub(crate) use observer::{CallObserver, ObservedBy, Observer};
pub(crate) use settings::OfHandle;
pub(crate) use watchers::Watcher;
