//! Retries: facts → decision → effect, in three places.
//!
//! [`decision`] is pure and decides. [`facts`] turns a request and its result into the
//! facts for the decision; [`settings`] has the limits of a call and their defaults;
//! [`backoff`] offers a wait; clones share the budget and the limit in [`shared`].
//! [`call`], [`attempt`] and [`body`] carry out the decision, and are the only files here
//! with I/O. They report to an [`observer`].

mod attempt;
mod backoff;
mod body;
mod call;
mod decision;
mod facts;
mod middleware;
mod observer;
mod settings;
mod shared;

pub use backoff::{Backoff, NoWait};
pub use body::IncompleteBody;
pub use decision::{
    CallState, Decision, Facts, Limits, RetryReason, StopReason, Verdict, WaitSource, decide,
};
pub use facts::{
    Classifier, Eligibility, FINAL_STATUSES, Failure, FailureKind, RETRY_STATUSES,
    RepeatPermission, RetryAfter, may_repeat,
};
pub use middleware::{RetryMiddleware, RetryReport};
pub use observer::Injector;
pub use settings::CallSettings;
pub use shared::{ConcurrencyLimit, RetryBudget};

pub(crate) use backoff::ClientPolicy;
pub(crate) use body::{DEFAULT_MAX_BODY_BYTES, read_error, session_timeout};
pub(crate) use decision::DecisionContext;
pub(crate) use facts::{Refused, Undecodable};
pub(crate) use observer::{CallObserver, ObservedBy, Observer};
pub(crate) use settings::OfHandle;
pub(crate) use shared::LimitChange;
