//! One connection, as the service saw it.

use std::time::Duration;

use serde::Serialize;

use crate::nanoseconds;

/// One connection, as the service saw it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct WireConnection {
    /// Its number in the order of acceptance; the first is 1.
    pub number: u64,
    /// When it was accepted.
    #[serde(rename = "opened_ns", with = "nanoseconds")]
    pub opened: Duration,
    /// Its end; none while it is open.
    pub closed: Option<ConnectionEnd>,
    /// How many requests came on it; while it is open, the position of the newest one that
    /// has an entry. Without an entry are scrapes of `/metrics`, refused requests, and one
    /// that came together with the client's close, which was not handled.
    pub requests: u64,
}

/// The end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ConnectionEnd {
    /// When it was closed.
    #[serde(rename = "at_ns", with = "nanoseconds")]
    pub at: Duration,
    /// Who closed it first.
    pub by: ClosedBy,
}

/// Who closed a connection first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ClosedBy {
    /// The client, in good order.
    Client,
    /// The service, in good order.
    Service,
    /// The service, because the connection had reached a bound, such as a timeout.
    Bound,
    /// The service, because the client spoke HTTP/2, which the service does not speak.
    Http2,
    /// Neither side in good order: it was reset, or failed.
    Reset,
}
