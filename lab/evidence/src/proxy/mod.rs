//! What a proxy between an application and its API saw, and what that says of the client.
//!
//! The command runs several times. In most runs one request of one route meets one
//! [`Fault`]; the rules read from the [record](Run) of that run how it was taken. A foreign
//! API names no call, so a request belongs to an earlier one only by a [tie](ties), and
//! where no tie is certain the verdict is *cannot tell*.

mod card;
mod fault;
mod judge;
mod quiet;
mod record;
mod routes;
mod rules;
pub mod ties;

pub use card::{CARD_VERSION, CaseCard, ProxyCard, Recording, RouteRow, WireRow};
pub use fault::{Fault, UnknownFault};
pub use judge::{CaseRuns, Judged, judge, judge_credentials};
pub use quiet::unfit;
pub use record::{Body, CommandEnd, ProxyRequest, Run, RunKind, Upstream};
pub use routes::{Templates, is_health_check, shape};
pub use rules::{Declared, RULES, Rule, find, is_safe, names};

#[cfg(test)]
mod tests;
