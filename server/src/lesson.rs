//! The declaration that every lesson makes of itself.
//!
//! The declaration feeds the metrics, which start at zero for every response that is
//! declared.

use std::iter;

use axum::routing::MethodRouter;
use host::{ExpectedRoute, FaultLabel};
use http::{Method, StatusCode};

use crate::state::ServiceState;

/// One row of the endpoint table.
#[derive(Debug, Clone)]
pub(crate) struct Lesson {
    /// The path, also the route's label in metrics and spans.
    pub(crate) path: &'static str,
    /// The method that it teaches. A lesson for GET serves HEAD, too.
    pub(crate) method: Method,
    /// The status of each response to this method.
    pub(crate) statuses: &'static [StatusCode],
    /// Whether one of these responses has a Retry-After.
    pub(crate) has_retry_after: bool,
    /// The label of the fault that it serves on purpose.
    pub(crate) fault: Option<FaultLabel>,
    /// Makes its handler, for its method.
    pub(crate) serve: fn() -> MethodRouter<ServiceState>,
}

/// The statuses of a list: a page, or the refusal of a bad query.
pub(crate) const PAGE: &[StatusCode] = &[StatusCode::OK, StatusCode::BAD_REQUEST];

impl Lesson {
    /// The requests to its route that may be counted.
    pub(crate) fn expected(&self) -> impl Iterator<Item = ExpectedRoute> {
        let head = (self.method == Method::GET).then_some(Method::HEAD);
        let methods = iter::once(self.method.clone()).chain(head);
        methods.map(|method| ExpectedRoute {
            path: self.path,
            method,
            statuses: self.statuses.to_vec(),
            faults: self.fault.into_iter().collect(),
            has_retry_after: self.has_retry_after,
        })
    }
}
