//! The seam by which an accept loop reports its connections.

use std::sync::Arc;

use wire::ClosedBy;

use super::activity::Activity;

/// Receives the opening and the end of each connection of an accept loop. Both functions
/// are called on the tasks of the loop and must not block.
pub trait ConnectionObserver: Send + Sync + 'static {
    /// A connection was accepted. The first has the number 1, and each later one the
    /// next number.
    fn opened(&self, connection: u64);

    /// A connection was closed after this number of requests, and `by` was the first to
    /// close it.
    fn closed(&self, connection: u64, by: ClosedBy, requests: u64);
}

/// Which request of which connection this is. The loop puts it into the extensions of
/// each request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConnectionPosition {
    /// The number of the connection; the first that the loop accepted is 1.
    pub connection: u64,
    /// The position of the request on it; the first is 1.
    pub position: u64,
}

/// The identity of a connection. When it is dropped, it reports the end.
pub(super) struct Observed {
    pub(super) number: u64,
    pub(super) activity: Arc<Activity>,
    observer: Option<Arc<dyn ConnectionObserver>>,
}

impl Observed {
    pub(super) fn open(
        number: u64,
        activity: Arc<Activity>,
        observer: Option<Arc<dyn ConnectionObserver>>,
    ) -> Self {
        if let Some(observer) = &observer {
            observer.opened(number);
        }
        Self {
            number,
            activity,
            observer,
        }
    }
}

impl Drop for Observed {
    fn drop(&mut self) {
        if let Some(observer) = &self.observer {
            let (by, requests) = self.activity.end();
            observer.closed(self.number, by, requests);
        }
    }
}
