//! The state of a connection: what it waits for, and since when.
//!
//! The parts of a connection note it as they are polled. What follows from it is decided in
//! `connection`. It has no clock: every moment is passed in.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::time::Instant;
use wire::ClosedBy;

/// The activity of one connection.
#[derive(Debug)]
pub(super) struct Activity(Mutex<State>);

#[derive(Debug)]
pub(super) struct State {
    pub(super) request: RequestPhase,
    /// Since when the client has taken nothing of a response.
    pub(super) stalled: Option<Instant>,
    /// Since when the client's close has been waited for.
    pub(super) closing: Option<Instant>,
    /// Whether a body was left unread.
    pub(super) is_unread: bool,
    /// Whether the connection is to end with a reset.
    pub(super) is_to_be_reset: bool,
    /// How many requests have begun.
    requests: u64,
    /// Who closed the connection first.
    closed_by: Option<ClosedBy>,
}

/// How far the latest request has come.
#[derive(Debug, Clone, Copy)]
pub(super) enum RequestPhase {
    Awaited { since: Instant },
    HeadBegun { since: Instant },
    InFlight,
}

impl Activity {
    /// Of a connection that was accepted at this moment.
    pub(super) fn new(now: Instant) -> Self {
        Self(Mutex::new(State {
            request: RequestPhase::Awaited { since: now },
            stalled: None,
            closing: None,
            is_unread: false,
            is_to_be_reset: false,
            requests: 0,
            closed_by: None,
        }))
    }

    /// Bytes have come.
    pub(super) fn received(&self, now: Instant) {
        let mut state = self.lock();
        if let RequestPhase::Awaited { .. } = state.request {
            state.request = RequestPhase::HeadBegun { since: now };
        }
    }

    /// The head of a request is complete: its position on the connection, from 1.
    pub(super) fn request_began(&self) -> u64 {
        let mut state = self.lock();
        state.request = RequestPhase::InFlight;
        // The rest of an earlier body was read after all.
        state.is_unread = false;
        state.requests += 1;
        state.requests
    }

    /// The response is complete, or was dropped.
    pub(super) fn request_ended(&self, now: Instant) {
        self.lock().request = RequestPhase::Awaited { since: now };
    }

    /// The client takes nothing of a response since then, or it does.
    pub(super) fn is_stalled(&self, since: Option<Instant>) {
        let mut state = self.lock();
        state.stalled = since.map(|since| state.stalled.unwrap_or(since));
    }

    /// Everything was sent; the client is to close, too.
    pub(super) fn closes(&self, now: Instant) {
        self.lock().closing.get_or_insert(now);
    }

    /// Notes which side closes the connection; the first one counts.
    pub(super) fn is_closed_by(&self, by: ClosedBy) {
        self.lock().closed_by.get_or_insert(by);
    }

    /// Who closed the connection, and after how many requests. A connection that ends
    /// without a close was dropped by the service.
    pub(super) fn end(&self) -> (ClosedBy, u64) {
        let state = self.lock();
        (state.closed_by.unwrap_or(ClosedBy::Service), state.requests)
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        // The state is sound after every single step.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_left_unread_is_read_where_another_request_comes() {
        let now = Instant::now();
        let activity = Activity::new(now);
        activity.request_began();

        activity.lock().is_unread = true;
        activity.request_began();

        assert!(!activity.lock().is_unread);
    }
}
