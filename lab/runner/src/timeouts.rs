//! Timeouts in virtual time.
//!
//! The timers of the transport are real, so on a virtual clock a timeout would take
//! no time at all. This moves the run's clock forward by the configured timeout.

use std::time::Duration;

use client::{FailureKind, Timeouts, VirtualClock};
use http::Extensions;
use reqwest::{Request, Response};
use reqwest_middleware::{Middleware, Next, Result};

/// Passes every request on, and moves the clock if it times out.
#[derive(Clone, Debug)]
pub(crate) struct TimeoutsTakeTime(pub(crate) VirtualClock);

#[async_trait::async_trait]
impl Middleware for TimeoutsTakeTime {
    async fn handle(
        &self,
        request: Request,
        extensions: &mut Extensions,
        next: Next<'_>,
    ) -> Result<Response> {
        let timeouts = extensions.get::<Timeouts>().copied();
        // What the deadline of the call leaves, which may come first.
        let left = request.timeout().copied().unwrap_or(Duration::MAX);
        let result = next.run(request, extensions).await;
        if let (Err(error), Some(timeouts)) = (&result, timeouts) {
            match FailureKind::of(error) {
                FailureKind::ConnectTimeout => self.0.advance(left.min(timeouts.connect)),
                FailureKind::ReadTimeout => self.0.advance(left.min(timeouts.read)),
                _ => {}
            }
        }
        result
    }
}
