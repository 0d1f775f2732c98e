//! The state of a connection: what it waits for, and since when.
//!
//! The parts of a connection note it as they are polled, and the deadline reads it. It has
//! no clock: every moment is passed in.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::time::Instant;
use wire::ClosedBy;

use super::ConnectionBounds;

/// The activity of one connection.
#[derive(Debug)]
pub(super) struct Activity(Mutex<State>);

#[derive(Debug)]
pub(super) struct State {
    request: Progress,
    /// Since when the client has taken nothing of a response.
    stalled: Option<Instant>,
    /// Since when the client's close has been waited for.
    closing: Option<Instant>,
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
enum Progress {
    Awaited { since: Instant },
    HeadBegun { since: Instant },
    InFlight,
}

impl Activity {
    /// Of a connection that was accepted at this moment.
    pub(super) fn new(now: Instant) -> Self {
        Self(Mutex::new(State {
            request: Progress::Awaited { since: now },
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
        if let Progress::Awaited { .. } = state.request {
            state.request = Progress::HeadBegun { since: now };
        }
    }

    /// The head of a request is complete: its position on the connection, from 1.
    pub(super) fn request_began(&self) -> u64 {
        let mut state = self.lock();
        state.request = Progress::InFlight;
        // The rest of an earlier body was read after all.
        state.is_unread = false;
        state.requests += 1;
        state.requests
    }

    /// The response is complete, or was dropped.
    pub(super) fn request_ended(&self, now: Instant) {
        self.lock().request = Progress::Awaited { since: now };
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

    /// Somebody closes the connection. Who does so first is kept.
    pub(super) fn is_closed_by(&self, by: ClosedBy) {
        self.lock().closed_by.get_or_insert(by);
    }

    /// Who closed the connection, and after how many requests. A connection that ends
    /// without a close was dropped by the service.
    pub(super) fn end(&self) -> (ClosedBy, u64) {
        let state = self.lock();
        (state.closed_by.unwrap_or(ClosedBy::Service), state.requests)
    }

    /// Whether it can be closed without a loss: no request is in flight, and every
    /// response was taken.
    pub(super) fn is_idle(&self) -> bool {
        let state = self.lock();
        !matches!(state.request, Progress::InFlight)
            && state.stalled.is_none()
            && state.closing.is_none()
    }

    /// When it is to be closed, if nothing happens before. The bounds of a body and of
    /// a close are kept where these are read.
    pub(super) fn deadline(&self, bounds: &ConnectionBounds) -> Option<Instant> {
        let state = self.lock();
        match (state.closing, state.stalled, state.request) {
            (Some(_), ..) => None,
            (None, Some(since), _) => since.checked_add(bounds.stalled),
            (None, None, Progress::Awaited { since }) => since.checked_add(bounds.idle),
            (None, None, Progress::HeadBegun { since }) => since.checked_add(bounds.head),
            (None, None, Progress::InFlight) => None,
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        // The state is sound after every single step.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn each_wait_has_its_bound_and_work_has_none() {
        let bounds = ConnectionBounds {
            head: seconds(1),
            idle: seconds(2),
            stalled: seconds(3),
            ..ConnectionBounds::default()
        };
        let came = Instant::now();
        let [spoke, responded] = [10, 20].map(|after| came + seconds(after));
        let activity = Activity::new(came);
        let after = |since: Instant, bound| Some(since + seconds(bound));
        let deadline = || activity.deadline(&bounds);

        assert_eq!(deadline(), after(came, 2), "silent");
        activity.received(spoke);
        activity.received(responded);
        assert_eq!(deadline(), after(spoke, 1), "half a head");
        activity.request_began();
        assert_eq!(deadline(), None, "in flight");
        activity.is_stalled(Some(spoke));
        activity.is_stalled(Some(responded));
        assert_eq!(deadline(), after(spoke, 3), "a response that is not taken");
        activity.is_stalled(None);
        activity.request_ended(responded);
        assert_eq!(deadline(), after(responded, 2), "between two requests");
        activity.closes(responded);
        assert_eq!(deadline(), None, "closing");
    }

    #[test]
    fn what_was_left_unread_is_read_where_another_request_comes() {
        let now = Instant::now();
        let activity = Activity::new(now);
        activity.request_began();

        activity.lock().is_unread = true;
        activity.request_began();

        assert!(!activity.lock().is_unread);
    }

    #[test]
    fn it_is_idle_where_a_close_would_lose_nothing() {
        let now = Instant::now();
        let activity = Activity::new(now);

        let silent = activity.is_idle();
        activity.received(now);
        let half_a_head = activity.is_idle();
        activity.request_began();
        let in_flight = activity.is_idle();
        activity.is_stalled(Some(now));
        activity.request_ended(now);
        let not_taken = activity.is_idle();
        activity.is_stalled(None);
        let responded = activity.is_idle();
        activity.closes(now);
        let closing = activity.is_idle();

        assert_eq!([silent, half_a_head, responded], [true; 3]);
        assert_eq!([in_flight, not_taken, closing], [false; 3]);
    }
}
