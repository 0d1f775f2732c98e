//! Counts the calls of a service.

use std::sync::atomic::{AtomicU64, Ordering};

use http::Method;

/// How often a service was called.
#[derive(Debug, Default)]
pub(crate) struct Calls(AtomicU64);

impl Calls {
    /// The number of this call, which HEAD only asks for: a safe method that moved
    /// the counter would change the response to the next GET.
    pub(crate) fn number(&self, method: &Method) -> u64 {
        let earlier = if method == Method::HEAD {
            self.0.load(Ordering::Relaxed)
        } else {
            self.0.fetch_add(1, Ordering::Relaxed)
        };
        earlier + 1
    }
}
