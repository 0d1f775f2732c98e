//! Silence in virtual time.
//!
//! The timers of a transport are real. With short ones a busy machine would decide what
//! a run shows, and two runs with one seed could differ. So nothing times out in virtual
//! time but a silence on purpose: the service notifies that it has begun, and the clock of
//! the run moves forward by the configured timeout.

use std::{sync::Arc, time::Duration};

use client::{Failure, FailureKind, Timeouts, VirtualClock};
use http::Extensions;
use reqwest::{Request, Response};
use reqwest_middleware::{Middleware, Next, Result};
use tokio::sync::Notify;

/// How long the transport of a run in virtual time may be silent on the clock of the
/// machine: as long as a run may take.
pub(crate) const TRANSPORT: Duration = Duration::from_secs(3600);

/// Passes every request on, and ends it with a timeout where it meets silence.
#[derive(Clone, Debug)]
pub(crate) struct VirtualTimeouts {
    clock: VirtualClock,
    /// Notified when a silence begins.
    silence: Arc<Notify>,
    /// The read timeout on the clock of the run; that of the request if none.
    read: Option<Duration>,
}

impl VirtualTimeouts {
    pub(crate) fn new(clock: VirtualClock, silence: Arc<Notify>) -> Self {
        Self {
            clock,
            silence,
            read: None,
        }
    }

    /// With this read timeout, whatever timeouts a request carries.
    pub(crate) fn reading_for(self, read: Duration) -> Self {
        Self {
            read: Some(read),
            ..self
        }
    }
}

#[async_trait::async_trait]
impl Middleware for VirtualTimeouts {
    async fn handle(
        &self,
        mut request: Request,
        extensions: &mut Extensions,
        next: Next<'_>,
    ) -> Result<Response> {
        let carried = extensions.get().copied().unwrap_or(Timeouts::DEFAULT);
        let read = self.read.unwrap_or(carried.read);
        // The rest of the call's deadline is time of the run as well.
        let left = request.timeout_mut().take().unwrap_or(Duration::MAX);
        tokio::select! {
            biased;
            result = next.run(request, extensions) => result,
            () = self.silence.notified() => {
                self.clock.advance(left.min(read));
                Err(Failure(FailureKind::ReadTimeout).into())
            }
        }
    }
}
