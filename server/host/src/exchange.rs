//! Recorded exchanges: what the service itself sent, and the shape of what it received.
//!
//! A browser's network panel shows a request as it went over the wire. This shows as much
//! of it as can be shown without a secret: the response whole, since it is teaching
//! material, but for the cursor in it; of the request the names of its headers, and the
//! values of a closed list of them. What is the same as something that was sent before,
//! the hashes of the [ledger](crate::Ledger) tell.
//!
//! It is off unless a service is started so ([`ServiceConfig::record_exchanges`]),
//! and then kept beside the ledger and bounded like it. None of it goes to `tracing` or
//! to metrics, and no `Debug` prints it.
//!
//! [`ServiceConfig::record_exchanges`]: crate::ServiceConfig::record_exchanges

mod body;
mod copied_body;
mod cursors;
mod layer;
mod request;
mod response;
mod secrets;

pub(crate) use layer::{Recorded, keep};

pub use body::{MAX_RECORDED_BODY, SentBody};
pub use request::RequestShape;
pub use response::SentResponse;

use wire::Secret;

/// One request and its response, as far as both can be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// The number of the request in the ledger.
    pub seq: u64,
    /// The shape of what was received.
    pub request: Secret<RequestShape>,
    /// The response; none if there was none, or a
    /// [fault of the connection](crate::ConnectionFault) took its position.
    pub response: Option<Secret<SentResponse>>,
}
