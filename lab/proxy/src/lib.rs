//! `lab proxy`: a proxy between an application and its own API, which lets one exchange at a
//! time meet a fault and judges how the application took it.
//!
//! [`Listening`] is one proxy on a port of its own, in front of an [`Upstream`]; [`Plan`] runs
//! a command several times, with one proxy each. In most runs one request of one route meets
//! one [`ProxyFault`]; the rules read from the [record](ProxyRun) of that run how it was taken. A
//! foreign API names no call, so a request belongs to an earlier one only by a tie,
//! and where no tie is certain the verdict is *cannot tell*.

// No input may end the program: each impossible case states its reason.
#![cfg_attr(
    not(test),
    warn(
        clippy::expect_used,
        clippy::indexing_slicing,
        clippy::panic,
        clippy::string_slice,
        clippy::unreachable,
        clippy::unwrap_used
    )
)]

mod address_text;
mod body_digest;
mod card;
mod case_timeline;
mod failure;
mod fault;
mod forward;
mod html;
mod injected;
mod inspect;
mod junit;
mod listen;
mod plan;
mod record;
mod replay;
mod routes;
mod serve;
mod session;
pub mod text;
mod tls;
mod upstream;
mod verdict;

pub use address_text::{AddressText, AddressTextError};
pub use card::ProxyCard;
pub use failure::UpstreamFailure;
pub use fault::{ProxyFault, UnknownFault};
pub use html::html_proxy;
pub use injected::Injected;
pub use junit::junit_proxy;
pub use listen::{ListenAddress, ListenError};
pub use plan::{Plan, PlanError, PlanOptions, RunStart};
pub use record::{Body, CommandEnd, ProxyRequest, ProxyRun, UpstreamResponse};
pub use routes::holding;
pub use serve::{Listening, Setup};
pub use session::Aim;
pub use tls::TlsError;
pub use upstream::{Upstream, UpstreamError};
pub use verdict::rules::{Declared, find, names};

#[cfg(test)]
mod tests;
