//! What every lesson declares about itself.

use http::{Method, StatusCode};

/// One row of the endpoint table.
#[derive(Debug, Clone)]
pub(crate) struct Lesson {
    /// The path, also the route's label in metrics and spans.
    pub(crate) path: &'static str,
    /// The method that it teaches. Where it is GET, HEAD works too.
    pub(crate) method: Method,
    /// The statuses that it answers this method with.
    pub(crate) statuses: &'static [StatusCode],
    /// The label of the fault that it serves on purpose.
    pub(crate) fault: Option<&'static str>,
}

/// Marks a response as a fault on purpose.
///
/// Put it into a response's extensions, and the service counts the fault and names
/// it in the request's span. The label must come from a closed set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault(pub &'static str);
