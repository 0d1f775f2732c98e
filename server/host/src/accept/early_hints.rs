//! An interim response before a response.

use bytes::Bytes;
use http::HeaderValue;

/// Has an interim response `103 Early Hints` with this `Link` header (RFC 8297) sent before
/// the response that carries it in its extensions. A client with HTTP/1.0 gets none
/// (RFC 9110 §15.2).
///
/// On a pipelined connection it may overtake the rest of an earlier response.
#[derive(Debug, Clone)]
pub struct EarlyHints(pub HeaderValue);

impl EarlyHints {
    /// Its bytes on the wire.
    pub(super) fn bytes(&self) -> Bytes {
        let head = b"HTTP/1.1 103 Early Hints\r\nlink: ".as_slice();
        [head, self.0.as_bytes(), b"\r\n\r\n"].concat().into()
    }
}
