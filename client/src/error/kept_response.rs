//! The part of a response that an error keeps.

use std::fmt;

use bytes::Bytes;
use http::HeaderMap;

/// The longest body that an error keeps: 64 KiB, as many as are read of the body of an
/// error response.
pub(crate) const MAX_KEPT_BYTES: usize = 64 * 1024;

/// The head and the beginning of the body of a response, and what a parser said of it.
#[derive(Clone, Default, PartialEq, Eq)]
pub(crate) struct KeptResponse {
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    pub(crate) detail: Option<Box<str>>,
}

impl KeptResponse {
    pub(crate) fn new(headers: HeaderMap, body: &Bytes) -> Self {
        let body = match body.get(..MAX_KEPT_BYTES) {
            // A copy, since a slice would keep the whole body in memory.
            Some(beginning) if body.len() > MAX_KEPT_BYTES => Bytes::copy_from_slice(beginning),
            _ => body.clone(),
        };
        Self {
            headers,
            body,
            detail: None,
        }
    }
}

/// Hides all of it, since it comes from the service and may contain anything.
impl fmt::Debug for KeptResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}
