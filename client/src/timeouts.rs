//! The timeout pair that bounds every request.

use std::time::Duration;

/// The timeout pair of a request.
///
/// Every request carries it as an extension as well, where a transport that is
/// not `reqwest` finds it, and the retry middleware: it reads the body of an
/// error response for no longer than `read` in all. On a stack of your own that
/// is all it does, with the default unless the request carries another pair:
/// the timeouts of connecting and reading are set on the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// The longest time to a connection.
    pub connect: Duration,
    /// The longest silence of the server. It starts anew with every read, so it
    /// does not bound a response that drips; a deadline does.
    pub read: Duration,
}

impl Timeouts {
    /// 3.05 s to connect, 15 s to read.
    pub const DEFAULT: Self = Self {
        connect: Duration::from_millis(3050),
        read: Duration::from_secs(15),
    };
}
