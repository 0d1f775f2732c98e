//! A proxy between an application and its own API: it lets one exchange at a time meet a
//! fault, and records how that was taken.
//!
//! [`Upstream`] is what it stands before, [`Listening`] one proxy on a port of its own, and
//! [`Plan`] the runs of a command with one proxy each. What the record means is
//! [`evidence::proxy`]'s matter.

mod forward;
mod inspect;
mod plan;
mod serve;
mod session;
mod upstream;

pub use plan::{Options, Plan, PlanError, Progress};
pub use serve::Listening;
pub use session::Aim;
pub use upstream::{Upstream, UpstreamError};
