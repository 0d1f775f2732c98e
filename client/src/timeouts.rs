//! The timeouts that bound every request.

use std::time::Duration;

/// The timeouts of a request.
///
/// Every request carries them as an extension as well, where a transport that is not
/// `reqwest` finds them, and the retry middleware: it reads the body of an error response
/// for no longer than `read` in all. On a stack of your own that is all it does, with the
/// default unless the request carries others: the timeouts are set on the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Timeouts {
    /// The longest time to a connection.
    pub connect: Duration,
    /// The longest silence of the server. It starts anew with every read, so it does not
    /// bound a response that drips.
    pub read: Duration,
    /// The longest time of an attempt, from its start to the end of the response. It bounds
    /// a response that drips. Raise it for large downloads.
    pub attempt: Duration,
}

impl Timeouts {
    /// 3.05 s to connect, 15 s to read, 60 s for an attempt.
    pub const DEFAULT: Self = Self::new(Duration::from_millis(3050), Duration::from_secs(15));

    /// A pair of timeouts, and four times the read timeout for an attempt.
    #[must_use]
    pub const fn new(connect: Duration, read: Duration) -> Self {
        Self {
            connect,
            read,
            attempt: read.saturating_mul(4),
        }
    }
}
