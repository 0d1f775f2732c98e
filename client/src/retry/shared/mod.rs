//! The state that all clones of a client share: the budget of their retries, and the limit
//! on their attempts in flight.

mod budget;
mod concurrency;

pub use budget::RetryBudget;
pub(super) use budget::Token;
pub use concurrency::ConcurrencyLimit;
pub(crate) use concurrency::LimitChange;
pub(super) use concurrency::Permit;
