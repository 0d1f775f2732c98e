//! The routes of a host, and the requests to them that may be counted.
//!
//! A series that is born with its first event has not risen for Prometheus' `increase()`:
//! the event is lost. So the host registers what can happen at zero, and nothing else.

use axum::Router;
use http::{Method, StatusCode};
use wire::FaultLabel;

/// A router, and which requests to it are expected.
#[derive(Clone, Debug, Default)]
pub struct Routes {
    /// The routes. The host replaces a fallback.
    pub router: Router,
    /// The requests to the routes that may be counted.
    pub expected: Vec<ExpectedRoute>,
}

/// The requests to a route that may be counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpectedRoute {
    /// Its path, as the router has it.
    pub path: &'static str,
    /// The method that it is made for.
    pub method: Method,
    /// The statuses of its responses to that method.
    pub statuses: Vec<StatusCode>,
    /// The [faults](crate::FaultLabel) that its responses name.
    pub faults: Vec<FaultLabel>,
    /// Whether one of its responses has a Retry-After. Without one no request can come
    /// too early.
    pub has_retry_after: bool,
}

impl Routes {
    /// These routes and others.
    ///
    /// # Panics
    ///
    /// If two routes overlap, or both routers have a fallback.
    #[must_use]
    pub fn and(self, other: impl Into<Self>) -> Self {
        let other = other.into();
        Self {
            router: self.router.merge(other.router),
            expected: [self.expected, other.expected].concat(),
        }
    }
}

impl From<Router> for Routes {
    /// Routes of which nothing is expected.
    fn from(router: Router) -> Self {
        Self {
            router,
            ..Self::default()
        }
    }
}
